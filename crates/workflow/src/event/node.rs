//! `node_created`: a run has a new node.

use piton_core::{NodeId, SnapshotRef, WorkflowHash};
use serde::{Deserialize, Serialize};

use super::field::nullable;
use crate::topology::NodeKind;

/// The required fields. Without this list, the schema would treat a field that may be `null` as one that may
/// be left out.
#[cfg(feature = "schema")]
const REQUIRED: [&str; 4] = ["nodeKind", "parentNodeId", "workflowHash", "snapshotRef"];

/// A run has a new node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("required" = REQUIRED)))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeCreated {
    /// What it stands for.
    pub node_kind: NodeKind,
    /// The node that it came out of; none for the root of the run, and `null` in JSON.
    #[serde(deserialize_with = "nullable")]
    pub parent_node_id: Option<NodeId>,
    /// What is needed to go on from here.
    pub snapshot_ref: SnapshotRef,
    /// The compiled workflow, equal to the one of the run.
    pub workflow_hash: WorkflowHash,
}
