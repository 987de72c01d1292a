//! The effects that carrying sessions needs.

use piton_core::port::{Clock, Entropy};
use piton_store::port::{Blobs, Journal, Table};

use crate::event::SessionEvent;

/// What carrying sessions works on.
#[derive(Clone, Copy)]
pub struct TransferPorts<'a> {
    /// The sessions.
    pub journal: &'a dyn Journal<SessionEvent>,
    /// What their events refer to.
    pub blobs: &'a dyn Blobs,
    /// Where unfinished imports are noted.
    pub table: &'a dyn Table,
    /// The time that a bundle shows.
    pub clock: &'a dyn Clock,
    /// New ids.
    pub entropy: &'a dyn Entropy,
}
