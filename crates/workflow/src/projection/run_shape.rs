//! The shape of a run: all of its nodes in columns, for a page that draws them.
//!
//! A node is its index in the columns. What every node has is a column; what few nodes have is a list of nodes. So ten
//! thousand nodes stay below a megabyte of JSON.
//!
//! *Invariants*: a parent comes before its children. Only a node that left a path already taken is a fork.
//!
//! *Limitations*: a confirmation that a classic workflow asks for under a condition is no wait here, because events do
//! not say whether the condition held.

use std::collections::HashMap;

use piton_core::{EventIndex, NodeId, TimestampMs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decisions::DecisionKind;
use super::gaps::Gap;
use super::graph::RunNode;
use super::node_steps::{NodeStep, NodeSteps};
use super::run_state::RunState;
use super::session_state::SessionState;
use crate::compile::{CompiledStep, CompiledWorkflow, ProvenanceSource};
use crate::event::{Autonomy, EdgeCause, NodeKind, Resolution};
use crate::id_map::IdMap;
use crate::name::StepId;
use crate::reason::ReasonCategory;

/// Version of [`RunShape`]. It changes when the fields or their meanings change.
pub const SHAPE_VERSION: u32 = 2;

/// Index of a node in the columns.
pub type NodeIndex = u32;

/// All nodes of a run, in columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunShape {
    /// The steps that nodes refer to.
    pub steps: Vec<ShapeStep>,
    /// The titles that nodes refer to, each once.
    pub titles: Vec<String>,
    /// The nodes, in the order of their creation.
    pub nodes: NodeColumns,
    /// The attempts to leave nodes, in the order of their records.
    pub attempts: AttemptColumns,
    /// The times in which the run waited for a person, in the order of their beginnings.
    pub waits: Vec<PersonWait>,
    /// The nodes with refused attempts, with their number.
    pub blocked: Vec<NodeCount>,
    /// The nodes with open gaps, with their number.
    pub open_gaps: Vec<NodeCount>,
    /// The nodes that are bookmarks.
    pub bookmarks: Vec<NodeIndex>,
    /// The nodes that began another branch: the run had left their parent before.
    pub forks: Vec<NodeIndex>,
    /// The steps that no other step came from.
    pub tips: Vec<NodeIndex>,
    /// The nodes from the root to the preferred tip.
    pub path: Vec<NodeIndex>,
    /// The tip that the run is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_tip: Option<NodeIndex>,
    /// Number of nodes without a step because their snapshots cannot be read.
    pub unplaced: usize,
}

/// A step of the workflow that nodes refer to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShapeStep {
    /// The step.
    pub step_id: StepId,
    /// Its place among the steps of the workflow, from one.
    pub number: usize,
    /// Whether a page folds it until somebody asks: a probe that Piton added explains more than it does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub collapsed: bool,
}

/// The columns of the nodes. All have the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeColumns {
    /// The ids.
    pub id: Vec<NodeId>,
    /// The node that each came from; none for the root.
    pub parent: Vec<Option<NodeIndex>>,
    /// The step that is pending at each, as an index into the steps; none at the end of a run.
    pub step: Vec<Option<u32>>,
    /// The turn of the innermost loop around that step, from one.
    pub turn: Vec<Option<u32>>,
    /// The title of that step, as an index into the titles.
    pub title: Vec<Option<u32>>,
    /// The time of creation.
    pub created: Vec<TimestampMs>,
}

/// The columns of the attempts. All but the list of those that asked have the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttemptColumns {
    /// The node that each tried to leave.
    pub node: Vec<NodeIndex>,
    /// The time.
    pub at: Vec<TimestampMs>,
    /// The node that it led to; none if it was refused.
    pub reached: Vec<Option<NodeIndex>>,
    /// The attempts that only asked a person, as indices of the columns. They led nowhere, and were not refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<u32>,
}

/// A time in which a run waited for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonWait {
    /// The node.
    pub node: NodeIndex,
    /// The time at which the person was asked.
    pub from: TimestampMs,
    /// The time at which they decided, or the run went on without them; none while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<TimestampMs>,
    /// The decision that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionKind>,
}

