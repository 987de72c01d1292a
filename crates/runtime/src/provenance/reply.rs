//! Replies about the origin of things.

use piton_backpack::BackpackId;
use piton_core::{Digest, EventIndex, NodeId, OutputId, RunId, SessionId, TimestampMs};
use piton_workflow::session::NextCall;
use schemars::JsonSchema;
use serde::Serialize;

use crate::reply::{ArtifactShown, DecisionShown};

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

/// Something that was handed in for a step.
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
