//! The summary of one session.

use std::sync::Arc;

use piton_store::port::Cursor;

use crate::projection::RunSummary;

/// The summary of one session.
#[derive(Clone, Debug)]
pub(super) struct SessionSummary {
    /// The end of the events that it was made from.
    pub(super) cursor: Cursor,
    /// Its runs, in the order of their start.
    pub(super) runs: Vec<Arc<RunSummary>>,
    /// Set when this process made it from events. Otherwise it is only what the cache says.
    pub(super) is_from_events: bool,
}
