//! Replies about origins and forks, and the result of a comparison.

use piton_backpack::BackpackId;
use piton_core::{Digest, EventIndex, NodeId, OutputId, RunId, SessionId, TimestampMs};
use piton_workflow::session::NextCall;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::reference::ThingKind;
use crate::reply::{ArtifactShown, DecisionShown};
use crate::text_diff::DiffLine;

/// A step on the way to a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChainLink {
    /// Its node.
    pub node_id: NodeId,
    /// The step that was pending there; nothing at the end of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When the run came there.
    pub at: TimestampMs,
    /// What was submitted for it.
    pub outputs: Vec<OutputShown>,
    /// What persons decided about it, the newest first: that one counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionShown>,
    /// What else was recorded with that, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<String>,
    /// The bookmarks on it that keep something, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bookmarks: Vec<BookmarkLink>,
}

/// A bookmark with what it keeps.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookmarkLink {
    /// Its node.
    pub node_id: NodeId,
    /// When it was made.
    pub at: TimestampMs,
    /// What it keeps.
    pub outputs: Vec<OutputShown>,
}

/// Something that was submitted for a step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutputShown {
    /// The output.
    pub output_id: OutputId,
    /// The event that recorded it.
    pub event: EventIndex,
    /// When that was.
    pub at: TimestampMs,
    /// `notes`, or what the bytes of an artifact are.
    pub kind: String,
    /// The digest of what it holds.
    pub digest: Digest,
    /// The first line of notes, or the beginning of a small artifact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// The artifact, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactShown>,
}

/// The steps behind a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeBlame {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The run as people call it.
    pub label: String,
    /// Its workflow.
    pub workflow_id: String,
    /// The node.
    pub node_id: NodeId,
    /// The steps from the start of the run to the node, the oldest first.
    pub chain: Vec<ChainLink>,
    /// How many earlier steps are left out.
    pub left_out: usize,
}

/// A recap, line by line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecapBlame {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The node that the recap is for.
    pub node_id: NodeId,
    /// The lines.
    pub lines: Vec<RecapLine>,
}

/// A line of a recap.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecapLine {
    /// The line.
    pub text: String,
    /// What it came from; nothing if Piton composed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<RecapSource>,
}

/// What a line of a recap came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecapSource {
    /// The node that it was recorded at.
    pub node_id: NodeId,
    /// The output; nothing if it is what a person decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_id: Option<OutputId>,
    /// The event that recorded it.
    pub event: EventIndex,
    /// When that was.
    pub at: TimestampMs,
}

/// A node that a branch can begin at. Nothing was written.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Forked {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The run as people call it.
    pub label: String,
    /// What names the run on the command line: its label, or its session if another run has the same label.
    pub name: String,
    /// The node.
    pub node_id: NodeId,
    /// The step that is pending there.
    pub step: String,
    /// Its title.
    pub title: String,
    /// Whether the run went on from there before: then an output makes a branch.
    pub was_left: bool,
    /// Where the branch that it went on with stands, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_tip: Option<NodeId>,
    /// The call that takes up the node.
    pub next_call: NextCall,
}

/// Something that was forked, or that can be.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ForkedThing {
    /// A run of a workflow. Nothing was written.
    Run(Forked),
    /// A run of a flow. Nothing was written.
    Flow(ForkedFlow),
    /// A backpack. The fork is there.
    Backpack(ForkedBackpack),
    /// An overlay. The fork is there.
    Overlay(ForkedOverlay),
}

/// A run of a flow, and the node to run it again from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForkedFlow {
    /// The backpack that keeps the run.
    pub backpack: BackpackId,
    /// The node.
    pub node: String,
    /// The last commit before it.
    pub commit: String,
    /// What the fork will be called; it gets an id if it has no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<BackpackId>,
    /// The command that makes the fork and runs it.
    pub command: String,
}

/// A backpack that was forked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForkedBackpack {
    /// The fork.
    pub backpack: BackpackId,
    /// What it was taken from.
    pub of: BackpackId,
    /// The last commit that it holds; nothing if it was taken before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// How many keys are in use in it, without what the runner of flows notes for itself.
    pub keys: usize,
}

/// An overlay that was forked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForkedOverlay {
    /// The fork.
    pub overlay: String,
    /// What it was taken from.
    pub of: String,
    /// What both lie over.
    pub over: String,
    /// How many changes both show.
    pub changes: usize,
}

/// Two things of one kind, compared.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThingComparison {
    /// What they are.
    pub kind: ThingKind,
    /// What both come from; nothing if they have nothing in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ancestor: Option<Ancestor>,
    /// The first.
    pub left: BranchSide,
    /// The second.
    pub right: BranchSide,
    /// Of runs: what was submitted on both sides for a step of the same id, and differs, or on one side alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<ChangedOutput>,
    /// Of runs: the keys of the context that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ChangedKey>,
    /// What a reader should know about what is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[cfg(feature = "flow")]
