//! The state of one run, folded from its events, and its status.

use piton_core::{EventIndex, NodeId, RunId, TimestampMs};

use super::advances::{Advances, Submission};
use super::gaps::{Gap, Gaps};
use super::graph::{RunGraph, RunNode};
use super::inherited::{Capabilities, Contexts, PreferenceHistory};
use super::outputs::{Outputs, RecordedOutput, SideRecord, SideRecordBody, SideRecords};
use crate::event::{
    AdvanceOutcome, Autonomy, EventBody, NodeCreated, NodeKind, RunStarted, SessionEvent,
};
use crate::reason::ReasonCategory;
use crate::run::RunStatus;

/// The key of the context that holds the goal of a run.
const GOAL: &str = "goal";

/// The state of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunState {
    pub id: RunId,
    /// The workflow that it runs.
    pub started: RunStarted,
    pub graph: RunGraph,
    pub outputs: Outputs,
    /// Everything that was recorded beside the outputs.
    pub side_records: SideRecords,
    pub gaps: Gaps,
    pub preferences: PreferenceHistory,
    pub capabilities: Capabilities,
    pub advances: Advances,
    pub contexts: Contexts,
    /// Time of its start, for people.
    pub started_at: TimestampMs,
    /// Time of its newest event, for people.
    pub active_at: TimestampMs,
}

impl RunState {
    pub(super) fn new(id: RunId, started: RunStarted, started_at: TimestampMs) -> Self {
        Self {
            id,
            started,
            graph: RunGraph::default(),
            outputs: Outputs::default(),
            side_records: SideRecords::default(),
            gaps: Gaps::default(),
            preferences: PreferenceHistory::default(),
            capabilities: Capabilities::default(),
            advances: Advances::default(),
            contexts: Contexts::default(),
            started_at,
            active_at: started_at,
        }
    }

    /// Applies an event of this run.
    pub(super) fn apply(&mut self, event: &SessionEvent) {
        self.active_at = event.timestamp();
        let index = event.index();
        match event.body() {
            EventBody::NodeCreated(at, node) => self.add_node(at.node, node, index),
            EventBody::EdgeCreated(_, edge) => self.graph.add_edge(edge, index),
            EventBody::AdvanceRecorded(at, advance) => {
                self.advances.add(at.node, advance, index);
                if let AdvanceOutcome::Advanced { to_node_id } = advance.outcome {
                    self.contexts.reach(&self.graph, advance.attempt_id, to_node_id);
                }
            }
            EventBody::NodeOutputAppended(at, output) => {
                self.outputs.add(at.node, self.newest_submission(at.node), output, index);
                self.graph.touch(at.node, index);
            }
            EventBody::PreferencesChanged(at, change) => {
                self.preferences.set(&self.graph, at.node, change.effective(), index);
                self.graph.touch(at.node, index);
            }
            EventBody::CapabilityObserved(at, observed) => {
                self.capabilities.add(&self.graph, at.node, observed, index);
                self.record(at.node, SideRecordBody::Capability(observed.clone()), index);
                self.graph.touch(at.node, index);
            }
            EventBody::GapRecorded(at, gap) => {
                self.gaps.add(at.node, gap, index);
                self.graph.touch(at.node, index);
            }
            EventBody::DivergenceRecorded(at, divergence) => {
                self.record(at.node, SideRecordBody::Divergence(divergence.clone()), index);
                self.graph.touch(at.node, index);
            }
            // A context belongs to the run rather than to a node, and a trace only explains. Neither is activity on a
            // branch.
            EventBody::ContextSet(_, set) => self.contexts.set(&self.graph, set, &self.advances),
            EventBody::DecisionTraceAppended(at, trace) => {
                self.record(at.node, SideRecordBody::Trace(trace.clone()), index);
            }
            // These events are about the session: nothing in a run depends on them.
            EventBody::ObservationRecorded { .. }
            | EventBody::SessionCreated
            | EventBody::RunStarted(..) => {}
        }
    }

    fn record(&mut self, node: NodeId, body: SideRecordBody, index: EventIndex) {
        // All events of an attempt follow its record in one plan, so the newest attempt is the one that this came
        // with.
        let submission = self.newest_submission(node);
        self.side_records.add(node, SideRecord { index, submission, body });
    }

    fn newest_submission(&self, node: NodeId) -> Option<Submission> {
        self.advances.at_node(node).last().copied()
    }

