//! The effects that transfers need.

use piton_core::port::{Clock, Entropy};
use piton_store::port::{Blobs, Journal, Table};

use crate::event::SessionEvent;

/// The ports that transfers work on.
#[derive(Clone, Copy)]
pub struct TransferPorts<'a> {
    pub journal: &'a dyn Journal<SessionEvent>,
    /// The content that events refer to.
    pub blobs: &'a dyn Blobs,
    /// Holds the notes about unfinished imports.
    pub table: &'a dyn Table,
    /// Gives the time that a bundle shows.
    pub clock: &'a dyn Clock,
    /// Mints new ids.
    pub entropy: &'a dyn Entropy,
}
