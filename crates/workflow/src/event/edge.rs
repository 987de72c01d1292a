//! `edge_created`: two nodes of a run were joined.
//!
//! *Invariants*: an edge leads to a bookmark exactly if its cause is the creation of a bookmark.

use piton_core::{EventId, NodeId};
use serde::{Deserialize, Serialize};

use super::payload_error::PayloadError;
use crate::topology::{EdgeCause, EdgeKind};

/// Two nodes are joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", try_from = "UncheckedEdge")]
pub struct EdgeCreated {
    cause: Cause,
    edge_kind: EdgeKind,
    from_node_id: NodeId,
    to_node_id: NodeId,
}

/// Why an edge was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cause {
    /// The event of this session that records it.
    pub event_id: EventId,
    /// What happened.
    pub kind: EdgeCause,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
