//! A node of a flow: its body, its settings and its edges.

use piton_core::canonical;
use serde_json::{Map, Value};

use super::edge::Edge;
use super::node_body::NodeBody;
use super::settings::NodeSettings;

/// The form in which a node was described, so that it can be written back.
#[derive(Clone, Debug)]
pub(crate) enum NodeOrigin {
    /// A node of this type, built from these parameters.
    Node { kind: String, params: Map<String, Value> },
    /// An entry under `subflows`.
    Subflow,
}

/// A node of a flow.
#[derive(Clone)]
pub(crate) struct FlowNode {
    pub(crate) id: String,
    pub(crate) body: NodeBody,
    pub(crate) origin: NodeOrigin,
    pub(crate) settings: NodeSettings,
    /// In the order in which they were added.
    pub(crate) edges: Vec<Edge>,
}

impl FlowNode {
    /// Returns the field whose value has no canonical form, and the reason. The digest of that form identifies a flow.
    pub(crate) fn canonical_problem(&self) -> Option<(&'static str, String)> {
        let params = match &self.origin {
            NodeOrigin::Node { params, .. } => canonical::encode(params).err(),
            NodeOrigin::Subflow => None,
        };
        let (inputs, outputs) = (self.settings.inputs.sources(), self.settings.outputs.sources());
        let problem =
            |field, error: Option<canonical::CanonicalError>| Some((field, error?.to_string()));
        problem("params", params)
            .or_else(|| problem("inputs", canonical::encode(&inputs).err()))
            .or_else(|| problem("outputs", canonical::encode(&outputs).err()))
    }

    /// Returns the edge for a condition. A node has only a handful, so a linear search is enough.
    pub(crate) fn edge(&self, condition: &str) -> Option<&Edge> {
        self.edges.iter().find(|edge| edge.condition == condition)
    }

    /// Describes the oddity of a flow that ends here with a condition: no edge takes it, although there are others.
    pub(crate) fn dead_end(&self, condition: &str) -> Option<String> {
        if self.edges.is_empty() || self.edge(condition).is_some() {
            return None;
        }
        let known: Vec<&str> = self.edges.iter().map(|edge| edge.condition.as_str()).collect();
        Some(format!("nothing follows on `{condition}`, only on {}", known.join(", ")))
    }
}
