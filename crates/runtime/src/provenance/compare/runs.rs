//! Comparison of two nodes of runs: their common ancestor, and the work of each side since.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::{Digest, Envelope, NodeId, RunId};
use piton_workflow::projection::{RunNode, RunState};
use serde_json::Value;

use super::backpacks::key;
use super::pair::Worlds;
use crate::bounds::{CHANGES_SHOWN_MAX, ID_ENDING_SHOWN, STEPS_SHOWN_MAX};
use crate::provenance::chain::{digest_of, links};
use crate::provenance::compared::{
    Ancestor, BranchSide, ChangedKey, ChangedOutput, Comparison, WrittenThings,
};
use crate::provenance::reference::{NodeReference, Placed, ThingKind};
use crate::provenance::reply::{ChainLink, OutputShown};
use crate::text_diff;
use crate::workflow::Runtime;

/// The submissions of one side's steps: notes, and artifacts by kind. If a step was repeated, only its last outputs
/// count.
type Submitted = BTreeMap<(String, Option<String>), (Digest, String)>;

impl Runtime {
    /// Compares two nodes.
    pub(super) async fn compare_nodes(
        &self,
        left: &NodeReference,
        right: &NodeReference,
        worlds: &Worlds<'_>,
    ) -> Result<Comparison, Envelope> {
        let mut left = self.placed(left).await?;
        let mut right = self.placed(right).await?;
        let left_name = self.name_of(left.session, left.run.id).await?;
        let right_name = self.name_of(right.session, right.run.id).await?;
        let common = common(&left, &right);
        let ancestor = match common.and_then(|node| left.run.graph.node(node)) {
            Some(node) => {
                let step = links(&left.reading, &left.run, &[node]).await?.pop();
                // The outputs at the fork differ per side and are shown there.
                let step = step.map(|step| ChainLink { outputs: Vec::new(), ..step });
                let name = format!("{left_name}@{}", ending(&node.id.to_string()));
                Some(Ancestor { name, step, written: WrittenThings::default() })
            }
            None => None,
        };
        let (left, left_notes) = side(&mut left, &left_name, common).await?;
        let (right, right_notes) = side(&mut right, &right_name, common).await?;
        let outputs = changed_outputs(&left_notes, &right_notes);
        let context = changed_keys(&left.1, &right.1);
        let (left, right) = (left.0, right.0);
        let notes = Vec::new();
        let kind = ThingKind::Run;
        let mut compared = Comparison { kind, ancestor, left, right, outputs, context, notes };
        tell_written(&mut compared, common, worlds).await?;
        Ok(compared)
    }
}

/// Adds the writes of each side's steps.
async fn tell_written(
    compared: &mut Comparison,
    common: Option<NodeId>,
    worlds: &Worlds<'_>,
) -> Result<(), Envelope> {
    let own = |side: &BranchSide| Nodes {
        // The node at the fork belongs to both sides, so it is counted once, for the ancestor.
        run: side.run_id.expect("a side of a run names it"),
        nodes: side
            .steps
            .iter()
            .map(|link| link.node_id)
            .filter(|id| Some(*id) != common)
            .collect(),
    };
    let (left, right) = (own(&compared.left), own(&compared.right));
    // The fork exists only if both sides are of one run, so either run id would do.
    let both = Nodes { run: left.run, nodes: common.into_iter().collect() };
    let [left, right, both] = written(worlds, [&left, &right, &both], &mut compared.notes).await?;
    (compared.left.written, compared.right.written) = (left, right);
    if let Some(ancestor) = &mut compared.ancestor {
        ancestor.written = both;
    }
    Ok(())
}

/// Returns the end of an id that is enough to name it.
fn ending(id: &str) -> &str {
    id.get(id.len().saturating_sub(ID_ENDING_SHOWN)..).unwrap_or(id)
}

/// Returns the last node that both descend from.
fn common(left: &Placed, right: &Placed) -> Option<NodeId> {
    // Each run has its own graph, so nodes of different runs have no common ancestor.
    if left.run.id != right.run.id {
        return None;
    }
    let graph = &left.run.graph;
    // Ancestors come newest first, so the first one that the right side descends from is the nearest.
    graph.ancestry(left.node).map(|node| node.id).find(|node| graph.descends(right.node, *node))
}

/// The context values that a side sees.
type SeenContext = BTreeMap<String, Value>;

