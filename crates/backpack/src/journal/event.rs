//! The events of a backpack's stream.
//!
//! See `docs/format/backpack.md`.

use piton_core::{BoundedText, DedupeKey, Digest, EventId, EventIndex, SnapshotRef, TimestampMs};
use piton_store::port::{BlobNamespace, JournalReader};
use piton_store::{Event, JournalRoots, StreamId};
use serde::{Deserialize, Serialize};

use crate::bounds::HOLDER_BYTES_MAX;
use crate::names::{BackpackId, BackpackOrigin};
use crate::record::{CommitRecord, ItemRecord, QuarantinedRecord};

/// The holder of a backpack, described for those who are refused: a program and its process.
pub type Holder = BoundedText<HOLDER_BYTES_MAX>;

/// One event of a backpack's stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackpackEvent {
    v: u32,
    event_id: EventId,
    event_index: EventIndex,
    backpack_id: BackpackId,
    dedupe_key: DedupeKey,
    body: BackpackEventBody,
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub(crate) enum BackpackEventBody {
    /// A writer took the lease.
    Opened { holder: Holder, timestamp_ms: TimestampMs },
    /// The backpack continues from a state of another one.
    Began { origin: BackpackOrigin },
    /// An item of that state.
    Carried { item: ItemRecord },
    /// A quarantined entry of that state.
    SetAside { entry: QuarantinedRecord },
    /// A commit of the writer that opened the backpack last.
    Committed { commit: CommitRecord },
}

impl BackpackEvent {
    /// Builds the event at `index`. A commit is deduplicated by its commit id, any other event by its event id.
    pub(crate) fn new(
        backpack: &BackpackId,
        index: EventIndex,
        id: EventId,
        body: BackpackEventBody,
    ) -> Self {
        let dedupe_key = match &body {
            // A plan that is repeated after a cut-off append has the same keys, so the journal recognizes it.
            BackpackEventBody::Committed { commit } => DedupeKey::new("commit", &[&commit.commit]),
            _ => DedupeKey::new("event", &[&id]),
        }
        .expect("ids are made of characters that a key may have");
        Self {
            v: Self::VERSION,
            event_id: id,
            event_index: index,
            backpack_id: backpack.clone(),
            dedupe_key,
            body,
        }
    }

    pub(crate) fn body(self) -> BackpackEventBody {
        self.body
    }

    /// Returns the digest of the blob that the event refers to.
    pub(super) fn blob(&self) -> Option<Digest> {
        use crate::record::ValueRecord::Large;
        let value = match &self.body {
            BackpackEventBody::Committed { commit } => commit.value(),
            BackpackEventBody::Carried { item } => Some(&item.value),
            BackpackEventBody::SetAside { entry } => entry.item.as_ref().map(|item| &item.value),
            BackpackEventBody::Opened { .. } | BackpackEventBody::Began { .. } => None,
        };
        match value {
            Some(Large { digest, .. }) => *digest,
            _ => None,
        }
    }

    /// Returns the writer that opened the backpack, if this event records one.
    pub(super) fn holder(&self) -> Option<&Holder> {
        match &self.body {
            BackpackEventBody::Opened { holder, .. } => Some(holder),
            _ => None,
        }
    }
}

/// Creates the roots that keep large values alive: the digests that the events of all backpacks refer to, and every
/// digest in what was set aside of them.
pub fn blob_roots(journal: &dyn JournalReader<BackpackEvent>) -> JournalRoots<'_, BackpackEvent> {
    JournalRoots::events(journal, BlobNamespace::Backpacks, |events| {
        events.iter().filter_map(BackpackEvent::blob).collect()
    })
}

impl Event for BackpackEvent {
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
        self.backpack_id.stream() == stream
    }

    fn introduces(&self) -> Option<SnapshotRef> {
        None
    }
}
