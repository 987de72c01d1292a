//! The results of decision steps about their loops, as far as a run still needs them.
//!
//! *Invariants*: a decision is kept under the key of the step instance that made it, so the decision of one
//! iteration is never mistaken for that of another. At most [`DECISIONS_MAX`] of them, in the order of the
//! bytes of their keys.

use std::collections::BTreeMap;

use super::error::SnapshotError;
use crate::bounds::DECISIONS_MAX;
use crate::loop_path::LoopPath;
use crate::name::LoopId;
use crate::step_instance::StepInstanceKey;

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
