//! Replies about forks.

use piton_backpack::BackpackId;
use serde::Serialize;

use super::reply::Forked;

/// Something that was forked, or that can be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