    /// Iterates over the nodes from `last` up to the root, each with the next node on the way back down to `last`.
    pub fn way_up(&self, last: NodeId) -> impl Iterator<Item = (&RunNode, Option<&RunNode>)> {
        let nodes = self.graph.ancestry(last);
        let below = [None].into_iter().chain(self.graph.ancestry(last).map(Some));
        nodes.zip(below)
    }

    /// Iterates over the bookmarks that were made at a node, oldest first.
    pub fn bookmarks_on<'a>(&'a self, node: &'a RunNode) -> impl Iterator<Item = &'a RunNode> {
        self.graph.children(node).filter(|child| child.kind == NodeKind::Checkpoint)
    }

    /// Returns the outputs submitted at a node on the way to `next`: every branch has its own. Without a next node,
    /// returns those of the newest attempt.
    pub fn outputs_toward(&self, node: &RunNode, next: Option<&RunNode>) -> Vec<&RecordedOutput> {
        let attempt = self.attempt_toward(node, next);
        let mut found: Vec<&RecordedOutput> = self.outputs.at_node(node.id).iter().collect();
        // An output without an attempt belongs to the node, and so to every branch.
        found.retain(|output| output.submission.is_none() || output.submission == attempt);
        // Only outputs of the same branch count as corrections: `superseded` would also hide what another branch
        // replaced.
        let corrected: Vec<_> = found.iter().filter_map(|output| output.supersedes).collect();
        found.retain(|output| !corrected.contains(&output.id));
        found
    }

    /// Returns the goal, as the context at a node says.
    pub fn goal(&self, node: NodeId) -> Option<&str> {
        self.contexts.effective(node)?.as_object().get(GOAL)?.as_str()
    }

    /// Returns the notes among [`RunState::outputs_toward`].
    pub fn notes_toward(&self, node: &RunNode, next: Option<&RunNode>) -> Option<&RecordedOutput> {
        let is_notes = |output: &&RecordedOutput| output.notes().is_some();
        self.outputs_toward(node, next).into_iter().rfind(is_notes)
    }

    /// Returns the side records at a node on the way to `next`, selected as in [`RunState::outputs_toward`].
    pub fn side_records_toward(
        &self,
        node: &RunNode,
        next: Option<&RunNode>,
    ) -> impl DoubleEndedIterator<Item = &SideRecord> {
        let attempt = self.attempt_toward(node, next);
        let belongs =
            move |record: &&SideRecord| record.submission.is_none() || record.submission == attempt;
        self.side_records.at_node(node.id).iter().filter(belongs)
    }

    /// Returns the attempt that led from a node to `next`. For a bookmark, that is the newest attempt before it, if
    /// it was blocked. Without a next node, it is the newest attempt of all.
    fn attempt_toward(&self, node: &RunNode, next: Option<&RunNode>) -> Option<Submission> {
        let made = self.advances.at_node(node.id);
        let found = match next {
            None => made.last(),
            Some(next) if next.kind == NodeKind::Checkpoint => {
                let older = made.iter().rfind(|attempt| attempt.index < next.created);
                older.filter(|attempt| attempt.reached.is_none())
            }
            Some(next) => made.iter().find(|attempt| attempt.reached == Some(next.id)),
        };
        found.copied()
    }

    fn add_node(&mut self, id: NodeId, node: &NodeCreated, index: EventIndex) {
        self.graph.add_node(id, node, index);
        self.preferences.add_node(&self.graph, id);
        self.capabilities.add_node(&self.graph, id);
        self.contexts.add_node(&self.graph, id);
    }
}

/// Returns the status of `run` at its preferred tip. The caller takes `is_complete` from the snapshot of the preferred tip.
pub fn status(run: &RunState, is_complete: bool) -> RunStatus {
    if is_complete {
        return if run.gaps.open_critical() > 0 {
            RunStatus::CompleteWithGaps
        } else {
            RunStatus::Complete
        };
    }
    let Some(tip) = run.graph.preferred_tip() else { return RunStatus::InProgress };
    let preferences = run.preferences.effective(tip.id);
    // A run that never stops is not blocked by any gap. Without preferences on record it counts as one that stops.
    let stops =
        preferences.is_none_or(|preferences| preferences.autonomy != Autonomy::FullAutoNeverStop);
    let blocks =
        |gap: &Gap| gap.is_critical() && gap.record.reason.category() != ReasonCategory::Unexpected;
    if stops && run.gaps.open_on(tip.id).any(blocks) {
        return RunStatus::Blocked;
    }
    RunStatus::InProgress
}
