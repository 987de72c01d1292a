//! An event like those of a session, for tests of the store alone.

use piton_core::port::Entropy;
use piton_core::port::fixed::SeededEntropy;
use piton_core::{DedupeKey, EventId, EventIndex, SnapshotRef, canonical};
use serde::{Deserialize, Serialize};

use crate::port::BlobNamespace;
use crate::{AppendPlan, Event, NewBlob, StreamId};

/// A sample event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sample {
    pub v: u32,
    pub event_id: EventId,
    pub event_index: EventIndex,
    pub session_id: StreamId,
    pub dedupe_key: DedupeKey,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_ref: Option<SnapshotRef>,
}

impl Sample {
    /// Creates an event that records `fact`.
    pub fn new(stream: &StreamId, index: u64, fact: &str, entropy: &dyn Entropy) -> Self {
        Self {
            v: Self::VERSION,
            event_id: EventId::mint(entropy),
            event_index: EventIndex::new(index).unwrap(),
            session_id: stream.clone(),
            dedupe_key: DedupeKey::new("sample", &[stream, &fact]).unwrap(),
            text: format!("what happened: {fact}"),
            snapshot_ref: None,
        }
    }
}

impl Event for Sample {
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

/// Creates a snapshot that no other name gives.
pub fn sample_snapshot(name: &str) -> NewBlob {
    let value = serde_json::json!({ "v": 1, "state": name, "padding": "x".repeat(600) });
    NewBlob::canonical(BlobNamespace::Snapshots, canonical::encode(&value).unwrap())
}

/// Creates a plan of `events` events that starts at `first`; its second event introduces a snapshot.
///
/// The same name gives the same facts, so that appending it twice is a replay. Ids depend only on the name and the
/// position.
pub fn sample_plan(stream: &StreamId, first: u64, events: u64, name: &str) -> AppendPlan<Sample> {
    let entropy = SeededEntropy::new(
        name.bytes().fold(first, |seed, byte| seed.wrapping_mul(131) ^ u64::from(byte)),
    );
    let snapshot = sample_snapshot(&format!("{stream}-{name}"));
    let mut list: Vec<Sample> = (0..events)
        .map(|number| Sample::new(stream, first + number, &format!("{name}-{number}"), &entropy))
        .collect();
    if let Some(event) = list.get_mut(1) {
        event.snapshot_ref = Some(SnapshotRef::new(snapshot.digest()));
        return AppendPlan::new(list).with_blob(snapshot);
    }
    AppendPlan::new(list)
}
