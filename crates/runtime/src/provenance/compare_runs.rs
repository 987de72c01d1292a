//! Comparison of two nodes of runs: their common ancestor, and the work of each side since.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::{Digest, Envelope, NodeId, RunId};
use piton_workflow::NodeAddress;
use piton_workflow::projection::{RecordedOutput, RunNode, RunState};
use piton_workspaces::audit::AuditRecord;
use serde_json::Value;

use super::chain::{digest_of, links};
use super::compare::Worlds;
use super::reference::{NodeReference, Placed, ThingKind};
use super::reply::{
    Ancestor, BranchSide, ChainLink, ChangedKey, ChangedOutput, OutputShown, ThingComparison,
    WrittenThings,
};
use crate::backpack::inspect::PackedInRun;
use crate::bounds::{CHANGES_SHOWN_MAX, ID_ENDING_SHOWN, STEPS_SHOWN_MAX, cut};
use crate::context::MadeInRun;
use crate::reply::StepWrites;
use crate::text_diff;
use crate::workflow::Runtime;

/// The submissions of one side's steps: notes, and artifacts by kind. If a step was repeated, only its last outputs
/// count.
type Submitted = BTreeMap<(String, Option<String>), (Digest, String)>;

impl Runtime {
    /// Returns the keys, files and frames that were written at a node. Every backpack may have to be read for it.
    pub async fn step_writes(
        &self,
        at: NodeAddress,
        worlds: &Worlds<'_>,
    ) -> Result<StepWrites, Envelope> {
        let mut notes = Vec::new();
        let here = (at.run, BTreeSet::from([at.node]));
        let [written] = written(worlds, &[here], &mut notes).await?;
        Ok(StepWrites { node_id: at.node, written, notes })
    }

    /// Compares two nodes.
    pub(super) async fn compare_nodes(
        &self,
        left: &NodeReference,
        right: &NodeReference,
        worlds: &Worlds<'_>,
    ) -> Result<ThingComparison, Envelope> {
        let (left, right) = (self.placed(left).await?, self.placed(right).await?);
        let left_name = self.name_of(left.session, left.run.id).await?;
        let right_name = self.name_of(right.session, right.run.id).await?;
        let common = common(&left, &right);
        let ancestor = match common.and_then(|node| left.run.graph.node(node)) {
            Some(node) => {
                let step = links(&left.reading, &left.run, &[node]).await?.pop();
                // The outputs at the fork differ per side and are shown there.
                let step = step.map(|step| ChainLink { outputs: Vec::new(), ..step });
                let name = format!("{left_name}@{}", ending(&node.id.to_string()));
                Some(Ancestor { name, step, ..Ancestor::default() })
            }
            None => None,
        };
        let left = RunSide::since(common, &left, &left_name).await?;
        let right = RunSide::since(common, &right, &right_name).await?;
        let mut compared = ThingComparison {
            kind: ThingKind::Run,
            ancestor,
            outputs: changed_outputs(&left.submitted, &right.submitted),
            context: changed_keys(&left.context, &right.context),
            left: left.shown,
            right: right.shown,
            notes: Vec::new(),
        };
        add_writes(&mut compared, common, worlds).await?;
        Ok(compared)
    }
}

