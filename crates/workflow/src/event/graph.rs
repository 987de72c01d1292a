//! The graph of a run: `run_started`, `node_created` and `edge_created`.
//!
//! *Invariants*: a branch has no id of its own; the edges to a leaf define it. An edge leads to a bookmark
//! exactly if its cause is the creation of a bookmark.

use piton_core::{BoundedText, EventId, NodeId, SnapshotRef, WorkflowHash, WorkflowId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::payload::PayloadError;
use super::strict_json::nullable;
use crate::bounds::SOURCE_REF_BYTES_MAX;
use crate::run::SourceKind;

piton_core::closed_set! {
    /// What a run node stands for.
    pub enum NodeKind {
        /// A place from which a run goes on.
        Step => "step",
        /// A bookmark on a step node. Nothing advances from it.
        Checkpoint => "checkpoint",
        /// An attempt that was blocked. It is read and never written: a block is recorded on the node
        /// where it happened.
        BlockedAttempt => "blocked_attempt",
    }
}

piton_core::closed_set! {
    /// How a run node came out of its parent.
    pub enum EdgeKind {
        /// The parent's pending step was done.
        AckedStep => "acked_step",
        /// A bookmark was made on the parent.
        Checkpoint => "checkpoint",
    }
}

piton_core::closed_set! {
    /// Why an edge was made.
    pub enum EdgeCause {
        /// An answer was repeated. It is read and never written: a repeated answer makes no edge.
        IdempotentReplay => "idempotent_replay",
        /// The run was continued from a tip.
        IntentionalFork => "intentional_fork",
        /// The run was continued from a node that had been continued before.
        NonTipAdvance => "non_tip_advance",
        /// A bookmark was made.
        CheckpointCreated => "checkpoint_created",
    }
}

/// A run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunStarted {
    /// The workflow, as people name it.
    pub workflow_id: WorkflowId,
    /// The compiled workflow. The run follows this and nothing else.
    pub workflow_hash: WorkflowHash,
    /// Where its source was found.
    #[serde(rename = "workflowSourceKind")]
    pub source_kind: SourceKind,
    /// Which source that was. What it means depends on the kind; it is shown and never opened.
    #[serde(rename = "workflowSourceRef")]
    pub source_ref: BoundedText<SOURCE_REF_BYTES_MAX>,
}

/// The required fields. Without this list, the schema would treat a field that may be `null` as one that may
/// be left out.
const REQUIRED: [&str; 4] = ["nodeKind", "parentNodeId", "workflowHash", "snapshotRef"];

/// A run has a new node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("required" = REQUIRED))]
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

/// Two nodes are joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "UncheckedEdge")]
pub struct EdgeCreated {
    cause: Cause,
    edge_kind: EdgeKind,
    from_node_id: NodeId,
    to_node_id: NodeId,
}

/// Why an edge was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cause {
    /// The event of this session that records it.
    pub event_id: EventId,
    /// What happened.
    pub kind: EdgeCause,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UncheckedEdge {
    edge_kind: EdgeKind,
    from_node_id: NodeId,
    to_node_id: NodeId,
    cause: Cause,
}

impl EdgeCreated {
    /// Creates an edge, unless its kind cannot have this cause.
    pub fn new(
        kind: EdgeKind,
        from: NodeId,
        to: NodeId,
        cause: Cause,
    ) -> Result<Self, PayloadError> {
        // Both or neither: the comparison refuses each of the two mixed cases.
        let bookmark = matches!(cause.kind, EdgeCause::CheckpointCreated);
        if bookmark != matches!(kind, EdgeKind::Checkpoint) {
            return Err(PayloadError::EdgeCause { kind, cause: cause.kind });
        }
        Ok(Self { edge_kind: kind, from_node_id: from, to_node_id: to, cause })
    }

    /// Returns the way in which the second node follows from the first.
    pub const fn kind(&self) -> EdgeKind {
        self.edge_kind
    }

    /// Returns the node that the edge leaves.
    pub const fn from(&self) -> NodeId {
        self.from_node_id
    }

    /// Returns the node that it reaches.
    pub const fn to(&self) -> NodeId {
        self.to_node_id
    }

    /// Returns the reason that it was made.
    pub const fn cause(&self) -> Cause {
        self.cause
    }
}

impl TryFrom<UncheckedEdge> for EdgeCreated {
    type Error = PayloadError;

    fn try_from(edge: UncheckedEdge) -> Result<Self, PayloadError> {
        Self::new(edge.edge_kind, edge.from_node_id, edge.to_node_id, edge.cause)
    }
}
