//! Exporting a flow to JSON.

use serde_json::Value;

use super::description::{Description, EdgeDescription, NodeDescription, VERSION};
use crate::flow::graph::{Flow, FlowNode, NodeBody, NodeOrigin};

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
