//! Progress of a run inside its batches of flows, kept so that a resumed run repeats nothing that finished.
//!
//! Passes of a batch share the backpack, and concurrent passes interleave their writes. So no single commit divides
//! what is done from what is not. Instead, each pass notes the last node that finished and the commits that belong to
//! it. A resumed run keeps those commits, undoes all others since its last record, and continues each pass where its
//! note says.
//!
//! *Invariants*: a note comes after the commits that it names. The entries of a batch are noted before its first pass
//! begins, and are not prepared again. Notes are read only if their values are in the history, so none is larger than a
//! value that the history holds. A batch that cannot be noted runs again as a whole.
//!
//! *Limitations*: if concurrent passes change the same key, the last change of a pass that ended is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use piton_core::{RunId, canonical};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::{Finished, RUNNER, RunRecord};
use crate::flow::bounds::{CHANGES_NOTED_MAX, NOTE_BYTES_MAX};
use crate::flow::error::Error;
use crate::flow::flow_state::FlowState;
use crate::{Action as Done, ChangeLog, CommitId, Filter, Key};

/// The key for notes.
pub(super) const KEY: &str = "flow.pass";

/// The id of a visit: its pass, and the number of nodes of that pass that finished before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct VisitId {
    /// For each enclosing batch, outermost first: the number of nodes that finished before the batch, and the entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) pass: Vec<(u64, usize)>,
    pub(super) visit: u64,
}

impl VisitId {
    /// True if this is the visit that a run was in after its last record, or a visit inside of it.
    pub(super) fn is_within(&self, record: &RunRecord) -> bool {
        self.pass.first().map_or(self.visit, |(visit, _)| *visit) == record.nodes_finished
    }
}

/// The progress of one walk: that of the run itself, or a pass of a batch.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) pass: Vec<(u64, usize)>,
    /// Number of ids in a node's path that belong to the flows around this walk.
    pub(super) depth: usize,
    nodes_finished: AtomicU64,
    /// Changes since the last note.
    pub(super) changes: ChangeLog,
}

impl Progress {
    /// Creates the progress of the run itself.
    pub(super) fn outermost(nodes_finished: u64) -> Self {
        Self { nodes_finished: AtomicU64::new(nodes_finished), ..Self::default() }
    }

    /// Creates the progress of the pass for one entry of the batch that is being visited.
    pub(super) fn pass(&self, index: usize, depth: usize, kept: &KeptPasses) -> Arc<Self> {
        let VisitId { mut pass, visit } = self.visit();
        pass.push((visit, index));
        let nodes_finished = kept.finished.get(&pass).map_or(0, |(_, count)| *count);
        let nodes_finished = AtomicU64::new(nodes_finished);
        Arc::new(Self { pass, depth, nodes_finished, changes: ChangeLog::default() })
    }

    /// Returns the id of the visit in progress.
    pub(super) fn visit(&self) -> VisitId {
        VisitId { pass: self.pass.clone(), visit: self.nodes_finished.load(Ordering::Relaxed) }
    }

    /// Counts a node that finished. Returns the new number.
    pub(super) fn count(&self) -> u64 {
        self.nodes_finished.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// A part of the knowledge about a batch.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PassNote {
    run: RunId,
    #[serde(flatten)]
    id: VisitId,
    #[serde(flatten)]
    body: NoteBody,
    /// Commits that stand with the note: the last one for each key that changed since the previous note.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<CommitId>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum NoteBody {
    /// Entries of the batch that is being visited, starting at an index, and their total number.
    Entries { from: usize, of: usize, entries: Vec<Value> },
    /// The last node of the pass that finished.
    Finished(Finished),
    /// Nothing but changes, which did not fit into the note that follows.
    More {},
}

impl PassNote {
    /// Builds the notes for the entries of a batch, unless the history cannot hold them.
    pub(super) fn of_entries(
        (run, id): (RunId, &VisitId),
        entries: &[Value],
        changes: &BTreeMap<Key, CommitId>,
        value_bytes_max: usize,
    ) -> Option<Vec<Self>> {
        // The notes for finished nodes have to fit as well.
        if value_bytes_max < NOTE_BYTES_MAX {
            return None;
        }
        // Half of a note is for entries, the other half for changes.
        let half = NOTE_BYTES_MAX / 2;
        let mut bodies = Vec::new();
        let mut from = 0;
        while from < entries.len() {
            let (mut to, mut size) = (from, 0);
            while let Some(entry) = entries.get(to) {
                let bytes = canonical::encode(entry).ok()?.len();
                // A note beyond this size would go to the store instead of the history, where it is not read.
                if bytes + half > value_bytes_max {
                    return None;
                }
                // A single long entry gets a note of its own.
                if to > from && size + bytes > half {
                    break;
                }
                (to, size) = (to + 1, size + bytes);
            }
            let entries_noted = entries[from..to].to_vec();
            bodies.push(NoteBody::Entries { from, of: entries.len(), entries: entries_noted });
            from = to;
        }
        Some(Self::with_changes((run, id), bodies, changes))
    }

