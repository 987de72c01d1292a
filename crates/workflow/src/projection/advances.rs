//! Every attempt to leave a node, and how it ended.

use std::collections::HashMap;

use piton_core::{AttemptId, EventIndex, NodeId};

use crate::event::{AdvanceRecorded, Outcome};

/// The attempts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advances {
    by_attempt: HashMap<(NodeId, AttemptId), (EventIndex, Outcome)>,
    counts: HashMap<NodeId, u64>,
    reached: HashMap<AttemptId, NodeId>,
}

impl Advances {
    /// Adds an attempt.
    pub fn add(&mut self, node: NodeId, advance: &AdvanceRecorded, index: EventIndex) {
        let outcome = advance.outcome.clone();
        if let Outcome::Advanced { to_node_id } = outcome {
            self.reached.insert(advance.attempt_id, to_node_id);
        }
        self.by_attempt.insert((node, advance.attempt_id), (index, outcome));
        *self.counts.entry(node).or_default() += 1;
    }

    /// How an attempt on a node ended, if it was made.
    pub fn outcome(&self, node: NodeId, attempt: AttemptId) -> Option<&Outcome> {
        self.by_attempt.get(&(node, attempt)).map(|(_, outcome)| outcome)
    }

    /// How many attempts were made on a node.
    pub fn count(&self, node: NodeId) -> u64 {
        self.counts.get(&node).copied().unwrap_or(0)
    }

    /// The node that an attempt led to.
    pub fn reached(&self, attempt: AttemptId) -> Option<NodeId> {
        self.reached.get(&attempt).copied()
    }
}