/// Returns the work of a side since `ancestor`, with its submissions and the context that it sees.
async fn side(
    placed: &mut Placed,
    name: &str,
    ancestor: Option<NodeId>,
) -> Result<((BranchSide, SeenContext), Submitted), Envelope> {
    let run = placed.run.clone();
    let mut nodes: Vec<&RunNode> = Vec::new();
    // The ancestor itself is included: the outputs that led away from it belong to this side.
    for node in run.graph.ancestry(placed.node).take(STEPS_SHOWN_MAX) {
        nodes.push(node);
        if Some(node.id) == ancestor {
            break;
        }
    }
    nodes.reverse();
    let mut steps = links(&placed.reading, &run, &nodes).await?;
    // Decisions and bookmarks at the fork belong to both sides and are shown with the ancestor.
    for link in steps.iter_mut().filter(|link| Some(link.node_id) == ancestor) {
        link.decisions.clear();
        link.bookmarks.clear();
    }
    let told = submitted(&run, &nodes, &steps);
    let seen = run.contexts.effective(placed.node);
    let seen = seen.into_iter().flat_map(|context| context.as_object().iter());
    let seen = seen.map(|(key, value)| (key.clone(), value.clone())).collect();
    let node = placed.node.to_string();
    let name = format!("{name}@{}", ending(&node));
    let (run_id, node_id) = (Some(run.id), Some(placed.node));
    let side =
        BranchSide { run_id, node_id, steps, ..BranchSide::of(name, WrittenThings::default()) };
    Ok(((side, seen), told))
}

/// Returns the submissions on a path, by step.
fn submitted(run: &RunState, nodes: &[&RunNode], steps: &[ChainLink]) -> Submitted {
    let mut told = Submitted::new();
    for (place, (node, link)) in nodes.iter().zip(steps).enumerate() {
        let Some(step) = &link.step else { continue };
        // A repeated step replaces everything that it submitted before.
        told.retain(|(of, _), _| of != step);
        let submitted = run.notes_toward(node, nodes.get(place + 1).copied());
        if let Some((output, text)) = submitted.and_then(|output| Some((output, output.notes()?))) {
            told.insert((step.clone(), None), (digest_of(output), text.to_owned()));
        }
        tell_artifacts(&mut told, step, "", &link.outputs);
        for bookmark in &link.bookmarks {
            let node = run.graph.node(bookmark.node_id);
            let submitted = node.and_then(|node| run.notes_toward(node, None));
            if let Some((output, text)) =
                submitted.and_then(|output| Some((output, output.notes()?)))
            {
                add_submission(&mut told, step, "bookmark", (digest_of(output), text.to_owned()));
            }
            tell_artifacts(&mut told, step, "bookmarked ", &bookmark.outputs);
        }
    }
    told
}

/// Adds the artifacts among `outputs`, each by its kind.
fn tell_artifacts(told: &mut Submitted, step: &str, before: &str, outputs: &[OutputShown]) {
    for artifact in outputs.iter().filter_map(|output| output.artifact.as_ref()) {
        let text = artifact.content.as_ref().map_or_else(
            || format!("{} bytes, {}", artifact.bytes, artifact.digest),
            |content| format!("{content:#}"),
        );
        let kind = artifact.kind.as_deref().unwrap_or("artifact");
        add_submission(told, step, &format!("{before}{kind}"), (artifact.digest, text));
    }
}

/// Adds a submission of a step. Several with the same name are numbered.
fn add_submission(told: &mut Submitted, step: &str, name: &str, submitted: (Digest, String)) {
    let names = (1..).map(|number| match number {
        1 => name.to_owned(),
        _ => format!("{name} {number}"),
    });
    let mut keys = names.map(|name| (step.to_owned(), Some(name)));
    let free = keys.find(|key| !told.contains_key(key)).expect("there are more numbers than keys");
    told.insert(free, submitted);
}

fn changed_outputs(left: &Submitted, right: &Submitted) -> Vec<ChangedOutput> {
    let keys: BTreeSet<_> = left.keys().chain(right.keys()).collect();
    let changed = |key: &(String, Option<String>)| {
        let (left, right) = (left.get(key), right.get(key));
        let digest = |side: Option<&(Digest, String)>| side.map(|(digest, _)| *digest);
        let text = |side: Option<&(Digest, String)>| {
            side.map_or_else(String::new, |(_, text)| text.clone())
        };
        // Digests decide whether something differs. Texts may be missing or cut and are only shown.
        (digest(left) != digest(right)).then(|| {
            let (diff, left_out) = text_diff::lines(&text(left), &text(right));
            let (left, right) = (digest(left), digest(right));
            let (step, artifact) = key.clone();
            ChangedOutput { step, artifact, left, right, diff, left_out }
        })
    };
    keys.into_iter().filter_map(changed).collect()
}

