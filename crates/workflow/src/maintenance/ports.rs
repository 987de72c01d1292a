//! The effects that upkeep needs.

use piton_core::port::Clock;
use piton_store::port::{Blobs, Journal, Leases, Table};

use crate::event::SessionEvent;

/// What upkeep works on.
#[derive(Clone, Copy)]
pub struct MaintenancePorts<'a> {
    /// The sessions. Their ages are what this says.
    pub journal: &'a dyn Journal<SessionEvent>,
    /// What their events refer to.
    pub blobs: &'a dyn Blobs,
    /// Which sessions are kept.
    pub table: &'a dyn Table,
    /// What keeps writers out while something is removed.
    pub leases: &'a dyn Leases,
    /// How long they are kept out.
    pub clock: &'a dyn Clock,
}
