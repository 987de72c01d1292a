//! A run as a document of the index.
//!
//! *Invariants*: a document holds what a summary holds, and the current notes and small artifacts of the run's nodes. No
//! token, prompt or context value enters it, the goal aside.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use piton_core::{Digest, RunId, canonical};
use piton_store::bounds::{INDEX_BATCH_MAX, INDEX_TEXT_BYTES_MAX};
use piton_store::index::tokens;
use piton_store::port::{
    Collection, Cursor, Document, FieldValue, Index, IndexedSource, SourceEntry,
};
use piton_store::{IndexName, StreamId};

use crate::bounds::RUN_INDEX_ARTIFACTS_MAX;
use crate::compile::CompiledStep;
use crate::event::{OutputChannel, OutputPayload};
use crate::label::label;
use crate::projection::{
    ArtifactText, RunState, RunSummary, SUMMARY_VERSION, SessionState, TipState,
};
use crate::session::PinnedWorkflow;

/// Version of the fields and the text of a document.
const DOCUMENT_VERSION: u32 = 2;

piton_core::closed_set! {
    /// A field that runs are filtered, counted and sorted by.
    pub enum RunField {
        /// How far the run is.
        Status => "status",
        /// The id of its workflow.
        Workflow => "workflow",
        /// What people call it.
        Label => "label",
        /// The branch that was checked out.
        Branch => "branch",
        /// The commit that was checked out.
        Head => "head",
        /// The session.
        Session => "session",
        /// The run.
        Run => "run",
        /// The id of its pending step.
        Step => "step",
        /// When it began, in milliseconds.
        Started => "started",
        /// When its newest event was recorded, in milliseconds.
        Active => "active",
        /// How many gaps are open.
        Gaps => "gaps",
        /// How many nodes it has.
        Nodes => "nodes",
        /// How many tips it has.
        Tips => "tips",
        /// Set to 1 if its text has a word of ASCII and other characters.
        Mixed => "mixed",
        /// Set to 1 if its pending step may ask a person something.
        Asks => "asks",
    }
}

impl RunField {
    /// Returns the name in the index.
    pub fn name(self) -> IndexName {
        self.as_str().parse().expect("letters are a name")
    }
}

/// The collection of runs. Its sources are sessions.
pub(super) fn runs() -> Collection {
    Collection { name: name("runs"), version: (SUMMARY_VERSION << 8) | DOCUMENT_VERSION }
}

/// The collection of sessions that cannot be read, each with the ids of its runs, as far as they are known.
pub(super) fn unreadable() -> Collection {
    Collection { name: name("unreadable-sessions"), version: 1 }
}

fn name(text: &str) -> IndexName {
    text.parse().expect("letters are a name")
}

/// Removes deleted sessions from an index.
pub async fn remove_from_index(
    index: &dyn Index,
    sessions: impl IntoIterator<Item = StreamId>,
) -> Result<(), piton_store::Error> {
    let sessions: Vec<String> = sessions.into_iter().map(|stream| stream.to_string()).collect();
    for some in sessions.chunks(INDEX_BATCH_MAX) {
        index.remove(&runs().name, some.to_vec()).await?;
        index.remove(&unreadable().name, some.to_vec()).await?;
    }
    Ok(())
}

/// The summary of one session, made from its events.
#[derive(Clone, Debug)]
pub(super) struct SessionSummary {
    /// The end of the events that it was made from.
    pub(super) cursor: Cursor,
    /// Its runs, in the order of their start.
    pub(super) runs: Vec<RunDocument>,
}

/// The content of a run that its document needs, beside the events.
pub(super) struct RunContent {
    pub(super) run: RunId,
    pub(super) tip: TipState,
    pub(super) workflow: Arc<PinnedWorkflow>,
    /// Those of [`indexed_artifacts`].
    pub(super) artifacts: Vec<Arc<ArtifactText>>,
}

