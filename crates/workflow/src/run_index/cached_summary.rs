//! The entry of the projection cache for a session: a cursor, and the summaries that were made up to it.
//!
//! *Invariants*: an entry of another version is never seen, because the version is part of its key; it is written
//! into the entry as well. An entry that contradicts itself, its stream or its cursor is a miss.

use std::collections::BTreeSet;
use std::sync::Arc;

use piton_core::canonical;
use piton_store::StreamId;
use piton_store::port::{CacheKey, Cursor};
use serde::{Deserialize, Serialize};

use super::index::SessionSummary;
use crate::label::label;
use crate::projection::{RunSummary, SUMMARY_VERSION};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CachedSummaryRef<'a> {
    v: u32,
    cursor: Cursor,
    runs: Vec<&'a RunSummary>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CachedSummary {
    v: u32,
    cursor: Cursor,
    runs: Vec<RunSummary>,
}

/// Returns the key under which the cache keeps the summaries of a stream.
pub(super) fn key(stream: &StreamId) -> CacheKey {
    let projection = "runs".parse().expect("letters are a name");
    CacheKey { stream: stream.clone(), projection, version: SUMMARY_VERSION }
}

/// Encodes the summary of a session. Returns `None` if it has no canonical form, as is the case for a time that no
/// clock shows.
pub(super) fn encode(session: &SessionSummary) -> Option<Vec<u8>> {
    let runs = session.runs.iter().map(Arc::as_ref).collect();
    let written = CachedSummaryRef { v: SUMMARY_VERSION, cursor: session.cursor, runs };
    canonical::encode(&written).ok().map(|bytes| bytes.as_bytes().to_vec())
}

/// Decodes the entry of `stream`. Returns `None` if it cannot be right.
pub(super) fn decode(stream: &StreamId, bytes: &[u8]) -> Option<SessionSummary> {
    let CachedSummary { v, cursor, runs } = serde_json::from_slice(bytes).ok()?;
    let mut met = BTreeSet::new();
    // The cache is not trusted: an entry may be damaged, or belong to another stream.
    let is_sound = |run: &RunSummary| {
        StreamId::from(run.session_id) == *stream
            && run.label == label(run.run_id)
            && run.activity < cursor.next_event()
            && met.insert(run.run_id)
    };
    if v != SUMMARY_VERSION || !runs.iter().all(is_sound) {
        return None;
    }
    let runs = runs.into_iter().map(Arc::new).collect();
    Some(SessionSummary { cursor, runs, is_from_events: false })
}