impl ThingComparison {
    /// Compares two states of one kind, which have no steps. `ancestor` names what both come from.
    pub(crate) fn of_states(
        kind: ThingKind,
        ancestor: Option<String>,
        left: BranchSide,
        right: BranchSide,
        notes: Vec<String>,
    ) -> Self {
        let ancestor = ancestor.map(|name| Ancestor { name, ..Ancestor::default() });
        let (outputs, context) = (Vec::new(), Vec::new());
        Self { kind, ancestor, left, right, outputs, context, notes }
    }
}

/// What two things come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ancestor {
    /// How it is named: a run with its node, a backpack with its commit, a Workspace, or a tree.
    pub name: String,
    /// Of runs: the last step that both have, without what was submitted for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<ChainLink>,
    /// Of runs: what was written at that step, on whichever side: both sides were at it.
    pub written: WrittenThings,
}

/// What one side did since the common ancestor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchSide {
    /// How it is named: what can be typed to mean it again.
    pub name: String,
    /// Of runs: the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// Of runs: the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// Of runs: the steps since the common ancestor, that one included: its output is each side's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<ChainLink>,
    /// Of backpacks: what nodes and agents did since, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CommitTaken>,
    /// How many later commits are left out.
    pub commits_left_out: usize,
    /// What it wrote since. Without a common ancestor the second backpack is shown against the first.
    pub written: WrittenThings,
}

/// A commit of one side.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitTaken {
    /// What is enough to name it.
    pub commit: String,
    /// When.
    pub at: TimestampMs,
    /// Who.
    pub by: String,
    /// What was done.
    pub action: String,
    /// To which key.
    pub key: String,
    /// A few words about the value; a protected one is not shown.
    pub summary: String,
}

/// What was submitted for a step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedOutput {
    /// The step.
    pub step: String,
    /// The kind of the artifact; nothing for notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// The digest of what it holds on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Digest>,
    /// The digest of what it holds on the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<Digest>,
    /// The difference, line by line.
    pub diff: Vec<DiffLine>,
    /// How many lines of it are left out.
    pub left_out: usize,
}

/// A key that differs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedKey {
    /// The key.
    pub key: String,
    /// Its value on the left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Value>,
    /// Its value on the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<Value>,
}

/// Keys, files and frames that were written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WrittenThings {
    /// The keys of backpacks, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyWritten>,
    /// How many more keys there are.
    pub keys_left_out: usize,
    /// The files, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileWritten>,
    /// How many more files there are.
    pub files_left_out: usize,
    /// The frames, in order. Of two trees: those about what differs, against those about what was there before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameWritten>,
    /// How many more frames there are.
    pub frames_left_out: usize,
}

impl WrittenThings {
    /// True if nothing was written.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.files.is_empty() && self.frames.is_empty()
    }
}

piton_core::closed_set! {
    /// What happened to a key, a file or a frame.
    pub enum WrittenKind {
        /// It is new.
        Added => "added",
        /// It is another.
        Modified => "modified",
        /// It is gone.
        Deleted => "deleted",
    }
}

#[cfg(feature = "flow")]
impl WrittenKind {
    /// Returns the kind of change of something that was there before, or is there now.
    pub(crate) fn between(was_there: bool, is_there: bool) -> Self {
        match (was_there, is_there) {
            (false, _) => Self::Added,
            (true, true) => Self::Modified,
            (true, false) => Self::Deleted,
        }
    }
}

/// A key that was written: what it held is shown in a few words, unless it is protected.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyWritten {
    /// The backpack.
    pub backpack: String,
    /// The key.
    pub key: String,
    /// What became of it.
    #[serde(flatten)]
    pub became: Became<String>,
}

/// A file that was written: its contents are shown by their digests.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileWritten {
    /// Its path.
    pub path: String,
    /// What became of it.
    #[serde(flatten)]
    pub became: Became<Digest>,
}

/// The frame of an agent that was made, and the one of the same type that it came after: both are shown by their ids.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameWritten {
    /// The file or directory that it is about.
    pub path: String,
    /// What it says about that.
    pub frame_type: String,
    /// What became of it.
    #[serde(flatten)]
    pub became: Became<Digest>,
}

/// What became of something that was written; `Held` stands for what it holds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Became<Held> {
    /// What happened.
    pub kind: WrittenKind,
    /// Who did it last, if that is known; of a frame, whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What it held before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Held>,
    /// What it holds since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Held>,
    /// How that differs, line by line; empty if it is protected or no text, or if Piton does not keep both.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diff: Vec<DiffLine>,
    /// Lines that are left out.
    pub left_out: usize,
}
