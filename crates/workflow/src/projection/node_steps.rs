//! The steps of the nodes of a run, as far as events name them.
//!
//! Each advance records a trace on the node that it leaves, and the trace names the step that the engine chose. So the
//! steps of almost all nodes are known without reading their snapshots. A snapshot has to be read where a trace was cut
//! short, where a title has variables, and at the end of a run, where the engine chose nothing.
//!
//! *Invariants*: what events say about a node is what its snapshot says.

use piton_core::{NodeId, SnapshotRef};

use super::outputs::SideRecordBody;
use super::run_state::RunState;
use super::summary::TipState;
use crate::compile::{CompiledStep, CompiledWorkflow};
use crate::event::{TraceEntry, TraceEntryKind, TraceRef};
use crate::id_map::IdMap;
use crate::name::StepId;
use crate::source::Dialect;

/// The step that is pending at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeStep {
    pub step_id: StepId,
    pub title: String,
    /// The turn of the innermost loop around the step, from one.
    pub turn: Option<u32>,
}

/// The steps of the nodes of a run.
#[derive(Clone, Debug, Default)]
pub struct NodeSteps {
    by_node: IdMap<NodeId, NodeStep>,
    unread: Vec<(NodeId, SnapshotRef)>,
}

impl NodeSteps {
    /// Collects the steps that the events of `run` name.
    pub fn of(run: &RunState, workflow: &CompiledWorkflow) -> Self {
        let chosen = chosen_steps(run);
        let mut steps = Self::default();
        for node in run.graph.nodes() {
            // A bookmark has the snapshot of the step that it is on, and so its step.
            let parent = run.graph.parent(node).filter(|parent| parent.snapshot == node.snapshot);
            let step = match parent {
                Some(parent) => steps.by_node.get(&parent.id).cloned(),
                None => chosen.get(&node.id).and_then(|entry| named(entry, workflow)),
            };
            match step {
                Some(step) => drop(steps.by_node.insert(node.id, step)),
                None => steps.unread.push((node.id, node.snapshot)),
            }
        }
        steps
    }

    /// Returns the nodes that events do not place, with the snapshots that do.
    pub fn unread(&self) -> &[(NodeId, SnapshotRef)] {
        &self.unread
    }

    /// Adds the step of a node, as its snapshot states it. At the end of a run there is none.
    pub fn add(&mut self, node: NodeId, tip: &TipState) {
        self.by_node.extend(tip.pending.as_ref().map(|(step_id, title)| {
            let (step_id, title) = (step_id.clone(), title.as_str().to_owned());
            (node, NodeStep { step_id, title, turn: tip.turn })
        }));
    }

    /// Returns the step that is pending at a node.
    pub fn get(&self, node: NodeId) -> Option<&NodeStep> {
        self.by_node.get(&node)
    }
}

/// Returns the entries that name a step, by the nodes that the steps are pending at.
fn chosen_steps(run: &RunState) -> IdMap<NodeId, &TraceEntry> {
    let mut chosen = IdMap::default();
    let root = run.graph.root().map(|root| root.id);
    for node in run.graph.nodes() {
        for record in run.side_records.at_node(node.id) {
            let SideRecordBody::Trace(trace) = &record.body else { continue };
            // The trace of the start is the only one without an attempt, and it is about the root itself.
            let reached = match record.submission {
                Some(submission) => submission.reached,
                None => root,
            };
            let is_choice = |entry: &&TraceEntry| entry.kind == TraceEntryKind::SelectedNextStep;
            let entry = trace.entries().iter().rfind(is_choice);
            chosen.extend(reached.zip(entry));
        }
    }
    chosen
}

/// Returns the step that an entry names, unless its title is known to the snapshot alone.
fn named(entry: &TraceEntry, workflow: &CompiledWorkflow) -> Option<NodeStep> {
    let refs = entry.refs.as_ref().map_or(&[][..], |refs| refs.as_slice());
    let step_id = refs.iter().find_map(|one| match one {
        TraceRef::StepId { step_id } => Some(step_id),
        _ => None,
    })?;
    let turn = refs.iter().find_map(|one| match one {
        TraceRef::Iteration { value } => Some(value.get() + 1),
        _ => None,
    });
    let title = fixed_title(workflow, workflow.step(step_id)?)?;
    Some(NodeStep { step_id: step_id.clone(), title: title.to_owned(), turn })
}

/// Returns the title of a step if it is the same at every node.
fn fixed_title<'a>(workflow: &CompiledWorkflow, step: &'a CompiledStep) -> Option<&'a str> {
    let has_variables = workflow.dialect == Dialect::Classic
        && (step.title.contains("{{") || step.title.len() > crate::bounds::STEP_TITLE_BYTES_MAX);
    (!has_variables).then_some(step.title.as_str())
}
