//! A place of a flow: what stands there, what is said about it, and what comes after it.

use piton_core::canonical;
use serde_json::{Map, Value};

use super::edge::Edge;
use super::node_body::NodeBody;
use super::settings::NodeSettings;

/// How a place was written down, so that it can be written down again.
#[derive(Clone, Debug)]
pub(crate) enum NodeOrigin {
    /// As a node of this type, made from these parameters.
    Node { kind: String, params: Map<String, Value> },
    /// Under `subflows`.
    Subflow,
}

/// One place.
#[derive(Clone)]
pub(crate) struct FlowNode {
    pub(crate) id: String,
    pub(crate) body: NodeBody,
    pub(crate) origin: NodeOrigin,
    pub(crate) settings: NodeSettings,
    /// In the order in which they were drawn.
    pub(crate) edges: Vec<Edge>,
}

impl FlowNode {
    /// Why its description has no canonical form, and in which field. A flow is known by the digest of that form.
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

    /// The edge that a condition takes. A node has a handful.
    pub(crate) fn edge(&self, condition: &str) -> Option<&Edge> {
        self.edges.iter().find(|edge| edge.condition == condition)
    }

    /// What is odd about a flow that ends here with a condition: no edge takes it, and others are there.
    pub(crate) fn dead_end(&self, condition: &str) -> Option<String> {
        if self.edges.is_empty() || self.edge(condition).is_some() {
            return None;
        }
        let known: Vec<&str> = self.edges.iter().map(|edge| edge.condition.as_str()).collect();
        Some(format!("nothing follows on `{condition}`, only on {}", known.join(", ")))
    }
}
