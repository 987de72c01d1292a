//! The subject of an event: a run, or a node of a run.

use piton_core::{NodeId, RunId};
use serde::{Deserialize, Serialize};

use super::field::present;

/// A node and its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeScope {
    pub run: RunId,
    pub node: NodeId,
}

/// The scope of any event, as its envelope writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventScope {
    /// The node.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// The run.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
}

impl From<RunId> for EventScope {
    fn from(run: RunId) -> Self {
        Self { run_id: Some(run), node_id: None }
    }
}

impl From<NodeScope> for EventScope {
    fn from(scope: NodeScope) -> Self {
        Self { run_id: Some(scope.run), node_id: Some(scope.node) }
    }
}
