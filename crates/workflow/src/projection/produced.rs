//! Products of the steps on the way to a node, beside their notes: artifacts, the notes of bookmarks, and side
//! records.
//!
//! *Invariants*: the newest step comes first. A small artifact is shown whole. Large ones and older ones are shown by
//! their digest, under which they can be read. Notes of bookmarks are shown whole as long as there is room, then by
//! their first lines. The text keeps its budgets, and what is left out is counted. The recap shows the notes of
//! bookmarks on the node itself.
//!
//! *Limitations*: the artifacts of one output appear in the order in which they are recorded, which is that of their
//! digests.

use std::fmt::Write as _;

use piton_core::{Digest, NodeId, OutputId, SnapshotRef, shorten};

use super::graph::RunNode;
use super::outputs::{RecordedOutput, SideRecord, SideRecordBody};
use super::recap::RecapPiece;
use super::run_state::RunState;
use super::summary::headline;
use crate::bounds::{
    ARTIFACT_SHOWN_BYTES_MAX, BOOKMARKS_BYTES_MAX, BOOKMARKS_TOLD_MAX, PRODUCED_ARTIFACTS_MAX,
    PRODUCED_BYTES_MAX, PRODUCED_DIGESTS_MAX, RECAP_TITLE_BYTES_MAX, SIDE_RECORDS_MAX,
    TRACES_TOLD_MAX,
};
use crate::event::{NodeKind, OutputPayload};
use crate::snapshot::PendingStep;

/// An artifact on the way to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProducedArtifact {
    /// The node that it was submitted at.
    pub node: NodeId,
    /// The snapshot that holds the title of its step.
    pub snapshot: SnapshotRef,
    /// The output that contains it.
    pub output: OutputId,
    pub digest: Digest,
    /// Its size.
    pub bytes: u32,
}

/// The notes of a bookmark on an earlier step.
#[derive(Clone, Debug)]
struct ProducedBookmark {
    node: NodeId,
    snapshot: SnapshotRef,
    output: OutputId,
    notes: String,
}

/// A side record on the way to a node.
#[derive(Clone, Debug)]
struct ProducedRecord {
    node: NodeId,
    snapshot: SnapshotRef,
    record: SideRecord,
}

/// Products of the steps on the way to a node, beside their notes, newest first.
#[derive(Clone, Debug, Default)]
pub struct Produced {
    artifacts: Vec<ProducedArtifact>,
    /// Artifacts that are shown by their digests alone.
    older: Vec<Digest>,
    artifacts_left_out: usize,
    bookmarks: Vec<ProducedBookmark>,
    bookmarks_left_out: usize,
    records: Vec<ProducedRecord>,
    records_left_out: usize,
}

/// The content of an artifact, as far as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactText {
    /// Its kind, if it names one, and its JSON.
    Whole(Option<String>, String),
    /// It is too large to be shown; its kind, if that is known.
    Large(Option<String>),
    /// It cannot be read, for this reason.
    Unreadable(String),
}

