//! The interface between the journal and its events.
//!
//! The journal is generic over the event type: it stores the whole event as one line of canonical JSON and reads only
//! the five facts below from it.

use piton_core::{DedupeKey, EventId, EventIndex, SnapshotRef};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::StreamId;

/// One entry of a stream, complete with its envelope.
///
/// The encoded form must hold the schema version in a top-level field `v`.
pub trait Event: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Version that this type reads and writes. A line with another `v` is never guessed at.
    const VERSION: u32;

    /// Returns the version of the event's line.
    fn version(&self) -> u32;

    /// Returns the event's position in the stream, which is the only order there is.
    fn index(&self) -> EventIndex;

    /// Returns the event's own id, minted when it was appended.
    fn id(&self) -> EventId;

    /// Returns the key by which a repetition of the same fact is recognised.
    fn dedupe_key(&self) -> &DedupeKey;

    /// True if the event was written for `stream`.
    fn belongs_to(&self, stream: &StreamId) -> bool;

    /// Returns the snapshot that the event introduces, which must be pinned with it.
    fn introduces(&self) -> Option<SnapshotRef>;
}
