//! What the journal needs to know of an event.
//!
//! The journal is generic over the event type: it stores the whole event as one line of canonical
//! JSON and reads only the five facts below from it.

use piton_core::{DedupeKey, EventId, EventIndex, SnapshotRef};
use serde::{Serialize, de::DeserializeOwned};

use crate::StreamId;

/// One entry of a stream, complete with its envelope.
///
/// The encoded form must hold the schema version in a top-level field `v`.
pub trait Event: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The version that this type reads and writes. A line with another `v` is never guessed at.
    const VERSION: u32;

    /// The version that its line has.
    fn version(&self) -> u32;

    /// Its place in the stream; the only order there is.
    fn index(&self) -> EventIndex;

    /// Its own id, minted when it was appended.
    fn id(&self) -> EventId;

    /// The key under which a repetition of the same fact is recognised.
    fn dedupe_key(&self) -> &DedupeKey;

    /// Whether it was written for `stream`.
    fn belongs_to(&self, stream: &StreamId) -> bool;

    /// The snapshot that it introduces and that must be pinned with it.
    fn introduces(&self) -> Option<SnapshotRef>;
}