/// A number of things at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeCount {
    /// The node.
    pub node: NodeIndex,
    /// The number.
    pub count: u32,
}

impl RunShape {
    /// Projects `run`, a run of `session`, with the steps of its nodes and the workflow that it is pinned to.
    pub fn of(
        session: &SessionState,
        run: &RunState,
        steps: &NodeSteps,
        workflow: &CompiledWorkflow,
    ) -> Self {
        let places: IdMap<NodeId, NodeIndex> =
            (0..).zip(run.graph.nodes()).map(|(place, node)| (node.id, place)).collect();
        let tip = run.graph.preferred_tip().map(|tip| tip.id);
        let view = RunView { session, run, workflow, places, tip };
        let mut shape = Self::default();
        let mut tables = ShapeTables::default();
        for (place, node) in (0..).zip(run.graph.nodes()) {
            let step = steps.get(node.id);
            shape.add_node(&view, place, node);
            let (number, title) = tables.place(step, workflow).unzip();
            shape.nodes.step.push(number);
            shape.nodes.title.push(title);
            shape.nodes.turn.push(step.and_then(|step| step.turn));
            shape.waits.extend(view.waits(place, node, step));
        }
        (shape.steps, shape.titles) = (tables.steps, tables.titles);
        shape.waits.sort_by_key(|wait| (wait.from, wait.node));
        shape.add_attempts(&view);
        if let Some(tip) = tip {
            shape.preferred_tip = view.place(tip);
            shape.path = run.graph.ancestry(tip).filter_map(|node| view.place(node.id)).collect();
            shape.path.reverse();
        }
        shape
    }

    fn add_node(&mut self, view: &RunView<'_>, place: NodeIndex, node: &RunNode) {
        let RunView { session, run, .. } = view;
        let parent = run.graph.parent(node).and_then(|parent| view.place(parent.id));
        self.nodes.id.push(node.id);
        self.nodes.parent.push(parent);
        self.nodes.created.push(session.time_of(node.created));
        let attempts = run.advances.at_node(node.id);
        let blocked = attempts.iter().filter(|attempt| attempt.is_refused()).count();
        self.blocked.extend(NodeCount::of(place, blocked));
        self.open_gaps.extend(NodeCount::of(place, run.gaps.open_on(node.id).count()));
        if node.kind == NodeKind::Checkpoint {
            self.bookmarks.push(place);
        }
        // Every step has an edge with a cause, and the usual cause is called a fork as well. Only this one means that
        // the run had gone another way before.
        if node.cause == Some(EdgeCause::NonTipAdvance) {
            self.forks.push(place);
        }
        if node.is_tip() {
            self.tips.push(place);
        }
    }

    fn add_attempts(&mut self, view: &RunView<'_>) {
        let of_node = |node: &RunNode| {
            let place = view.place(node.id).unwrap_or_default();
            let attempts = view.run.advances.at_node(node.id).iter();
            attempts.map(move |attempt| (place, attempt))
        };
        let mut attempts: Vec<_> = view.run.graph.nodes().flat_map(of_node).collect();
        attempts.sort_by_key(|(_, attempt)| attempt.index);
        for (row, (node, attempt)) in (0..).zip(attempts) {
            self.attempts.node.push(node);
            self.attempts.at.push(view.session.time_of(attempt.index));
            let reached = attempt.reached.and_then(|reached| view.place(reached));
            self.attempts.reached.push(reached);
            self.attempts.asked.extend(attempt.only_asks_person.then_some(row));
        }
    }
}

impl NodeCount {
    fn of(node: NodeIndex, count: usize) -> Option<Self> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        (count > 0).then_some(Self { node, count })
    }
}

/// A run with the places of its nodes.
struct RunView<'a> {
    session: &'a SessionState,
    run: &'a RunState,
    workflow: &'a CompiledWorkflow,
    places: IdMap<NodeId, NodeIndex>,
    tip: Option<NodeId>,
}

