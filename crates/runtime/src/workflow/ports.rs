//! The effects that the use cases need.

use std::sync::Arc;

use piton_core::port::{Clock, Entropy};
use piton_store::port::{Blobs, Cache, Journal, KeyRing, Leases, Table};
use piton_workflow::{SessionEvent, maintenance, transfer};

/// The effects that the use cases need. Whoever makes them names the adapters.
#[derive(Clone)]
pub struct RuntimePorts {
    /// The sessions.
    pub journal: Arc<dyn Journal<SessionEvent>>,
    /// What they refer to.
    pub blobs: Arc<dyn Blobs>,
    /// What is noted about them, and the files of Virtual Stores.
    pub table: Arc<dyn Table>,
    /// Locks between processes.
    pub leases: Arc<dyn Leases>,
    /// What signs tokens.
    pub keys: Arc<dyn KeyRing>,
    /// What can be computed again.
    pub cache: Arc<dyn Cache>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
}

impl RuntimePorts {
    pub(super) fn transfer_ports(&self) -> transfer::TransferPorts<'_> {
        transfer::TransferPorts {
            journal: &*self.journal,
            blobs: &*self.blobs,
            table: &*self.table,
            clock: &*self.clock,
            entropy: &*self.entropy,
        }
    }

    pub(super) fn maintenance_ports(&self) -> maintenance::MaintenancePorts<'_> {
        maintenance::MaintenancePorts {
            journal: &*self.journal,
            blobs: &*self.blobs,
            table: &*self.table,
            leases: &*self.leases,
            clock: &*self.clock,
        }
    }
}
