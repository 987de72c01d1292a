//! The result of a comparison.

use piton_core::{Digest, NodeId, RunId, TimestampMs};
use serde::Serialize;
use serde_json::Value;

use super::reply::ChainLink;
use super::thing::ThingKind;
use super::written::WrittenThings;
use crate::text_diff::DiffLine;

/// Two things of one kind, compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
