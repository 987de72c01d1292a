//! The effects that the use cases need.

use std::sync::Arc;

use piton_core::port::{Clock, Entropy};
use piton_store::port::{Blobs, Cache, Journal, KeyRing, Leases, Table};
use piton_workflow::{SessionEvent, SessionPorts};

/// The effects that the use cases need. The code that constructs this chooses the adapters.
#[derive(Clone)]
pub struct RuntimePorts {
    /// Sessions.
    pub journal: Arc<dyn Journal<SessionEvent>>,
    /// Content that sessions refer to.
    pub blobs: Arc<dyn Blobs>,
    /// Notes about sessions, and the files of Virtual Stores.
    pub table: Arc<dyn Table>,
    /// Locks between processes.
    pub leases: Arc<dyn Leases>,
    /// Signs and verifies tokens.
    pub keys: Arc<dyn KeyRing>,
    /// Data that can be recomputed.
    pub cache: Arc<dyn Cache>,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
}

impl RuntimePorts {
    /// Returns the ports of transfer and maintenance.
    pub(super) fn of_sessions(&self) -> SessionPorts<'_> {
        SessionPorts {
            journal: &*self.journal,
            blobs: &*self.blobs,
            table: &*self.table,
            leases: &*self.leases,
            clock: &*self.clock,
            entropy: &*self.entropy,
        }
    }
}
