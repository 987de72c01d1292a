//! Sessions, their runs and artifacts, as the command line or a web page shows them to people.

use piton_core::{Digest, Envelope, EventIndex, NodeId, OutputId, RunId, SessionId, TimestampMs};
use piton_workflow::event::Preferences;
use piton_workflow::label::Label;
use piton_workflow::projection::{ArtifactText, PersonDecision, PersonName, RunSummary};
use piton_workflow::{BlockerCode, EdgeCause, GapSeverity, NodeKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::shown_list::{ReplyRoom, ShownList};

/// Every run, the newest first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// The runs, that with the newest event first.
    pub runs: Vec<RunSummary>,
    /// Sessions that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub troubled: Vec<TroubledSession>,
}

/// A session that cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TroubledSession {
    /// The session, as its directory is called.
    pub session_id: String,
    /// What people call its runs, as far as that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// What is wrong, and what to do.
    pub trouble: Envelope,
}

/// A session with its runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionShown {
    /// The session.
    pub session_id: SessionId,
    /// Whether it stays when its time is over.
    pub kept: bool,
    /// Its runs, in the order of their start.
    pub runs: Vec<RunShown>,
}

/// A run with the steps that led to where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunShown {
    /// The run, summed up.
    pub summary: RunSummary,
    /// The node that was asked for, if the run stands elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// What it prefers there.
    pub preferences: Preferences,
    /// The steps from its start to that node, or to its preferred tip. Other branches are in its tree.
    pub steps: Vec<StepShown>,
    /// How many earlier steps are left out.
    pub left_out: usize,
}

impl SessionShown {
    /// Keeps the newest steps that fit into a reply to a page. The others are counted.
    #[must_use]
    pub fn fit(mut self) -> Self {
        let mut room = ReplyRoom::new();
        for run in &mut self.runs {
            let ShownList { items, left_out } = room.newest(std::mem::take(&mut run.steps));
            (run.steps, run.left_out) = (items, run.left_out + left_out);
        }
        self
    }
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepShown {
    /// Its node.
    pub node_id: NodeId,
    /// Its title; nothing at the end of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The notes that were submitted for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// What was submitted for it beside notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactShown>,
    /// What else was recorded with it, in sentences: divergences, observations, explanations of the engine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<String>,
    /// What persons decided about it, the newest first: that one counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionShown>,
    /// Why it was sent back, each time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockShown>,
    /// What is recorded as missing, decisions of persons aside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<GapShown>,
    /// How many bookmarks hang on it.
    pub bookmarks: usize,
    /// What those of them keep that keep anything, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bookmarked: Vec<BookmarkShown>,
}

/// What a bookmark keeps.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookmarkShown {
    /// Its node.
    pub node_id: NodeId,
    /// When it was made.
    pub at: TimestampMs,
    /// Its notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// What it keeps beside notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactShown>,
}

/// What a person decided about a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionShown {
    /// What they decided.
    #[serde(flatten)]
    pub decision: PersonDecision,
    /// Who, if they gave a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<PersonName>,
    /// The event that recorded it.
    pub event: EventIndex,
    /// When that was.
    pub at: TimestampMs,
}

/// Why an output was sent back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockShown {
    /// What kind of thing was missing.
    pub code: BlockerCode,
    /// What was missing.
    pub message: String,
}

/// Something that is recorded as missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GapShown {
    /// How bad it is.
    pub severity: GapSeverity,
    /// What.
    pub summary: String,
    /// Whether it is still missing.
    pub is_open: bool,
}

/// The graph of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunTree {
    /// The run, summed up.
    pub summary: RunSummary,
    /// Its nodes, in the order in which they were made; a parent comes before its children.
    pub nodes: Vec<TreeNode>,
}

/// A node of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    /// The node.
    pub node_id: NodeId,
    /// The node that it came from; nothing for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<NodeId>,
    /// A step or a bookmark.
    pub kind: NodeKind,
    /// Why it branched off, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<EdgeCause>,
    /// The place of its step in the workflow, from one; nothing at the end of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The title of its step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The first line of its notes; where it was left several times, of those that the run follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// The first line of the notes that led here, if other notes led from the same node elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_headline: Option<String>,
    /// How often an output for it was sent back.
    pub blocked: usize,
    /// How many gaps on it are open.
    pub open_gaps: usize,
    /// Whether nothing came after it.
    pub is_tip: bool,
    /// Whether it is where the run goes on.
    pub is_preferred_tip: bool,
    /// Whether it lies on the way to that.
    pub is_on_path: bool,
    /// The event that made it.
    pub created: EventIndex,
}

/// The preferences in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppliedPreferences {
    /// What holds.
    pub preferences: Preferences,
    /// The file that was written, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_to: Option<String>,
    /// That something stronger than what was written holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A part of an artifact, as an agent reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactPart {
    /// The digest of the whole artifact.
    pub digest: Digest,
    /// What it says it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// How many bytes the whole artifact has.
    pub bytes: usize,
    /// Where this part begins.
    pub offset: usize,
    /// The part: JSON, whole if there is no `nextOffset`.
    pub text: String,
    /// Where the next part begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

impl ArtifactPart {
    /// Renders the part as text.
    pub fn text(&self) -> String {
        let Self { digest, kind, bytes, text, next_offset, .. } = self;
        let kind = kind.as_deref().unwrap_or("artifact");
        match next_offset {
            None => format!("{kind} ({bytes} bytes)\n\n{text}"),
            Some(next) => format!(
                "{kind} ({bytes} bytes, of which this is a part)\n\n{text}\n\nNext: get_artifact {{ \"digest\": \
                 \"{digest}\", \"offset\": {next} }}"
            ),
        }
    }
}

/// An artifact among others.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactShown {
    /// The output that it is.
    pub output_id: OutputId,
    /// The digest of its bytes; `piton session artifact` reads it whole.
    pub digest: Digest,
    /// How many bytes it has.
    pub bytes: u32,
    /// What it says it is; nothing if it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it holds, if it is small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

impl ArtifactShown {
    pub(crate) fn new(output_id: OutputId, digest: Digest, bytes: u32, text: ArtifactText) -> Self {
        let (kind, content, unreadable) = match text {
            ArtifactText::Whole(kind, text) => (kind, serde_json::from_str(&text).ok(), None),
            ArtifactText::Large(kind) => (kind, None, None),
            ArtifactText::Unreadable(reason) => (None, None, Some(reason)),
        };
        Self { output_id, digest, bytes, kind, content, unreadable }
    }
}

/// An artifact of a run, read whole by a person.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionArtifact {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The node that it was submitted at.
    pub node_id: NodeId,
    /// The output that it is.
    pub output_id: OutputId,
    /// The digest of its bytes, which was checked.
    pub digest: Digest,
    /// What it says it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it holds.
    pub content: Value,
}
