//! The set of completed steps.
//!
//! *Invariants*: at most [`COMPLETED_STEPS_MAX`] keys, each once, in the order of their bytes.

use std::collections::BTreeSet;

use super::error::SnapshotError;
use crate::bounds::COMPLETED_STEPS_MAX;
use crate::loop_path::LoopPath;
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
