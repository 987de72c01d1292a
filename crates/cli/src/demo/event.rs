//! The events of the demo.

use piton_core::{DedupeKey, EventId, EventIndex, SnapshotRef, TimestampMs};
use piton_store::{Event, StreamId};
use serde::{Deserialize, Serialize};

/// Something that an agent did.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DemoEvent {
    pub(super) v: u32,
    pub(super) event_id: EventId,
    pub(super) event_index: EventIndex,
    pub(super) session_id: StreamId,
    pub(super) dedupe_key: DedupeKey,
    pub(super) timestamp_ms: TimestampMs,
    /// Which plan it came with, counted from one.
    pub(super) plan: u64,
    /// Its place in the plan, counted from one.
    pub(super) part: u64,
    /// How many events the plan has, so that a plan of which some are missing is recognised.
    pub(super) parts: u64,
    pub(super) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) snapshot_ref: Option<SnapshotRef>,
}

impl Event for DemoEvent {
    const VERSION: u32 = 1;

    fn version(&self) -> u32 {
        self.v
    }

    fn index(&self) -> EventIndex {
        self.event_index
    }

    fn id(&self) -> EventId {
        self.event_id
    }

    fn dedupe_key(&self) -> &DedupeKey {
        &self.dedupe_key
    }

    fn belongs_to(&self, stream: &StreamId) -> bool {
        self.session_id == *stream
    }

    fn introduces(&self) -> Option<SnapshotRef> {
        self.snapshot_ref
    }
}