impl RunView<'_> {
    fn place(&self, node: NodeId) -> Option<NodeIndex> {
        self.places.get(&node).copied()
    }

    /// Returns the waits at a node: those that gaps record, or else the wait for a confirmation.
    fn waits(&self, place: NodeIndex, node: &RunNode, step: Option<&NodeStep>) -> Vec<PersonWait> {
        let asks = |gap: &&Gap| {
            gap.record.reason.category() == ReasonCategory::UserOnlyDependency
                && matches!(gap.record.resolution, Resolution::Unresolved {})
                && !gap.is_of_person()
        };
        let waits: Vec<_> =
            self.run.gaps.on(node.id).filter(asks).map(|gap| self.wait(place, gap)).collect();
        if waits.is_empty() && node.kind == NodeKind::Step {
            return self.confirmation(place, node, step).into_iter().collect();
        }
        waits
    }

    fn wait(&self, node: NodeIndex, gap: &Gap) -> PersonWait {
        let end = gap.resolved_by.and_then(|by| self.run.gaps.find(by));
        PersonWait {
            node,
            from: self.session.time_of(gap.index),
            until: end.map(|end| self.session.time_of(end.index)),
            decision: end.and_then(Gap::decision).map(|made| made.decision),
        }
    }

    /// Returns the wait for the confirmation of a step before it is done. Its beginning is no event of its own: the
    /// agent asks when it reaches the step.
    fn confirmation(
        &self,
        place: NodeIndex,
        node: &RunNode,
        step: Option<&NodeStep>,
    ) -> Option<PersonWait> {
        let step = self.workflow.step(&step?.step_id)?;
        let preferences = self.run.preferences.effective(node.id);
        let stops = preferences.is_none_or(|held| held.autonomy == Autonomy::Guided);
        if !step.require_confirmation || !stops {
            return None;
        }
        let decided = self.run.decisions_on(node.id).into_iter().next();
        let attempt = self.run.advances.at_node(node.id).first().map(|attempt| attempt.index);
        let decided_at = decided.as_ref().map(|decided| decided.index);
        let ended: Option<EventIndex> = [decided_at, attempt].into_iter().flatten().min();
        // A node that another branch left unanswered is no wait: nobody is asked there any more.
        if ended.is_none() && self.tip != Some(node.id) {
            return None;
        }
        let decision = decided.filter(|decided| Some(decided.index) == ended);
        Some(PersonWait {
            node: place,
            from: self.session.time_of(node.created),
            until: ended.map(|ended| self.session.time_of(ended)),
            decision: decision.map(|decided| decided.decision.decision),
        })
    }
}

/// The tables that nodes refer to, while they are built.
#[derive(Default)]
struct ShapeTables {
    steps: Vec<ShapeStep>,
    titles: Vec<String>,
    step_rows: HashMap<StepId, u32>,
    title_rows: HashMap<String, u32>,
}

impl ShapeTables {
    /// Returns the rows of a step and of its title, which are added if they are new.
    fn place(
        &mut self,
        step: Option<&NodeStep>,
        workflow: &CompiledWorkflow,
    ) -> Option<(u32, u32)> {
        let NodeStep { step_id, title, .. } = step?;
        let row = if let Some(row) = self.step_rows.get(step_id) {
            *row
        } else {
            let place = workflow.steps.iter().position(|step| step.step_id == *step_id)?;
            let collapsed = is_added_probe(&workflow.steps[place]);
            let row = next_row(&self.steps);
            self.steps.push(ShapeStep { step_id: step_id.clone(), number: place + 1, collapsed });
            self.step_rows.insert(step_id.clone(), row);
            row
        };
        let title = if let Some(row) = self.title_rows.get(title.as_str()) {
            *row
        } else {
            let row = next_row(&self.titles);
            self.titles.push(title.clone());
            self.title_rows.insert(title.clone(), row);
            row
        };
        Some((row, title))
    }
}

fn next_row<T>(rows: &[T]) -> u32 {
    u32::try_from(rows.len())
        .expect("a run has fewer rows than nodes, and those are counted in 32 bits")
}

/// True if a step only finds out about the agent and was not written by the author.
fn is_added_probe(step: &CompiledStep) -> bool {
    step.probe.is_some() && step.provenance.source != ProvenanceSource::Authored
}
