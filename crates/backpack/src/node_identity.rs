//! Who acts: what every item, commit and event is attributed to.

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
    /// The id of whoever made the backpack and gave it its first items.
    pub const SYSTEM: &'static str = "system";

    /// Who runs flows, and limits to this name what it needs to resume them: no agent and no node is called so.
    pub const FLOW_RUNNER: &'static str = "flow";

    /// A node without a namespace.
    pub fn new(id: &str, name: &str) -> Result<Self, TextError> {
        Ok(Self { id: NodeId::parse(id)?, name: NodeName::parse(name)?, namespace: None })
    }

    /// The same node in a namespace.
    #[must_use]
    pub fn within(mut self, namespace: Namespace) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Whoever made the backpack.
    pub fn system() -> Self {
        Self::new(Self::SYSTEM, Self::SYSTEM).expect("the word is a short text")
    }
}
