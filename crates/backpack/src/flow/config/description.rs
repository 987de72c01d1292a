//! The description of a flow.
//!
//! *Invariants*: a description is data only: it names types of nodes and never contains code. An absent field means the
//! default, and defaults are left out when a description is written.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Permissions;
use crate::flow::graph::{Flow, FlowNode, Mappings, NodeBody, NodeOrigin};
use crate::flow::node::{DEFAULT, RetryRule};

/// The version of the format. A description without a version is read as this one.
pub const VERSION: &str = "2.0.0";

/// A whole flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// The version of the format; absent in flows inside other flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The id of a flow inside another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The flow's own part of the namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The id of the start node, if that is not the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    pub nodes: Vec<NodeDescription>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<EdgeDescription>,
    /// The flows inside this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subflows: Vec<Self>,
}

/// A node of a flow.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeDescription {
    pub id: String,
    /// The name of the node's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The node's own part of the namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<String>,
    /// Parameters for the type.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Permissions>,
    /// The number of attempts at the node's work.
    #[serde(skip_serializing_if = "is_once")]
    pub retry: RetryRule,
    /// Required values: a JSON Schema for each key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Value>,
    /// Produced values: a JSON Schema for each key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, Value>,
}

/// An edge between two nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeDescription {
    /// The id of the node that it leaves.
    pub from: String,
    /// The id of the node that it leads to.
    pub to: String,
    /// The action that takes it.
    #[serde(skip_serializing_if = "is_default")]
    pub condition: String,
    /// Keys whose values are copied to other keys on the way.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mappings: Mappings,
}

fn is_once(rule: &RetryRule) -> bool {
    *rule == RetryRule::ONCE
}

fn is_default(condition: &String) -> bool {
    condition == DEFAULT
}

impl Flow {
    /// Returns the description of the flow as JSON.
    pub fn to_json(&self) -> Value {
        let description = Description { version: Some(VERSION.to_owned()), ..self.describe() };
        serde_json::to_value(description).expect("a description is JSON")
    }

    fn describe(&self) -> Description {
        let mut description =
            Description { namespace: self.namespace.clone(), ..Description::default() };
        for flow_node in &self.places {
            match (&flow_node.origin, &flow_node.body) {
                (NodeOrigin::Subflow, NodeBody::Flow(flow)) => description
                    .subflows
                    .push(Description { id: Some(flow_node.id.clone()), ..flow.describe() }),
                (NodeOrigin::Node { kind, params }, _) => {
                    description.nodes.push(node(flow_node, kind.clone(), params.clone()));
                }
                (NodeOrigin::Subflow, _) => unreachable!("only flows are written under subflows"),
            }
            description.edges.extend(flow_node.edges.iter().map(|edge| EdgeDescription {
                from: flow_node.id.clone(),
                to: self.places[edge.to].id.clone(),
                condition: edge.condition.clone(),
                mappings: edge.mappings.clone(),
            }));
        }
        // The default start is the first node, or the first subflow if there is none; it is left out.
        let first = description.nodes.first().map(|node| &node.id);
        let first =
            first.or_else(|| description.subflows.first().and_then(|flow| flow.id.as_ref()));
        let start = self.start.map(|start| &self.places[start].id);
        description.start = start.filter(|start| Some(*start) != first).cloned();
        description
    }
}

fn node(
    flow_node: &FlowNode,
    kind: String,
    params: serde_json::Map<String, Value>,
) -> NodeDescription {
    NodeDescription {
        id: flow_node.id.clone(),
        kind,
        segment: flow_node.settings.segment.clone(),
        params,
        permissions: flow_node.settings.permissions.clone(),
        retry: flow_node.settings.retry,
        inputs: flow_node.settings.inputs.sources(),
        outputs: flow_node.settings.outputs.sources(),
    }
}
