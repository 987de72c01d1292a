//! From a flow back to JSON.

use serde_json::Value;

use super::description::{Description, EdgeDescription, NodeDescription, VERSION};
use crate::graph::{Flow, FlowNode, NodeBody, NodeOrigin};

impl Flow {
    /// The flow as it would be written down.
    pub fn to_json(&self) -> Value {
        let description = Description { version: Some(VERSION.to_owned()), ..self.describe() };
        serde_json::to_value(description).expect("a description is JSON")
    }

    fn describe(&self) -> Description {
        let mut description =
            Description { namespace: self.namespace.clone(), ..Description::default() };
        for place in &self.places {
            match (&place.origin, &place.body) {
                (NodeOrigin::Subflow, NodeBody::Flow(flow)) => description
                    .subflows
                    .push(Description { id: Some(place.id.clone()), ..flow.describe() }),
                (NodeOrigin::Node { kind, params }, _) => {
                    description.nodes.push(node(place, kind.clone(), params.clone()));
                }
                (NodeOrigin::Subflow, _) => unreachable!("only flows are written under subflows"),
            }
            description.edges.extend(place.edges.iter().map(|edge| EdgeDescription {
                from: place.id.clone(),
                to: self.places[edge.to].id.clone(),
                condition: edge.condition.clone(),
                mappings: edge.mappings.clone(),
            }));
        }
        let first = description.nodes.first().map(|node| &node.id);
        let first =
            first.or_else(|| description.subflows.first().and_then(|flow| flow.id.as_ref()));
        let start = self.start.map(|start| &self.places[start].id);
        description.start = start.filter(|start| Some(*start) != first).cloned();
        description
    }
}

fn node(place: &FlowNode, kind: String, params: serde_json::Map<String, Value>) -> NodeDescription {
    NodeDescription {
        id: place.id.clone(),
        kind,
        segment: place.settings.segment.clone(),
        params,
        permissions: place.settings.permissions.clone(),
        retry: place.settings.retry,
        inputs: place.settings.inputs.sources(),
        outputs: place.settings.outputs.sources(),
    }
}
