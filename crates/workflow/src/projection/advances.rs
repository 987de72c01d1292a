//! All attempts to leave a node, with their outcomes.

use piton_core::{AttemptId, EventIndex, NodeId};

use crate::event::{AdvanceOutcome, AdvanceRecorded};
use crate::id_map::IdMap;

/// An attempt, as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedAttempt {
    /// The event that recorded it.
    pub index: EventIndex,
    /// Number of attempts that were made on the node before it.
    pub ordinal: usize,
    pub outcome: AdvanceOutcome,
}

/// An attempt at a node, with the node that it led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submission {
    /// The event that recorded the attempt.
    pub index: EventIndex,
    /// The node that it led to; none if it was blocked.
    pub reached: Option<NodeId>,
    /// Set if nothing but a person's word was missing.
    pub only_asks_person: bool,
}

impl Submission {
    /// True if something was missing that the agent has to supply.
    pub fn is_refused(&self) -> bool {
        self.reached.is_none() && !self.only_asks_person
    }
}

/// The attempts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advances {
    by_attempt: IdMap<(NodeId, AttemptId), RecordedAttempt>,
    by_node: IdMap<NodeId, Vec<Submission>>,
    reached: IdMap<AttemptId, NodeId>,
}

impl Advances {
    /// Adds an attempt.
    pub fn add(&mut self, node: NodeId, advance: &AdvanceRecorded, index: EventIndex) {
        let outcome = advance.outcome.clone();
        let only_asks_person = outcome.only_asks_person();
        let reached = match outcome {
            AdvanceOutcome::Advanced { to_node_id } => Some(to_node_id),
            AdvanceOutcome::Blocked { .. } => None,
        };
        self.reached.extend(reached.map(|reached| (advance.attempt_id, reached)));
        let attempts = self.by_node.entry(node).or_default();
        let attempt = RecordedAttempt { index, ordinal: attempts.len(), outcome };
        attempts.push(Submission { index, reached, only_asks_person });
        self.by_attempt.insert((node, advance.attempt_id), attempt);
    }

    /// Returns an attempt on a node, if it was made.
    pub fn attempt(&self, node: NodeId, attempt: AttemptId) -> Option<&RecordedAttempt> {
        self.by_attempt.get(&(node, attempt))
    }

    /// Returns every attempt with its node, in the order in which they were recorded.
    pub fn all(&self) -> Vec<(NodeId, &RecordedAttempt)> {
        let mut all: Vec<_> =
            self.by_attempt.iter().map(|((node, _), made)| (*node, made)).collect();
        all.sort_by_key(|(_, attempt)| attempt.index);
        all
    }

    /// Returns the attempts on a node with their ids and outcomes, in order.
    pub fn on(&self, node: NodeId) -> Vec<(AttemptId, &RecordedAttempt)> {
        let mut made: Vec<_> = self
            .by_attempt
            .iter()
            .filter(|((own, _), _)| *own == node)
            .map(|((_, attempt), made)| (*attempt, made))
            .collect();
        made.sort_by_key(|(_, attempt)| attempt.index);
        made
    }

    /// Returns the attempts on a node, in order.
    pub fn at_node(&self, node: NodeId) -> &[Submission] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Returns the node that an attempt led to.
    pub fn reached(&self, attempt: AttemptId) -> Option<NodeId> {
        self.reached.get(&attempt).copied()
    }
}