impl Produced {
    /// Selects the products on the way to `node`. Outputs that were submitted at a node that the run has left belong
    /// to its branches and are not shown there.
    pub fn select(run: &RunState, node: NodeId) -> Self {
        let mut produced = Self::default();
        let (mut traces, mut others) = (0, 0);
        for (at, next) in run.way_up(node) {
            let snapshot = at.snapshot;
            let is_told = next.is_some() || at.is_tip() || at.kind == NodeKind::Checkpoint;
            let mut outputs: Vec<(NodeId, &RecordedOutput)> = Vec::new();
            if is_told {
                outputs.extend(run.outputs_toward(at, next).into_iter().map(|own| (at.id, own)));
            }
            // A bookmark belongs to its step, and so to every branch through it.
            for bookmark in run.bookmarks_on(at).filter(|bookmark| bookmark.id != node) {
                let kept = run.outputs_toward(bookmark, None).into_iter();
                outputs.extend(kept.map(|kept| (bookmark.id, kept)));
            }
            // On the node itself, the recap shows the bookmarks.
            if next.is_some() {
                produced.add_bookmarks(at, &outputs);
            }
            for (node, output) in outputs.into_iter().rev() {
                let OutputPayload::ArtifactRef { sha256, byte_length, .. } = &output.payload else {
                    continue;
                };
                // The newest artifacts are shown with content, the next ones by digest, and the rest are only
                // counted.
                if produced.artifacts.len() == PRODUCED_ARTIFACTS_MAX {
                    if produced.older.len() < PRODUCED_DIGESTS_MAX {
                        produced.older.push(*sha256);
                    } else {
                        produced.artifacts_left_out += 1;
                    }
                    continue;
                }
                let (output, digest, bytes) = (output.id, *sha256, *byte_length);
                produced.artifacts.push(ProducedArtifact { node, snapshot, output, digest, bytes });
            }
            let node = at.id;
            let records = run.side_records_toward(at, next).filter(|_| is_told);
            for record in records.rev().filter(|record| record.has_lines()) {
                let is_trace = matches!(record.body, SideRecordBody::Trace(_));
                let (told, told_max) = if is_trace {
                    (&mut traces, TRACES_TOLD_MAX)
                } else {
                    (&mut others, SIDE_RECORDS_MAX)
                };
                if *told == told_max {
                    produced.records_left_out += 1;
                } else {
                    *told += 1;
                    let record = record.clone();
                    produced.records.push(ProducedRecord { node, snapshot, record });
                }
            }
        }
        produced
    }

    /// Adds the notes of the bookmarks among the outputs submitted at a step and on its bookmarks.
    fn add_bookmarks(&mut self, at: &RunNode, outputs: &[(NodeId, &RecordedOutput)]) {
        for (node, output) in outputs.iter().rev().filter(|(node, _)| *node != at.id) {
            let Some(notes) = output.notes() else { continue };
            if self.bookmarks.len() == BOOKMARKS_TOLD_MAX {
                self.bookmarks_left_out += 1;
                continue;
            }
            let (node, snapshot, output) = (*node, at.snapshot, output.id);
            let notes = notes.to_owned();
            self.bookmarks.push(ProducedBookmark { node, snapshot, output, notes });
        }
    }

    /// Returns the artifacts that are shown.
    pub fn artifacts(&self) -> &[ProducedArtifact] {
        &self.artifacts
    }

