//! Everything that events say about one run.

use piton_core::{EventIndex, RunId};

use super::{
    advances::Advances, capabilities::Capabilities, contexts::Contexts, gaps::Gaps,
    graph::RunGraph, outputs::Outputs, preferences::PreferenceHistory,
};
use crate::event::{EventBody, Outcome, RunStarted};

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
}

impl RunState {
    pub(super) fn new(id: RunId, started: RunStarted) -> Self {
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
        }
    }

    /// Takes in an event of this run.
    pub(super) fn apply(&mut self, body: &EventBody, index: EventIndex) {
        match body {
            EventBody::NodeCreated(at, node) => self.graph.add_node(at.node, node, index),
            EventBody::EdgeCreated(_, edge) => self.graph.add_edge(edge, index),
            EventBody::AdvanceRecorded(at, advance) => {
                self.advances.add(at.node, advance, index);
                if let Outcome::Advanced { to_node_id } = advance.outcome {
                    self.contexts.reach(advance.attempt_id, to_node_id);
                }
            }
            EventBody::NodeOutputAppended(at, output) => {
                self.outputs.add(at.node, output, index);
                self.graph.touch(at.node, index);
            }
            EventBody::PreferencesChanged(at, change) => {
                self.preferences.set(at.node, change.effective());
                self.graph.touch(at.node, index);
            }
            EventBody::CapabilityObserved(at, observed) => {
                self.capabilities.add(at.node, observed, index);
                self.graph.touch(at.node, index);
            }
            EventBody::GapRecorded(at, gap) => {
                self.gaps.add(at.node, gap, index);
                self.graph.touch(at.node, index);
            }
            EventBody::DivergenceRecorded(at, _) => self.graph.touch(at.node, index),
            EventBody::ContextSet(_, set) => self.contexts.set(set, &self.advances),
            // Said for people, or about the session: nothing here depends on it.
            EventBody::DecisionTraceAppended(..)
            | EventBody::ObservationRecorded { .. }
            | EventBody::SessionCreated
            | EventBody::RunStarted(..) => {}
        }
    }
}
