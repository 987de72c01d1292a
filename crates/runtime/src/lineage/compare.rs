//! Two nodes: their common ancestor, and what each side did since.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::{Digest, Envelope, NodeId};
use piton_workflow::OutputChannel;
use piton_workflow::label::label;
use piton_workflow::projection::{RunNode, RunState};
use serde_json::Value;

use super::chain::{digest_of, links};
use super::place::Placed;
use super::reply::{ChainLink, ChangedKey, ChangedOutput, Compared, Side};
use super::request::NodeReference;
use super::text_diff::text_diff;
use crate::bounds::STEPS_SHOWN_MAX;
use crate::runtime::Runtime;

/// The notes of the steps of one side, by step; of a step that was done several times, the last.
type Notes = BTreeMap<String, (Digest, String)>;

impl Runtime {
    /// What differs between two nodes.
    pub async fn compare_nodes(
        &self,
        left: &NodeReference,
        right: &NodeReference,
    ) -> Result<Compared, Envelope> {
        let mut left = self.placed(left).await?;
        let mut right = self.placed(right).await?;
        let ancestor = common(&left, &right);
        let first = match ancestor.and_then(|node| left.run.graph.node(node)) {
            Some(node) => links(&mut left.reading, &left.run, &[node]).await?.pop(),
            None => None,
        };
        let (left, left_notes) = side(&mut left, ancestor).await?;
        let (right, right_notes) = side(&mut right, ancestor).await?;
        let outputs = changed_outputs(&left_notes, &right_notes);
        let context = changed_keys(&left.1, &right.1);
        Ok(Compared { ancestor: first, left: left.0, right: right.0, outputs, context })
    }
}

/// The last node that both came from.
fn common(left: &Placed<'_>, right: &Placed<'_>) -> Option<NodeId> {
    if left.run.id != right.run.id {
        return None;
    }
    let graph = &left.run.graph;
    graph.ancestry(left.node).map(|node| node.id).find(|node| graph.descends(right.node, *node))
}

/// The context that a side sees.
type Seen = BTreeMap<String, Value>;

/// What a side did since `ancestor`, with its notes and the context that it sees.
async fn side(
    placed: &mut Placed<'_>,
    ancestor: Option<NodeId>,
) -> Result<((Side, Seen), Notes), Envelope> {
    let run = placed.run.clone();
    let mut nodes: Vec<&RunNode> = Vec::new();
    for node in run.graph.ancestry(placed.node).take(STEPS_SHOWN_MAX) {
        nodes.push(node);
        if Some(node.id) == ancestor {
            break;
        }
    }
    nodes.reverse();
    let steps = links(&mut placed.reading, &run, &nodes).await?;
    let handed_in = handed_in(&run, &nodes, &steps);
    let seen = run.contexts.effective(placed.node);
    let seen = seen.into_iter().flat_map(|context| context.as_object().iter());
    let seen = seen.map(|(key, value)| (key.clone(), value.clone())).collect();
    let side =
        Side { run_id: run.id, label: label(run.id).to_string(), node_id: placed.node, steps };
    Ok(((side, seen), handed_in))
}

fn handed_in(run: &RunState, nodes: &[&RunNode], steps: &[ChainLink]) -> Notes {
    let mut handed_in = Notes::new();
    for (node, link) in nodes.iter().zip(steps) {
        let output = run.outputs.current(node.id, OutputChannel::Recap).last();
        if let (Some(step), Some(output), Some(text)) =
            (&link.step, output, run.outputs.recap(node.id))
        {
            handed_in.insert(step.clone(), (digest_of(output), text.to_owned()));
        }
    }
    handed_in
}

fn changed_outputs(left: &Notes, right: &Notes) -> Vec<ChangedOutput> {
    let steps: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let changed = |step: &String| {
        let (left, right) = (left.get(step), right.get(step));
        let digest = |side: Option<&(Digest, String)>| side.map(|(digest, _)| *digest);
        let text = |side: Option<&(Digest, String)>| match side {
            Some((_, text)) => format!("{}\n", text.trim_end()),
            None => String::new(),
        };
        (digest(left) != digest(right)).then(|| ChangedOutput {
            step: step.clone(),
            left: digest(left),
            right: digest(right),
            diff: text_diff(&text(left), &text(right)),
        })
    };
    steps.into_iter().filter_map(changed).collect()
}

fn changed_keys(left: &Seen, right: &Seen) -> Vec<ChangedKey> {
    let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let changed = |key: &String| {
        let (left, right) = (left.get(key).cloned(), right.get(key).cloned());
        (left != right).then(|| ChangedKey { key: key.clone(), left, right })
    };
    keys.into_iter().filter_map(changed).collect()
}
