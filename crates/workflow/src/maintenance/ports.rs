//! The effects that maintenance needs.

use piton_core::port::Clock;
use piton_store::port::{Blobs, Journal, Leases, Table};

use crate::event::SessionEvent;

/// The ports that maintenance works on.
#[derive(Clone, Copy)]
pub struct MaintenancePorts<'a> {
    /// The sessions. Also the authority on their ages.
    pub journal: &'a dyn Journal<SessionEvent>,
    /// The content that their events refer to.
    pub blobs: &'a dyn Blobs,
    /// Holds the retention marks of sessions.
    pub table: &'a dyn Table,
    /// Keeps writers out while something is removed.
    pub leases: &'a dyn Leases,
    /// Measures for how long they are kept out.
    pub clock: &'a dyn Clock,
}
