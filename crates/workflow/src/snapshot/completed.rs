//! The set of steps that are done.
//!
//! *Invariants*: at most [`COMPLETED_STEPS_MAX`] keys, each once, in the order of their bytes.

use std::collections::BTreeSet;

use super::error::SnapshotError;
use crate::bounds::COMPLETED_STEPS_MAX;
use crate::step_instance::StepInstanceKey;

/// The step instances that a run has completed on the way to a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompletedSteps(BTreeSet<StepInstanceKey>);

impl CompletedSteps {
    /// The set of `keys`, which may come in any order and several times.
    pub fn new(keys: impl IntoIterator<Item = StepInstanceKey>) -> Result<Self, SnapshotError> {
        let mut set = Self::default();
        for key in keys {
            set = set.with(key)?;
        }
        Ok(set)
    }

    /// The set of keys that must already be sorted and distinct, as they are when written.
    pub(super) fn from_sorted(keys: Vec<StepInstanceKey>) -> Result<Self, SnapshotError> {
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(SnapshotError::CompletedNotSorted { key: pair[1].clone() });
        }
        Self::new(keys)
    }

    /// The set with one more key.
    pub fn with(mut self, key: StepInstanceKey) -> Result<Self, SnapshotError> {
        self.0.insert(key);
        if self.0.len() > COMPLETED_STEPS_MAX {
            return Err(SnapshotError::TooManyCompleted);
        }
        Ok(self)
    }

    /// Whether a step instance is done.
    pub fn contains(&self, key: &StepInstanceKey) -> bool {
        self.0.contains(key)
    }

    /// The keys in the order of their bytes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &StepInstanceKey> {
        self.0.iter()
    }
}
