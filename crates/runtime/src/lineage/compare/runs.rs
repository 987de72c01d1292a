//! Two nodes of runs: their common ancestor, and what each side did since.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::{Digest, Envelope, NodeId};
use piton_workflow::event::OutputPayload;
use piton_workflow::label::label;
use piton_workflow::projection::{RunNode, RunState};
use serde_json::Value;

use super::pair::Worlds;
use super::written::{Nodes, written};
use crate::bounds::{ID_ENDING_SHOWN, STEPS_SHOWN_MAX};
use crate::lineage::chain::{digest_of, handed_in, links};
use crate::lineage::compared::{Ancestor, ChangedKey, ChangedOutput, Compared, Side};
use crate::lineage::place::Placed;
use crate::lineage::reply::ChainLink;
use crate::lineage::request::NodeReference;
use crate::lineage::thing::ThingKind;
use crate::lineage::written::Written;
use crate::runtime::Runtime;
use crate::runtime::reading::Reading;
use crate::text_diff;

/// The notes of the steps of one side, by step; of a step that was done several times, the last.
type Notes = BTreeMap<String, (Digest, String)>;

impl Runtime {
    /// What differs between two nodes.
    pub(super) async fn compare_nodes(
        &self,
        left: &NodeReference,
        right: &NodeReference,
        worlds: &Worlds<'_>,
    ) -> Result<Compared, Envelope> {
        let mut left = self.placed(left).await?;
        let mut right = self.placed(right).await?;
        let common = common(&left, &right);
        let ancestor = match common.and_then(|node| left.run.graph.node(node)) {
            Some(node) => {
                let step = links(&mut left.reading, &left.run, &[node]).await?.pop();
                // What was handed in for it is each side's own, and told there.
                let step = step.map(|step| ChainLink { outputs: Vec::new(), ..step });
                let (label, id) = (label(left.run.id), node.id.to_string());
                let name = format!("{label}@{}", ending(&id));
                Some(Ancestor { name, step, written: Written::default() })
            }
            None => None,
        };
        let (left, left_notes) = side(&mut left, common).await?;
        let (right, right_notes) = side(&mut right, common).await?;
        let outputs = changed_outputs(&left_notes, &right_notes);
        let context = changed_keys(&left.1, &right.1);
        let (left, right) = (left.0, right.0);
        let notes = Vec::new();
        let kind = ThingKind::Run;
        let mut compared = Compared { kind, ancestor, left, right, outputs, context, notes };
        tell_written(&mut compared, common, worlds).await?;
        Ok(compared)
    }
}

/// Adds what the steps of each side wrote.
async fn tell_written(
    compared: &mut Compared,
    common: Option<NodeId>,
    worlds: &Worlds<'_>,
) -> Result<(), Envelope> {
    let own = |side: &Side| Nodes {
        run: side.run_id.expect("a side of a run names it"),
        nodes: side
            .steps
            .iter()
            .map(|link| link.node_id)
            .filter(|id| Some(*id) != common)
            .collect(),
    };
    let (left, right) = (own(&compared.left), own(&compared.right));
    let both = Nodes { run: left.run, nodes: common.into_iter().collect() };
    let [left, right, both] = written(worlds, [&left, &right, &both], &mut compared.notes).await?;
    (compared.left.written, compared.right.written) = (left, right);
    if let Some(ancestor) = &mut compared.ancestor {
        ancestor.written = both;
    }
    Ok(())
}

/// The end of an id that is enough to name it.
fn ending(id: &str) -> &str {
    id.get(id.len().saturating_sub(ID_ENDING_SHOWN)..).unwrap_or(id)
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
    let told = told(&placed.reading, &run, &nodes, &steps);
    let seen = run.contexts.effective(placed.node);
    let seen = seen.into_iter().flat_map(|context| context.as_object().iter());
    let seen = seen.map(|(key, value)| (key.clone(), value.clone())).collect();
    let node = placed.node.to_string();
    let name = format!("{}@{}", label(run.id), ending(&node));
    let (run_id, node_id) = (Some(run.id), Some(placed.node));
    let side = Side { run_id, node_id, steps, ..Side::of(name, Written::default()) };
    Ok(((side, seen), told))
}

/// What was handed in on a way, by step.
fn told(reading: &Reading<'_>, run: &RunState, nodes: &[&RunNode], steps: &[ChainLink]) -> Notes {
    let mut told = Notes::new();
    for (place, (node, link)) in nodes.iter().zip(steps).enumerate() {
        let outputs = handed_in(reading, run, node, nodes.get(place + 1).copied());
        let text = outputs.iter().rev().find_map(|output| match &output.payload {
            OutputPayload::Notes { notes_markdown } => {
                Some((digest_of(output), notes_markdown.as_str().to_owned()))
            }
            OutputPayload::ArtifactRef { .. } => None,
        });
        if let (Some(step), Some(text)) = (&link.step, text) {
            told.insert(step.clone(), text);
        }
    }
    told
}

fn changed_outputs(left: &Notes, right: &Notes) -> Vec<ChangedOutput> {
    let steps: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let changed = |step: &String| {
        let (left, right) = (left.get(step), right.get(step));
        let digest = |side: Option<&(Digest, String)>| side.map(|(digest, _)| *digest);
        let text = |side: Option<&(Digest, String)>| {
            side.map_or_else(String::new, |(_, text)| text.clone())
        };
        (digest(left) != digest(right)).then(|| {
            let (diff, left_out) = text_diff::lines(&text(left), &text(right));
            let (left, right) = (digest(left), digest(right));
            ChangedOutput { step: step.clone(), left, right, diff, left_out }
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
