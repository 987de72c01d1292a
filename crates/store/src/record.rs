//! The records of a session's control stream.
//!
//! There are two kinds, each with its version. They are part of an export, so every build has them; the local adapter
//! decides how they stand in a file.

use piton_core::{Digest, EventId, EventIndex, FileBytes, ManifestIndex, SnapshotRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::StreamId;
use crate::plan::{EncodedPlan, Fact};

/// Version of the records.
pub const VERSION: u32 = 1;

/// A record of the control stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record {
    /// A segment is complete.
    SegmentClosed(SegmentClosed),
    /// A snapshot is referred to by a committed event.
    SnapshotPinned(SnapshotPinned),
}

/// Attests a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SegmentClosed {
    /// The version of the record.
    pub v: u32,
    /// Its place in the control stream.
    pub manifest_index: ManifestIndex,
    /// The stream.
    pub session_id: StreamId,
    /// The first event of the segment.
    pub first_event_index: EventIndex,
    /// The last event of the segment.
    pub last_event_index: EventIndex,
    /// The segment's file, relative to the stream's directory.
    pub segment_rel_path: String,
    /// The digest of the file's bytes.
    pub sha256: Digest,
    /// The length of the file.
    pub bytes: u64,
}

/// Keeps a snapshot alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotPinned {
    /// The version of the record.
    pub v: u32,
    /// Its place in the control stream.
    pub manifest_index: ManifestIndex,
    /// The stream.
    pub session_id: StreamId,
    /// The event that introduced the snapshot.
    pub event_index: EventIndex,
    /// The snapshot.
    pub snapshot_ref: SnapshotRef,
    /// The id of that event.
    pub created_by_event_id: EventId,
}

/// Returns the file of a segment, relative to the stream's directory.
pub fn segment_path(first: EventIndex, last: EventIndex) -> String {
    format!("{SEGMENTS}/{:08}-{:08}.jsonl", first.get(), last.get())
}

/// Directory of segments, relative to the stream's directory.
pub(crate) const SEGMENTS: &str = "events";

/// Returns the first and the last event of the segment whose file has this name, or `None` if no segment has such a
/// name.
#[cfg(feature = "local")]
pub(crate) fn segment_bounds(name: &str) -> Option<(EventIndex, EventIndex)> {
    let (first, last) = name.strip_suffix(".jsonl")?.split_once('-')?;
    let index = |text: &str| text.parse().ok().and_then(|value| EventIndex::new(value).ok());
    let (first, last) = (index(first)?, index(last)?);
    // Other spellings of the same numbers are no names of ours, so the name is made again and compared.
    let own = segment_path(first, last);
    (own.strip_prefix(SEGMENTS)?.strip_prefix('/')? == name).then_some((first, last))
}

/// Returns the records that commit a plan: its close, then a pin for each snapshot that it introduces.
pub(crate) fn of_plan(stream: &StreamId, plan: &EncodedPlan, next: ManifestIndex) -> Vec<Record> {
    let introduced = plan.facts.iter().filter_map(|fact| {
        let Fact { index, id, introduces, .. } = fact;
        introduces.map(|snapshot| (*index, *id, snapshot))
    });
    of_segment(stream, (plan.first, plan.last()), &plan.lines, introduced, next)
}

/// Returns the records that attest a segment. They follow from its bounds, its bytes, and the snapshots that its events
/// introduce.
pub(crate) fn of_segment(
    stream: &StreamId,
    (first, last): (EventIndex, EventIndex),
    lines: &[u8],
    introduced: impl Iterator<Item = (EventIndex, EventId, SnapshotRef)>,
    next: ManifestIndex,
) -> Vec<Record> {
    let mut manifest_index = next;
    let mut records = vec![Record::SegmentClosed(SegmentClosed {
        v: VERSION,
        manifest_index,
        session_id: stream.clone(),
        first_event_index: first,
        last_event_index: last,
        segment_rel_path: segment_path(first, last),
        sha256: Digest::of(&FileBytes(lines)),
        bytes: lines.len() as u64,
    })];
    for (event_index, created_by_event_id, snapshot_ref) in introduced {
        manifest_index = manifest_index.next();
        records.push(Record::SnapshotPinned(SnapshotPinned {
            v: VERSION,
            manifest_index,
            session_id: stream.clone(),
            event_index,
            snapshot_ref,
            created_by_event_id,
        }));
    }
    records
}