/// A run in the index.
#[derive(Clone, Debug)]
pub(super) struct RunDocument {
    run: Arc<RunSummary>,
    /// The text that words are searched in.
    text: String,
    /// Set if its pending step may ask a person something.
    asks: bool,
}

impl RunDocument {
    /// Describes a run of `session` at its preferred tip. Returns `None` for a run without a node.
    pub(super) fn of(session: &SessionState, content: &RunContent) -> Option<Self> {
        let (run, workflow) = (session.run(content.run)?, &content.workflow.workflow);
        let summary = RunSummary::of(session, run, &content.tip, workflow)?;
        let pending = summary.step.as_ref().and_then(|step| workflow.step(&step.step_id));
        let asks = pending.is_some_and(CompiledStep::may_ask);
        let mut text = text(&summary, run);
        add_artifacts(&mut text, &content.artifacts);
        Some(Self { run: Arc::new(summary), text, asks })
    }

    fn fields(&self) -> BTreeMap<IndexName, FieldValue> {
        let mut fields = fields(&self.run, &self.text);
        if self.asks {
            fields.insert(RunField::Asks.name(), FieldValue::Number(1));
        }
        fields
    }
}

impl SessionSummary {
    pub(super) fn runs(&self) -> impl Iterator<Item = Arc<RunSummary>> + '_ {
        self.runs.iter().map(|document| Arc::clone(&document.run))
    }

    /// Returns what the index keeps of the session. Leaves out a run that has no canonical form, as is the case for a
    /// time that no clock shows.
    pub(super) fn source(&self, stream: &StreamId) -> IndexedSource {
        let documents = self.runs.iter().enumerate().filter_map(|(number, document)| {
            let payload = canonical::encode(&*document.run).ok()?.as_bytes().to_vec();
            // Numbers of equal length are in the order of their texts.
            let id = format!("{number:06}");
            Some(Document { id, fields: document.fields(), text: document.text.clone(), payload })
        });
        IndexedSource {
            name: stream.to_string(),
            cursor: self.cursor.to_string().into_bytes(),
            documents: documents.collect(),
        }
    }
}

/// Returns what is kept of a session that cannot be read.
pub(super) fn unreadable_source(stream: &StreamId, runs: &[RunId]) -> IndexedSource {
    let payload = serde_json::to_vec(runs).expect("ids are texts");
    let fields = BTreeMap::from([(RunField::Session.name(), FieldValue::from(stream.as_str()))]);
    let text = String::new();
    let documents = vec![Document { id: "runs".to_owned(), fields, text, payload }];
    IndexedSource { name: stream.to_string(), cursor: Vec::new(), documents }
}

/// Returns the text in which a run is found by words: its label, its goal, the notes at its tip, its workflow, the
/// titles of its steps, and the notes of its other nodes, as many as fit.
fn text(summary: &RunSummary, run: &RunState) -> String {
    let RunSummary { label, title, goal, recap, workflow, tip, .. } = summary;
    let mut text = label.to_string();
    let mut add = |part: &str| {
        // One more byte is for the line break. Parts before the notes of nodes always fit.
        let room = INDEX_TEXT_BYTES_MAX.saturating_sub(text.len() + 1);
        let part = &part[..part.floor_char_boundary(room)];
        if !part.is_empty() {
            text.push('\n');
            text.push_str(part);
        }
    };
    add(goal.as_ref().map_or(title.as_str(), |goal| goal.as_str()));
    add(recap.as_ref().map_or("", |recap| recap.as_str()));
    add(workflow.id.as_str());
    add(workflow.name.as_deref().unwrap_or_default());
    workflow.step_titles.iter().for_each(|title| add(title));
    // The newest come first, because the oldest are what a person looks for least.
    for node in run.graph.nodes().rev().filter(|node| node.id != *tip) {
        if let Some(notes) = run.outputs.recap(node.id) {
            add(notes);
        }
    }
    text
}