    /// Iterates over the nodes whose steps [`Produced::pieces`] asks for.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, SnapshotRef)> {
        let artifacts = self.artifacts.iter().map(|artifact| (artifact.node, artifact.snapshot));
        let bookmarks = self.bookmarks.iter().map(|bookmark| (bookmark.node, bookmark.snapshot));
        let records = self.records.iter().map(|record| (record.node, record.snapshot));
        artifacts.chain(bookmarks).chain(records)
    }

    /// Renders the text in pieces, each with the output that it comes from. Empty if there is nothing to show.
    /// `step_at` returns the step of a node and `text_of` the content of an artifact.
    pub fn pieces<'s>(
        &self,
        step_at: impl Fn(NodeId) -> Option<&'s PendingStep>,
        text_of: impl Fn(Digest) -> ArtifactText,
    ) -> Vec<RecapPiece> {
        let title = |node: NodeId| {
            let title = step_at(node).and_then(|step| headline(step.title.as_str()));
            shorten(title.unwrap_or("a step"), RECAP_TITLE_BYTES_MAX).into_owned()
        };
        let mut room = PRODUCED_BYTES_MAX;
        let mut pieces = Vec::new();
        if !self.artifacts.is_empty() {
            pieces.push(RecapPiece::composed(
                "## Artifacts of the steps so far, the newest step first\n",
            ));
        }
        for artifact in &self.artifacts {
            let text =
                artifact_text(artifact, &title(artifact.node), text_of(artifact.digest), room);
            room = room.saturating_sub(text.len());
            let source = Some((artifact.node, artifact.output));
            pieces.push(RecapPiece { text, source });
        }
        pieces.extend(self.older());
        let heading = |pieces: &[RecapPiece], text: &str| {
            let blank = if pieces.is_empty() { "" } else { "\n" };
            RecapPiece::composed([blank, text].concat())
        };
        if !self.bookmarks.is_empty() {
            pieces.push(heading(&pieces, "## Bookmarks on earlier steps, the newest step first\n"));
        }
        let mut room = BOOKMARKS_BYTES_MAX;
        for bookmark in &self.bookmarks {
            let notes = bookmark_text(bookmark.notes.trim(), &mut room);
            let text = format!("- {}: {notes}\n", title(bookmark.node));
            pieces.push(RecapPiece { text, source: Some((bookmark.node, bookmark.output)) });
        }
        pieces.extend(left_out(self.bookmarks_left_out));
        if !self.records.is_empty() {
            pieces.push(heading(&pieces, "## What else is on record, the newest first\n"));
        }
        for record in &self.records {
            for line in record.record.lines() {
                let line = line.replace('\n', "\n  ");
                let text = format!("- {}: {line}\n", title(record.node));
                pieces.push(RecapPiece::composed(text));
            }
        }
        pieces.extend(left_out(self.records_left_out));
        pieces
    }

    /// Lists the artifacts that are shown by their digests and counts those that are not shown. Returns `None` if
    /// there are neither.
    fn older(&self) -> Option<RecapPiece> {
        let count = self.older.len() + self.artifacts_left_out;
        if count == 0 {
            return None;
        }
        let head = if count == 1 {
            "1 older one. Read it with get_artifact by its digest:".to_owned()
        } else {
            format!("{count} older ones. Read each with get_artifact by its digest:")
        };
        let mut text = format!("- {head}\n");
        for digest in &self.older {
            writeln!(text, "  {digest}").expect("writing to a string does not fail");
        }
        if self.artifacts_left_out > 0 {
            writeln!(
                text,
                "  and {} more, which a person finds with `piton session show RUN`",
                self.artifacts_left_out
            )
            .expect("writing to a string does not fail");
        }
        Some(RecapPiece::composed(text))
    }
}

/// Returns the line that counts what is not listed, if anything is not.
fn left_out(count: usize) -> Option<RecapPiece> {
    (count > 0).then(|| {
        let (ones, are) = if count == 1 { ("one", "is") } else { ("ones", "are") };
        RecapPiece::composed(format!("- {count} older {ones} {are} left out.\n"))
    })
}

/// Returns the notes of a bookmark if there is room for them, else their first line.
fn bookmark_text(notes: &str, room: &mut usize) -> String {
    if let Some(left) = room.checked_sub(notes.len()) {
        *room = left;
        return notes.replace('\n', "\n  ");
    }
    let first = shorten(headline(notes).unwrap_or("notes"), RECAP_TITLE_BYTES_MAX);
    let bytes = notes.len();
    format!("{first} ({bytes} bytes, which a person finds with `piton session show RUN`)")
}

fn artifact_text(
    artifact: &ProducedArtifact,
    title: &str,
    content: ArtifactText,
    room: usize,
) -> String {
    let ProducedArtifact { digest, bytes, .. } = artifact;
    let (kind, content) = match content {
        ArtifactText::Whole(kind, text) => (kind, Ok(text)),
        ArtifactText::Large(kind) => (kind, Err(format!("{bytes} bytes"))),
        ArtifactText::Unreadable(reason) => (None, Err(format!("cannot be read: {reason}"))),
    };
    // The kind is the submitter's choice and may be any text: show one line of it, as long as a title at most.
    let kind = kind.as_deref().and_then(headline).unwrap_or("artifact");
    let kind = shorten(kind, RECAP_TITLE_BYTES_MAX);
    let mut text = format!("- {kind} of {title}: ");
    match content {
        Ok(json) if json.len() <= ARTIFACT_SHOWN_BYTES_MAX.min(room) => text.push_str(&json),
        Ok(_) => write!(text, "{bytes} bytes; get_artifact {{ \"digest\": \"{digest}\" }}")
            .expect("writing to a string does not fail"),
        Err(why) => write!(text, "{why}; get_artifact {{ \"digest\": \"{digest}\" }}")
            .expect("writing to a string does not fail"),
    }
    text.push('\n');
    text
}
