//! What is known of one session.

use std::sync::Arc;

use piton_store::port::Cursor;

use crate::projection::RunSummary;

/// A session, summed up.
#[derive(Clone, Debug)]
pub(super) struct SessionSummary {
    /// Where the reading ended that this was made from.
    pub(super) cursor: Cursor,
    /// Its runs, in the order of their start.
    pub(super) runs: Vec<Arc<RunSummary>>,
    /// Whether this process made it from events, rather than taking the cache's word.
    pub(super) is_from_events: bool,
}