    /// Builds the notes for a node that finished.
    pub(super) fn of_finished(
        (run, id): (RunId, &VisitId),
        finished: Finished,
        changes: &BTreeMap<Key, CommitId>,
    ) -> Vec<Self> {
        Self::with_changes((run, id), vec![NoteBody::Finished(finished)], changes)
    }

    /// Builds a sequence of notes. Only the last one makes it complete.
    fn with_changes(
        (run, id): (RunId, &VisitId),
        bodies: Vec<NoteBody>,
        changes: &BTreeMap<Key, CommitId>,
    ) -> Vec<Self> {
        let note = |body, changes| Self { run, id: id.clone(), body, changes };
        let changes: Vec<CommitId> = changes.values().copied().collect();
        let mut chunks: Vec<_> = changes.chunks(CHANGES_NOTED_MAX).map(<[_]>::to_vec).collect();
        let last = chunks.pop().unwrap_or_default();
        let mut notes: Vec<Self> =
            chunks.into_iter().map(|chunk| note(NoteBody::More {}, chunk)).collect();
        // Changes go first and with the last note, so that they count only once everything is there.
        notes.extend(bodies.into_iter().map(|body| note(body, Vec::new())));
        if let Some(note) = notes.last_mut() {
            note.changes = last;
        }
        notes
    }
}

/// Progress that an earlier process made in the batches that it did not finish.
#[derive(Debug, Default)]
pub(super) struct KeptPasses {
    /// The total number of entries, and those that were noted.
    entries: BTreeMap<VisitId, (usize, Vec<Value>)>,
    finished: BTreeMap<Vec<(u64, usize)>, (Finished, u64)>,
    /// The commits that stand.
    pub(super) changes: BTreeSet<CommitId>,
}

impl KeptPasses {
    /// Reads the notes that the run left behind after its last node that finished.
    pub(super) async fn of(record: &RunRecord, state: &FlowState) -> Result<Self, Error> {
        let key = Some(Key::parse(KEY).expect("the word is a short text"));
        let notes = Filter { key, action: Some(Done::Pack), ..Filter::default() };
        let mut kept = Self::default();
        let mut waiting: BTreeMap<VisitId, Vec<CommitId>> = BTreeMap::new();
        for commit in state.history(&notes).await? {
            let item = commit.value().filter(|item| item.is_available());
            // A node may have packed something of its own under that key.
            let item = item.filter(|item| item.source().id.as_str() == RUNNER);
            let Some(Ok(note)) = item.map(crate::Item::value::<PassNote>) else {
                continue;
            };
            if note.run == record.run && note.id.is_within(record) {
                kept.add(note, &mut waiting);
            }
        }
        Ok(kept)
    }

    fn add(&mut self, note: PassNote, waiting: &mut BTreeMap<VisitId, Vec<CommitId>>) {
        let PassNote { id, body, changes, .. } = note;
        // Changes wait until the last note of their sequence arrives. A sequence that was cut off does not count.
        waiting.entry(id.clone()).or_default().extend(changes);
        let is_complete = match body {
            NoteBody::More {} => false,
            NoteBody::Entries { from, of, entries } => {
                let (count, known) = self.entries.entry(id.clone()).or_default();
                // A process may have died while it noted them, and the next one started over.
                known.truncate(from);
                known.extend(entries);
                *count = of;
                known.len() == of
            }
            NoteBody::Finished(finished) => {
                // Notes come oldest first, so a later one of the same pass replaces this.
                self.finished.insert(id.pass.clone(), (finished, id.visit));
                true
            }
        };
        if is_complete {
            self.changes.extend(waiting.remove(&id).unwrap_or_default());
        }
    }

    /// Returns the entries of a batch that an earlier process started, if all of them were noted.
    pub(super) fn entries(&self, id: &VisitId) -> Option<&Vec<Value>> {
        let (count, entries) = self.entries.get(id)?;
        (entries.len() == *count).then_some(entries)
    }

    /// Returns the last node of a pass that finished.
    pub(super) fn finished(&self, pass: &[(u64, usize)]) -> Option<&Finished> {
        self.finished.get(pass).map(|(finished, _)| finished)
    }
}