fn changed_keys(left: &SeenContext, right: &SeenContext) -> Vec<ChangedKey> {
    let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let changed = |key: &String| {
        let (left, right) = (left.get(key).cloned(), right.get(key).cloned());
        (left != right).then(|| ChangedKey { key: key.clone(), left, right })
    };
    keys.into_iter().filter_map(changed).collect()
}

/// Some nodes of a run.
pub(super) struct Nodes {
    pub(super) run: RunId,
    pub(super) nodes: BTreeSet<NodeId>,
}

/// Sets of nodes of one run, each with the writes found there.
type NodeWrites<'a> = Vec<(&'a Nodes, &'a mut WrittenThings)>;

/// Returns the writes at each of several sets of nodes. Adds a note about anything that could not be examined.
pub(super) async fn written<const N: usize>(
    worlds: &Worlds<'_>,
    sets: [&Nodes; N],
    notes: &mut Vec<String>,
) -> Result<[WrittenThings; N], Envelope> {
    let mut written: [WrittenThings; N] = std::array::from_fn(|_| WrittenThings::default());
    // Both sides usually belong to one run. Its writes are searched once and then divided among the sets.
    let runs: BTreeSet<RunId> = sets.iter().map(|set| set.run).collect();
    for run in runs {
        let of_run = sets.iter().copied().zip(&mut written).filter(|(set, _)| set.run == run);
        let mut told: NodeWrites<'_> = of_run.collect();
        keys(worlds, run, &mut told, notes).await?;
        files(worlds, run, &mut told, notes).await?;
        // Damaged context of a project must not prevent the comparison of a run.
        if let Err(trouble) = frames(worlds, run, &mut told, notes).await {
            notes.push(format!("The frames cannot be looked at. {}", trouble.message));
        }
    }
    Ok(written)
}

async fn keys(
    worlds: &Worlds<'_>,
    run: RunId,
    told: &mut NodeWrites<'_>,
    notes: &mut Vec<String>,
) -> Result<(), Envelope> {
    let packed = worlds.backpacks.written_in(run).await?;
    note(notes, packed.unreadable, "backpacks cannot be read.");
    note(notes, packed.not_reached, "backpacks were not read, those that are longest unused.");
    for (set, written) in told {
        // The net change per side: what a key held before its first write there and after its last.
        let keys = packed.net(&|node| set.nodes.contains(node));
        written.keys_left_out = keys.len().saturating_sub(CHANGES_SHOWN_MAX);
        let keys = keys.into_iter().take(CHANGES_SHOWN_MAX);
        written.keys = keys.map(|(backpack, change)| key(backpack.as_str(), change)).collect();
    }
    Ok(())
}

async fn files(
    worlds: &Worlds<'_>,
    run: RunId,
    told: &mut NodeWrites<'_>,
    notes: &mut Vec<String>,
) -> Result<(), Envelope> {
    let Some(files) = worlds.files else { return Ok(()) };
    let (recorded, left_out) = files.written_in(run).await?;
    note(notes, left_out, "later changes of files were not looked at.");
    for (set, written) in told {
        let changed = files.net(&recorded, &|node| set.nodes.contains(node)).await;
        written.files_left_out = changed.len().saturating_sub(CHANGES_SHOWN_MAX);
        written.files = changed.into_iter().take(CHANGES_SHOWN_MAX).collect();
    }
    Ok(())
}

async fn frames(
    worlds: &Worlds<'_>,
    run: RunId,
    told: &mut NodeWrites<'_>,
    notes: &mut Vec<String>,
) -> Result<(), Envelope> {
    let Some(frames) = worlds.frames else { return Ok(()) };
    let made = frames.made_in(run).await?;
    note(notes, made.left_out, "more frames of the run were not looked at.");
    for (set, written) in told {
        let made = frames.made_at(&made, &|node| set.nodes.contains(node)).await?;
        (written.frames, written.frames_left_out) = made;
    }
    Ok(())
}

fn note(notes: &mut Vec<String>, count: usize, words: &str) {
    if count > 0 {
        notes.push(format!("{count} {words}"));
    }
}
