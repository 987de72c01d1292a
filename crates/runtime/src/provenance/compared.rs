//! The result of a comparison.

use piton_core::{Digest, NodeId, RunId, TimestampMs};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::reference::ThingKind;
use super::reply::ChainLink;
use crate::text_diff::DiffLine;

/// Two things of one kind, compared.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// What they are.
    pub kind: ThingKind,
    /// What both come from; nothing if they have nothing in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ancestor: Option<Ancestor>,
    /// The first.
    pub left: BranchSide,
    /// The second.
    pub right: BranchSide,
    /// Of runs: what was handed in on both sides for a step of the same id, and differs, or on one side alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<ChangedOutput>,
    /// Of runs: the keys of the context that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ChangedKey>,
    /// What a reader should know of what is told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What two things come from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ancestor {
    /// How it is named: a run with its node, a backpack with its commit, a Workspace, or a tree.
    pub name: String,
    /// Of runs: the last step that both have, without what was handed in for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<ChainLink>,
    /// Of runs: what was written at that step, on whichever side: both sides were at it.
    pub written: WrittenThings,
}

/// What one side did since the common ancestor.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
    /// What it wrote since. Without a common ancestor the second backpack is told against the first.
    pub written: WrittenThings,
}

impl BranchSide {
    /// Creates a side about which nothing is known but its writes.
    #[cfg(feature = "flow")]
    pub(super) fn of(name: String, written: WrittenThings) -> Self {
        Self {
            name,
            run_id: None,
            node_id: None,
            steps: Vec::new(),
            commits: Vec::new(),
            commits_left_out: 0,
            written,
        }
    }
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

/// What was handed in for a step.
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

/// A key that was written: what it held is told in a few words, unless it is protected.
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

/// A file that was written: its contents are told by their digests.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileWritten {
    /// Its path.
    pub path: String,
    /// What became of it.
    #[serde(flatten)]
    pub became: Became<Digest>,
}

/// The frame of an agent that was made, and the one of the same type that it came after: both are told by their ids.
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
