//! The progress of a run: its completed steps, and the decisions about loops that it still needs.
//!
//! *Invariants*: at most [`COMPLETED_STEPS_MAX`] keys, each once, and at most [`DECISIONS_MAX`] decisions, both
//! in the order of the bytes of their keys. A decision is kept under the key of the step instance that made it,
//! so the decision of one iteration is never mistaken for that of another.

use std::collections::{BTreeMap, BTreeSet};

use super::error::SnapshotError;
use crate::bounds::{COMPLETED_STEPS_MAX, DECISIONS_MAX};
use crate::loop_path::LoopPath;
use crate::name::LoopId;
use crate::step_instance::StepInstanceKey;

/// The step instances that a run has completed on the way to a node. Only the newest iteration of a repeated
/// loop is kept: nothing asks for the ones before it, and the log has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompletedSteps(BTreeSet<StepInstanceKey>);

impl CompletedSteps {
    /// Creates the set of `keys`, which may come in any order and repeatedly.
    pub fn new(keys: impl IntoIterator<Item = StepInstanceKey>) -> Result<Self, SnapshotError> {
        let mut set = Self::default();
        for key in keys {
            set = set.with(key)?;
        }
        Ok(set)
    }

    /// Creates the set from keys that must already be sorted and distinct, as they are when written.
    pub(super) fn from_sorted(keys: Vec<StepInstanceKey>) -> Result<Self, SnapshotError> {
        // `>=` also catches a repeated key.
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(SnapshotError::CompletedNotSorted { key: pair[1].clone() });
        }
        Self::new(keys)
    }

    /// Returns the set with one more key.
    pub fn with(mut self, key: StepInstanceKey) -> Result<Self, SnapshotError> {
        self.0.insert(key);
        if self.0.len() > COMPLETED_STEPS_MAX {
            return Err(SnapshotError::TooManyCompleted);
        }
        Ok(self)
    }

    /// Returns the set without the iteration that `turn` ends with, including the loops inside it.
    #[must_use]
    pub fn without_turn(mut self, turn: &LoopPath) -> Self {
        // Called when a loop repeats, so that the set does not grow with the number of iterations.
        self.0.retain(|key| !key.lies_within(turn));
        self
    }

    /// True if the step instance is completed.
    pub fn contains(&self, key: &StepInstanceKey) -> bool {
        self.0.contains(key)
    }

    /// Returns the keys in the order of their bytes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &StepInstanceKey> {
        self.0.iter()
    }
}

piton_core::closed_set! {
    /// Whether a loop turns once more.
    pub enum LoopDecision {
        /// It does.
        Continue => "continue",
        /// It does not.
        Stop => "stop",
    }
}

/// The result of a decision step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopControl {
    pub loop_id: LoopId,
    pub decision: LoopDecision,
}

/// The valid decisions on the way to a node that may still be needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions(BTreeMap<StepInstanceKey, LoopControl>);

impl Decisions {
    /// Returns the decisions with that of the step `key`, or without one if it made none.
    pub fn with(
        mut self,
        key: StepInstanceKey,
        control: Option<LoopControl>,
    ) -> Result<Self, SnapshotError> {
        match control {
            Some(control) => self.0.insert(key, control),
            // A step that is done again may decide nothing this time; its earlier decision must not survive.
            None => self.0.remove(&key),
        };
        if self.0.len() > DECISIONS_MAX {
            return Err(SnapshotError::TooManyDecisions);
        }
        Ok(self)
    }

    /// Returns the decisions without those of the iteration that `turn` ends with and of the loops inside it.
    #[must_use]
    pub fn without_turn(mut self, turn: &LoopPath) -> Self {
        self.0.retain(|key, _| !key.lies_within(turn));
        self
    }

    /// Returns the decision of the step `key`.
    pub fn get(&self, key: &StepInstanceKey) -> Option<&LoopControl> {
        self.0.get(key)
    }

    /// Returns every decision, in the order of the bytes of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&StepInstanceKey, &LoopControl)> {
        self.0.iter()
    }

    /// Creates decisions that must already be sorted and distinct, as they are when written.
    pub(super) fn from_sorted(
        decisions: Vec<(StepInstanceKey, LoopControl)>,
    ) -> Result<Self, SnapshotError> {
        // Sorted and distinct keys give each set of decisions one encoding, so its digest is unique as well.
        if let Some(pair) = decisions.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(SnapshotError::DecisionsNotSorted { key: pair[1].0.clone() });
        }
        if decisions.len() > DECISIONS_MAX {
            return Err(SnapshotError::TooManyDecisions);
        }
        Ok(Self(decisions.into_iter().collect()))
    }
}
