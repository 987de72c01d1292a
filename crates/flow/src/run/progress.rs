//! How far a run is inside its batches of flows, kept so that a run which is resumed repeats nothing that finished.
//!
//! Passes of a batch share the backpack, and side by side they write in between each other. So no single commit divides
//! what is done from what is not: each pass notes which node finished last, and which commits made it so. A run that is
//! resumed keeps those commits, takes back all others since its last record, and each pass goes on where its note says.
//!
//! *Invariants*: a note follows the commits that it names. The entries of a batch are noted before its first pass
//! begins, and are not prepared again. Notes are read only if their values are in the history, so none is larger than
//! what the history holds; a batch that cannot be noted runs again as a whole.
//!
//! *Limitations*: where passes side by side change the same key, what a pass that ended has left there last is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use piton_backpack::{Action as Done, ChangeLog, CommitId, Filter, Key};
use piton_core::{RunId, canonical};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::{Finished, RUNNER, RunRecord};
use crate::bounds::{CHANGES_NOTED_MAX, NOTE_BYTES_MAX};
use crate::error::Error;
use crate::flow_state::FlowState;

/// Where notes are packed.
pub(super) const KEY: &str = "flow.pass";

/// A visit of a node: the pass that it is in, and how many nodes of that pass had finished before.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct VisitId {
    /// For each batch around it, outermost first: how many nodes had finished before the batch, and which entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) pass: Vec<(u64, usize)>,
    pub(super) visit: u64,
}

impl VisitId {
    /// Whether it is the visit that a run was in after its last record, or a visit inside of it.
    pub(super) fn is_within(&self, record: &RunRecord) -> bool {
        self.pass.first().map_or(self.visit, |(visit, _)| *visit) == record.nodes_finished
    }
}

/// How far one walk is: that of the run itself, or a pass of a batch.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) pass: Vec<(u64, usize)>,
    /// How many ids of a node's path belong to what is around this walk.
    pub(super) depth: usize,
    nodes_finished: AtomicU64,
    /// What was changed since the last note.
    pub(super) changes: ChangeLog,
}

impl Progress {
    /// The walk of the run itself.
    pub(super) fn outermost(nodes_finished: u64) -> Self {
        Self { nodes_finished: AtomicU64::new(nodes_finished), ..Self::default() }
    }

    /// The pass for one entry of the batch that is visited now.
    pub(super) fn pass(&self, index: usize, depth: usize, kept: &KeptPasses) -> Arc<Self> {
        let VisitId { mut pass, visit } = self.visit();
        pass.push((visit, index));
        let nodes_finished = kept.finished.get(&pass).map_or(0, |(_, count)| *count);
        let nodes_finished = AtomicU64::new(nodes_finished);
        Arc::new(Self { pass, depth, nodes_finished, changes: ChangeLog::default() })
    }

    /// The visit that is under way.
    pub(super) fn visit(&self) -> VisitId {
        VisitId { pass: self.pass.clone(), visit: self.nodes_finished.load(Ordering::Relaxed) }
    }

    /// Counts a node that finished; gives how many did.
    pub(super) fn count(&self) -> u64 {
        self.nodes_finished.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// A part of what is known about a batch.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PassNote {
    run: RunId,
    #[serde(flatten)]
    id: VisitId,
    #[serde(flatten)]
    body: NoteBody,
    /// Commits that stand with the note: the last of each key that was changed since the note before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<CommitId>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum NoteBody {
    /// Entries of the batch that is visited, from a number on, and how many there are in all.
    Entries { from: usize, of: usize, entries: Vec<Value> },
    /// The node of the pass that finished last.
    Finished(Finished),
    /// Nothing but changes: they did not fit into the note that follows.
    More {},
}

impl PassNote {
    /// The notes that tell the entries of a batch, unless the history cannot hold them.
    pub(super) fn of_entries(
        (run, id): (RunId, &VisitId),
        entries: &[Value],
        changes: &BTreeMap<Key, CommitId>,
        value_bytes_max: usize,
    ) -> Option<Vec<Self>> {
        // What is noted when a node finishes has to fit as well.
        if value_bytes_max < NOTE_BYTES_MAX {
            return None;
        }
        let half = NOTE_BYTES_MAX / 2;
        let mut bodies = Vec::new();
        let mut from = 0;
        while from < entries.len() {
            let (mut to, mut size) = (from, 0);
            while let Some(entry) = entries.get(to) {
                let bytes = canonical::encode(entry).ok()?.len();
                if bytes + half > value_bytes_max {
                    return None;
                }
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

    /// The notes that tell of a node that finished.
    pub(super) fn of_finished(
        (run, id): (RunId, &VisitId),
        finished: Finished,
        changes: &BTreeMap<Key, CommitId>,
    ) -> Vec<Self> {
        Self::with_changes((run, id), vec![NoteBody::Finished(finished)], changes)
    }

    /// Notes whose last one completes what they tell.
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
        notes.extend(bodies.into_iter().map(|body| note(body, Vec::new())));
        if let Some(note) = notes.last_mut() {
            note.changes = last;
        }
        notes
    }
}

/// What an earlier process got done of the batches that it did not finish.
#[derive(Debug, Default)]
pub(super) struct KeptPasses {
    /// How many there are, and those that were noted.
    entries: BTreeMap<VisitId, (usize, Vec<Value>)>,
    finished: BTreeMap<Vec<(u64, usize)>, (Finished, u64)>,
    /// The commits that stand.
    pub(super) changes: BTreeSet<CommitId>,
}

impl KeptPasses {
    /// Reads the notes that the run left behind after the last node of its own that finished.
    pub(super) async fn of(record: &RunRecord, state: &FlowState) -> Result<Self, Error> {
        let key = Some(Key::parse(KEY).expect("the word is a short text"));
        let notes = Filter { key, action: Some(Done::Pack), ..Filter::default() };
        let mut kept = Self::default();
        let mut waiting: BTreeMap<VisitId, Vec<CommitId>> = BTreeMap::new();
        for commit in state.history(&notes).await? {
            let item = commit.value().filter(|item| item.is_available());
            // A node may have packed something of its own under that key.
            let item = item.filter(|item| item.source().id.as_str() == RUNNER);
            let Some(Ok(note)) = item.map(piton_backpack::Item::value::<PassNote>) else {
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
        waiting.entry(id.clone()).or_default().extend(changes);
        let is_complete = match body {
            NoteBody::More {} => false,
            NoteBody::Entries { from, of, entries } => {
                let (count, known) = self.entries.entry(id.clone()).or_default();
                // A process may have died while it noted them; the next one began again.
                known.truncate(from);
                known.extend(entries);
                *count = of;
                known.len() == of
            }
            NoteBody::Finished(finished) => {
                self.finished.insert(id.pass.clone(), (finished, id.visit));
                true
            }
        };
        if is_complete {
            self.changes.extend(waiting.remove(&id).unwrap_or_default());
        }
    }

    /// The entries of a batch that a process began with.
    pub(super) fn entries(&self, id: &VisitId) -> Option<&Vec<Value>> {
        let (count, entries) = self.entries.get(id)?;
        (entries.len() == *count).then_some(entries)
    }

    /// The node of a pass that finished last.
    pub(super) fn finished(&self, pass: &[(u64, usize)]) -> Option<&Finished> {
        self.finished.get(pass).map(|(finished, _)| finished)
    }
}
