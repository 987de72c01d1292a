//! Edges that no run can take, and ends of a node that no edge takes up: odd, and no error.

use super::description::Description;
use crate::action::Action;
use crate::graph::{Flow, FlowNode, NodeBody};
use crate::problem::{Problems, join};

/// Warns of every edge whose condition its node does not end with, and of every end that no edge follows on although
/// one does on another. A run says the same of such an end when it comes to it.
pub(super) fn check(flow: &Flow, path: &str, description: &Description, problems: &mut Problems) {
    for (index, edge) in description.edges.iter().enumerate() {
        let place = flow.places.iter().find(|place| place.id == edge.from);
        let Some((place, actions)) = place.and_then(|place| Some((place, actions(place)?))) else {
            continue;
        };
        if actions.iter().any(|action| action.condition() == Some(&edge.condition)) {
            continue;
        }
        let at = join(path, &format!("edges[{index}].condition"));
        problems.warning(at, never_taken(place, &edge.condition, &actions));
    }
    for (index, node) in description.nodes.iter().enumerate() {
        let place = flow.places.iter().find(|place| place.id == node.id && !place.edges.is_empty());
        let Some((place, actions)) = place.and_then(|place| Some((place, actions(place)?))) else {
            continue;
        };
        for end in actions.iter().filter_map(Action::condition) {
            if let Some(message) = place.dead_end(end) {
                let at = join(path, &format!("nodes[{index}]"));
                problems.warning(at, format!("the flow can end here: {message}"));
            }
        }
    }
}

fn actions(place: &FlowNode) -> Option<Vec<Action>> {
    match &place.body {
        NodeBody::Node(node) => node.actions(),
        NodeBody::Flow(_) | NodeBody::Batch { .. } => None,
    }
}

fn never_taken(place: &FlowNode, condition: &str, actions: &[Action]) -> String {
    let quoted = |names: Vec<&str>| {
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let ends: Vec<&str> = actions.iter().filter_map(Action::condition).collect();
    if ends.is_empty() {
        return format!("this edge is never taken: the flow ends with `{}`", place.id);
    }
    format!(
        "this edge is never taken: `{}` never ends with `{condition}`, only with {}",
        place.id,
        quoted(ends)
    )
}
