//! Everything that events say about one run.

use piton_core::{EventIndex, NodeId, RunId, TimestampMs};

use super::{
    advances::Advances, capabilities::Capabilities, contexts::Contexts, gaps::Gaps,
    graph::RunGraph, outputs::Outputs, preferences::PreferenceHistory,
};
use crate::event::{EventBody, NodeCreated, Outcome, RunStarted, SessionEvent};

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunState {
    /// Its id.
    pub id: RunId,
    /// What it runs.
    pub started: RunStarted,
    /// Its nodes.
    pub graph: RunGraph,
    /// What its nodes produced.
    pub outputs: Outputs,
    /// What is missing.
    pub gaps: Gaps,
    /// What the person wants.
    pub preferences: PreferenceHistory,
    /// What the agent can do.
    pub capabilities: Capabilities,
    /// The attempts to advance.
    pub advances: Advances,
    /// What the run was told.
    pub contexts: Contexts,
    /// When it began, for people.
    pub started_at: TimestampMs,
    /// When its newest event was recorded, for people.
    pub active_at: TimestampMs,
}

impl RunState {
    pub(super) fn new(id: RunId, started: RunStarted, started_at: TimestampMs) -> Self {
        Self {
            id,
            started,
            graph: RunGraph::default(),
            outputs: Outputs::default(),
            gaps: Gaps::default(),
            preferences: PreferenceHistory::default(),
            capabilities: Capabilities::default(),
            advances: Advances::default(),
            contexts: Contexts::default(),
            started_at,
            active_at: started_at,
        }
    }

    /// Takes in an event of this run.
    pub(super) fn apply(&mut self, event: &SessionEvent) {
        self.active_at = event.timestamp();
        let index = event.index();
        match event.body() {
            EventBody::NodeCreated(at, node) => self.add_node(at.node, node, index),
            EventBody::EdgeCreated(_, edge) => self.graph.add_edge(edge, index),
            EventBody::AdvanceRecorded(at, advance) => {
                self.advances.add(at.node, advance, index);
                if let Outcome::Advanced { to_node_id } = advance.outcome {
                    self.contexts.reach(&self.graph, advance.attempt_id, to_node_id);
                }
            }
            EventBody::NodeOutputAppended(at, output) => {
                self.outputs.add(&self.graph, at.node, output, index);
                self.graph.touch(at.node, index);
            }
            EventBody::PreferencesChanged(at, change) => {
                self.preferences.set(&self.graph, at.node, change.effective(), index);
                self.graph.touch(at.node, index);
            }
            EventBody::CapabilityObserved(at, observed) => {
                self.capabilities.add(&self.graph, at.node, observed, index);
                self.graph.touch(at.node, index);
            }
            EventBody::GapRecorded(at, gap) => {
                self.gaps.add(at.node, gap, index);
                self.graph.touch(at.node, index);
            }
            EventBody::DivergenceRecorded(at, _) => self.graph.touch(at.node, index),
            EventBody::ContextSet(_, set) => self.contexts.set(&self.graph, set, &self.advances),
            // Said for people, or about the session: nothing here depends on it.
            EventBody::DecisionTraceAppended(..)
            | EventBody::ObservationRecorded { .. }
            | EventBody::SessionCreated
            | EventBody::RunStarted(..) => {}
        }
    }

    fn add_node(&mut self, id: NodeId, node: &NodeCreated, index: EventIndex) {
        self.graph.add_node(id, node, index);
        self.outputs.add_node(&self.graph, id);
        self.preferences.add_node(&self.graph, id);
        self.capabilities.add_node(&self.graph, id);
        self.contexts.add_node(&self.graph, id);
    }
}