/// Adds the writes of each side's steps.
async fn add_writes(
    compared: &mut ThingComparison,
    common: Option<NodeId>,
    worlds: &Worlds<'_>,
) -> Result<(), Envelope> {
    let own = |side: &BranchSide| {
        // The node at the fork belongs to both sides, so it is counted once, for the ancestor.
        let nodes = side.steps.iter().map(|link| link.node_id).filter(|id| Some(*id) != common);
        (side.run_id.expect("a side of a run names it"), nodes.collect())
    };
    let (left, right) = (own(&compared.left), own(&compared.right));
    // The fork exists only if both sides are of one run, so either run id would do.
    let both = (left.0, common.into_iter().collect());
    let [left, right, both] = written(worlds, &[left, right, both], &mut compared.notes).await?;
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

/// One side of a comparison: its work since the common ancestor, its submissions, and the context that it sees.
struct RunSide {
    shown: BranchSide,
    submitted: Submitted,
    context: SeenContext,
}

impl RunSide {
    async fn since(
        ancestor: Option<NodeId>,
        placed: &Placed,
        name: &str,
    ) -> Result<Self, Envelope> {
        let run = &placed.run;
        let mut nodes: Vec<&RunNode> = Vec::new();
        // The ancestor itself is included: the outputs that led away from it belong to this side.
        for node in run.graph.ancestry(placed.node).take(STEPS_SHOWN_MAX) {
            nodes.push(node);
            if Some(node.id) == ancestor {
                break;
            }
        }
        nodes.reverse();
        let mut steps = links(&placed.reading, run, &nodes).await?;
        // Decisions and bookmarks at the fork belong to both sides and are shown with the ancestor.
        for link in steps.iter_mut().filter(|link| Some(link.node_id) == ancestor) {
            link.decisions.clear();
            link.bookmarks.clear();
        }
        let submitted = submitted(run, &nodes, &steps);
        let seen = run.contexts.effective(placed.node);
        let seen = seen.into_iter().flat_map(|context| context.as_object().iter());
        let context = seen.map(|(key, value)| (key.clone(), value.clone())).collect();
        let name = format!("{name}@{}", ending(&placed.node.to_string()));
        let (run_id, node_id) = (Some(run.id), Some(placed.node));
        let shown = BranchSide { name, run_id, node_id, steps, ..BranchSide::default() };
        Ok(Self { shown, submitted, context })
    }
}

/// Returns the submissions on a path, by step.
fn submitted(run: &RunState, nodes: &[&RunNode], steps: &[ChainLink]) -> Submitted {
    let mut found = Submitted::new();
    for (place, (node, link)) in nodes.iter().zip(steps).enumerate() {
        let Some(step) = &link.step else { continue };
        // A repeated step replaces everything that it submitted before.
        found.retain(|(of, _), _| of != step);
        let own = notes(run.notes_toward(node, nodes.get(place + 1).copied()));
        found.extend(own.map(|own| ((step.clone(), None), own)));
        add_artifacts(&mut found, step, "", &link.outputs);
        for bookmark in &link.bookmarks {
            let node = run.graph.node(bookmark.node_id);
            if let Some(own) = notes(node.and_then(|node| run.notes_toward(node, None))) {
                add_submission(&mut found, step, "bookmark", own);
            }
            add_artifacts(&mut found, step, "bookmarked ", &bookmark.outputs);
        }
    }
    found
}

/// Returns the digest and the text of notes.
fn notes(output: Option<&RecordedOutput>) -> Option<(Digest, String)> {
    let output = output?;
    Some((digest_of(output), output.notes()?.to_owned()))
}

/// Adds the artifacts among `outputs`, each by its kind.
fn add_artifacts(found: &mut Submitted, step: &str, before: &str, outputs: &[OutputShown]) {
    for artifact in outputs.iter().filter_map(|output| output.artifact.as_ref()) {
        let text = artifact.content.as_ref().map_or_else(
            || format!("{} bytes, {}", artifact.bytes, artifact.digest),
            |content| format!("{content:#}"),
        );
        let kind = artifact.kind.as_deref().unwrap_or("artifact");
        add_submission(found, step, &format!("{before}{kind}"), (artifact.digest, text));
    }
}

/// Adds a submission of a step. Several with the same name are numbered.
fn add_submission(found: &mut Submitted, step: &str, name: &str, submitted: (Digest, String)) {
    let names = (1..).map(|number| match number {
        1 => name.to_owned(),
        _ => format!("{name} {number}"),
    });
    let mut keys = names.map(|name| (step.to_owned(), Some(name)));
    let free = keys.find(|key| !found.contains_key(key)).expect("there are more numbers than keys");
    found.insert(free, submitted);
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

/// A run, and some of its nodes.
type Nodes = (RunId, BTreeSet<NodeId>);

/// Returns the writes at each of several sets of nodes. Adds a note about anything that could not be examined.
async fn written<const N: usize>(
    worlds: &Worlds<'_>,
    sets: &[Nodes; N],
    notes: &mut Vec<String>,
) -> Result<[WrittenThings; N], Envelope> {
    let mut written: [WrittenThings; N] = std::array::from_fn(|_| WrittenThings::default());
    // Both sides usually belong to one run. Its writes are searched once and then divided among the sets.
    let runs: BTreeSet<RunId> = sets.iter().map(|(run, _)| *run).collect();
    for run in runs {
        let writes = RunWrites::load(worlds, run, notes).await?;
        for ((_, nodes), written) in
            sets.iter().zip(&mut written).filter(|((own, _), _)| *own == run)
        {
            *written = writes.at(&|node| nodes.contains(node), notes).await;
        }
    }
    Ok(written)
}

/// Everything that the steps of a run wrote.
pub(super) struct RunWrites<'a> {
    worlds: &'a Worlds<'a>,
    pub(super) packed: PackedInRun,
    files: Vec<AuditRecord>,
    frames: Option<MadeInRun>,
}

impl<'a> RunWrites<'a> {
    /// Searches the writes of a run. Adds a note about anything that could not be examined.
    pub(super) async fn load(
        worlds: &'a Worlds<'a>,
        run: RunId,
        notes: &mut Vec<String>,
    ) -> Result<Self, Envelope> {
        let packed = worlds.backpacks.written_in(run).await?;
        note(notes, packed.unreadable, "backpacks cannot be read.");
        note(notes, packed.not_reached, "backpacks were not read, those that are longest unused.");
        let mut files = Vec::new();
        if let Some(world) = worlds.files {
            let (recorded, left_out) = world.written_in(run).await?;
            note(notes, left_out, "later changes of files were not looked at.");
            files = recorded;
        }
        let frames = match worlds.frames {
            Some(world) => frames_of(world.made_in(run).await, notes),
            None => None,
        };
        if let Some(made) = &frames {
            note(notes, made.left_out, "more frames of the run were not looked at.");
        }
        Ok(Self { worlds, packed, files, frames })
    }

    /// Returns the net change at some nodes: what a thing held before its first write there and after its last.
    pub(super) async fn at(
        &self,
        is_meant: &(dyn Fn(&NodeId) -> bool + Sync),
        notes: &mut Vec<String>,
    ) -> WrittenThings {
        let mut written = WrittenThings::default();
        (written.keys, written.keys_left_out) = cut(self.packed.net(is_meant), CHANGES_SHOWN_MAX);
        if let Some(world) = self.worlds.files {
            let changed = world.net(&self.files, is_meant).await;
            (written.files, written.files_left_out) = cut(changed, CHANGES_SHOWN_MAX);
        }
        if let (Some(world), Some(made)) = (self.worlds.frames, &self.frames) {
            let made = frames_of(world.made_at(made, is_meant).await, notes);
            (written.frames, written.frames_left_out) = made.unwrap_or_default();
        }
        written
    }
}

/// Returns what was found out about frames. Damaged context of a project must not prevent the rest.
fn frames_of<T>(found: Result<T, Envelope>, notes: &mut Vec<String>) -> Option<T> {
    let trouble = |error: Envelope| format!("The frames cannot be looked at. {}", error.message);
    found.map_err(|error| notes.push(trouble(error))).ok()
}

fn note(notes: &mut Vec<String>, count: usize, words: &str) {
    if count > 0 {
        notes.push(format!("{count} {words}"));
    }
}
