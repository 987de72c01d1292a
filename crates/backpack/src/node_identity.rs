//! The identity of a node, to which every item, commit and event is attributed.

use piton_core::Namespace;
use serde::{Deserialize, Serialize};

use crate::text::{NodeId, NodeName, TextError};

/// A flow node as a backpack knows it. It is bound to a [`Scope`](crate::Scope) once, and is an argument of no call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeIdentity {
    /// Which node.
    #[serde(rename = "nodeId")]
    pub id: NodeId,
    /// What people call it.
    #[serde(rename = "nodeName")]
    pub name: NodeName,
    /// Where it stands in its flow, as a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Namespace>,
}

impl NodeIdentity {
    /// The id of the owner that made the backpack and packed its first items.
    pub const SYSTEM: &'static str = "system";

    /// The id under which flows are run. What the runner needs to resume them is limited to this id; no agent and no
    /// node has it.
    pub const FLOW_RUNNER: &'static str = "flow";

    /// Creates the identity of a node without a namespace.
    pub fn new(id: &str, name: &str) -> Result<Self, TextError> {
        Ok(Self { id: NodeId::parse(id)?, name: NodeName::parse(name)?, namespace: None })
    }

    /// Puts the node into a namespace.
    #[must_use]
    pub fn within(mut self, namespace: Namespace) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Returns the identity of the backpack's owner.
    pub fn system() -> Self {
        Self::new(Self::SYSTEM, Self::SYSTEM).expect("the word is a short text")
    }
}
