//! Warnings for nodes that no run can reach.

use super::description::Description;
use crate::flow::graph::Flow;
use crate::flow::problem::{Problems, join};

/// Warns of every node that cannot be reached from the start.
pub(super) fn check(flow: &Flow, path: &str, description: &Description, problems: &mut Problems) {
    let Some(start) = flow.start else { return };
    let mut seen = vec![false; flow.places.len()];
    let mut waiting = vec![start];
    while let Some(at) = waiting.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            waiting.extend(flow.places[at].edges.iter().map(|edge| edge.to));
        }
    }
    for (flow_node, _) in flow.places.iter().zip(&seen).filter(|(_, seen)| !**seen) {
        let node = description.nodes.iter().position(|node| node.id == flow_node.id);
        let subflow = description
            .subflows
            .iter()
            .position(|subflow| subflow.id.as_ref() == Some(&flow_node.id));
        let at = match (node, subflow) {
            (Some(index), _) => join(path, &format!("nodes[{index}]")),
            (None, Some(index)) => join(path, &format!("subflows[{index}]")),
            (None, None) => path.to_owned(),
        };
        problems.warning(
            at,
            format!("no way leads to `{}` from `{}`", flow_node.id, flow.places[start].id),
        );
    }
}
