//! The graph of a run, as data to draw.

use piton_core::{EventIndex, NodeId};
use piton_workflow::projection::RunSummary;
use piton_workflow::{EdgeCause, NodeKind};
use serde::Serialize;

/// The graph of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunTree {
    /// The run, summed up.
    pub summary: RunSummary,
    /// Its nodes, in the order in which they were made; a parent comes before its children.
    pub nodes: Vec<TreeNode>,
}

/// A node of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
