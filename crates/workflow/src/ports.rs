//! The effects that transfer and maintenance need.

use piton_core::port::{Clock, Entropy};
use piton_store::port::{Blobs, Index, Journal, Leases, Table};

use crate::event::SessionEvent;

/// The ports that transfer and maintenance work on.
#[derive(Clone, Copy)]
pub struct SessionPorts<'a> {
    /// The sessions. Also the authority on their ages.
    pub journal: &'a dyn Journal<SessionEvent>,
    /// The content that their events refer to.
    pub blobs: &'a dyn Blobs,
    /// Holds the retention marks of sessions, and the notes about unfinished imports.
    pub table: &'a dyn Table,
    /// Holds what is found of sessions. A session that is removed leaves it in the same call.
    pub index: &'a dyn Index,
    /// Keeps writers out while something is removed.
    pub leases: &'a dyn Leases,
    /// Measures for how long they are kept out, and gives the time that a bundle shows.
    pub clock: &'a dyn Clock,
    /// Mints new ids.
    pub entropy: &'a dyn Entropy,
}