/// Returns the artifacts whose content is part of the text of a run, the newest first.
pub(super) fn indexed_artifacts(run: &RunState) -> Vec<Digest> {
    let nodes = run.graph.nodes().rev();
    let outputs = nodes.flat_map(|node| run.outputs.current(node.id, OutputChannel::Artifact));
    let digest = |payload: &OutputPayload| match payload {
        OutputPayload::ArtifactRef { sha256, .. } => Some(*sha256),
        OutputPayload::Notes { .. } => None,
    };
    outputs.filter_map(|output| digest(&output.payload)).take(RUN_INDEX_ARTIFACTS_MAX).collect()
}

/// Adds artifacts to the text of a run, as many as fit. One that is long or cannot be read is left out.
fn add_artifacts(text: &mut String, artifacts: &[Arc<ArtifactText>]) {
    for artifact in artifacts {
        if let ArtifactText::Whole(_, artifact) = &**artifact
            && text.len() + 1 + artifact.len() <= INDEX_TEXT_BYTES_MAX
        {
            text.push('\n');
            text.push_str(artifact);
        }
    }
}

fn fields(run: &RunSummary, text: &str) -> BTreeMap<IndexName, FieldValue> {
    let RunSummary { surroundings, step, .. } = run;
    let number =
        |number: usize| Some(FieldValue::Number(i64::try_from(number).unwrap_or(i64::MAX)));
    let time = |time: piton_core::TimestampMs| {
        Some(FieldValue::Number(i64::try_from(time.0).unwrap_or(i64::MAX)))
    };
    let text_of = |text: &str| Some(FieldValue::from(text));
    // Most texts are ASCII, and need not be cut into words for this.
    let is_mixed = !text.is_ascii()
        && tokens(text).any(|token| {
            let ascii = token.token.bytes().filter(u8::is_ascii).count();
            ascii > 0 && ascii < token.token.len()
        });
    let value = |field: RunField| match field {
        RunField::Status => text_of(run.status.as_str()),
        RunField::Workflow => text_of(run.workflow.id.as_str()),
        RunField::Label => text_of(&run.label.to_string()),
        RunField::Branch => {
            surroundings.branch.as_ref().and_then(|branch| text_of(branch.as_str()))
        }
        RunField::Head => surroundings.head_sha.as_ref().and_then(|sha| text_of(sha.as_str())),
        RunField::Session => text_of(&run.session_id.to_string()),
        RunField::Run => text_of(&run.run_id.to_string()),
        RunField::Step => step.as_ref().and_then(|step| text_of(step.step_id.as_str())),
        RunField::Started => time(run.started_at),
        RunField::Active => time(run.active_at),
        RunField::Gaps => number(run.open_gaps),
        RunField::Nodes => number(run.nodes),
        RunField::Tips => number(run.tips),
        RunField::Mixed => number(1).filter(|_| is_mixed),
        // Its workflow knows, and the caller adds it.
        RunField::Asks => None,
    };
    RunField::ALL.iter().filter_map(|field| Some((field.name(), value(*field)?))).collect()
}

/// Reads a run that the index has for a session. Returns `None` if it cannot be right.
pub(super) fn decode(source: &str, payload: &[u8]) -> Option<RunSummary> {
    let run: RunSummary = serde_json::from_slice(payload).ok()?;
    let is_sound = run.session_id.to_string() == source && run.label == label(run.run_id);
    is_sound.then_some(run)
}

/// Reads what the index has of a session. Returns `None` if it cannot be right: the index is not trusted, a document
/// may be damaged, or belong to another stream.
pub(super) fn decode_source(entry: &SourceEntry) -> Option<Vec<Arc<RunSummary>>> {
    let cursor = decode_cursor(&entry.cursor)?;
    let mut met = BTreeSet::new();
    let run = |(_, payload): &(String, Vec<u8>)| {
        let run = decode(&entry.name, payload)?;
        let is_sound = run.activity < cursor.next_event() && met.insert(run.run_id);
        is_sound.then(|| Arc::new(run))
    };
    entry.documents.iter().map(run).collect()
}

pub(super) fn decode_cursor(bytes: &[u8]) -> Option<Cursor> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}
