//! Warnings for edges that no run can take, and for outcomes of a node that no edge handles.

use super::description::Description;
use crate::flow::action::Action;
use crate::flow::graph::{Flow, FlowNode, NodeBody};
use crate::flow::problem::{Problems, join};

/// Warns of every edge whose condition its node never returns. Also warns of every outcome without an edge on a node
/// that has other edges; a run reports the same when it reaches such an outcome.
pub(super) fn check(flow: &Flow, path: &str, description: &Description, problems: &mut Problems) {
    for (index, edge) in description.edges.iter().enumerate() {
        let flow_node = flow.places.iter().find(|flow_node| flow_node.id == edge.from);
        let Some((flow_node, actions)) =
            flow_node.and_then(|flow_node| Some((flow_node, actions(flow_node)?)))
        else {
            continue;
        };
        if actions.iter().any(|action| action.condition() == Some(&edge.condition)) {
            continue;
        }
        let at = join(path, &format!("edges[{index}].condition"));
        problems.warning(at, never_taken(flow_node, &edge.condition, &actions));
    }
    for (index, node) in description.nodes.iter().enumerate() {
        let flow_node = flow
            .places
            .iter()
            .find(|flow_node| flow_node.id == node.id && !flow_node.edges.is_empty());
        let Some((flow_node, actions)) =
            flow_node.and_then(|flow_node| Some((flow_node, actions(flow_node)?)))
        else {
            continue;
        };
        for end in actions.iter().filter_map(Action::condition) {
            if let Some(message) = flow_node.dead_end(end) {
                let at = join(path, &format!("nodes[{index}]"));
                problems.warning(at, format!("the flow can end here: {message}"));
            }
        }
    }
}

fn actions(flow_node: &FlowNode) -> Option<Vec<Action>> {
    match &flow_node.body {
        NodeBody::Node(node) => node.actions(),
        NodeBody::Flow(_) | NodeBody::Batch { .. } => None,
    }
}

fn never_taken(flow_node: &FlowNode, condition: &str, actions: &[Action]) -> String {
    let quoted = |names: Vec<&str>| {
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let ends: Vec<&str> = actions.iter().filter_map(Action::condition).collect();
    if ends.is_empty() {
        return format!("this edge is never taken: the flow ends with `{}`", flow_node.id);
    }
    format!(
        "this edge is never taken: `{}` never ends with `{condition}`, only with {}",
        flow_node.id,
        quoted(ends)
    )
}
