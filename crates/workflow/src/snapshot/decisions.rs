//! What decision steps said about their loops, as far as a run still needs it.
//!
//! *Invariants*: decisions are kept by the turn of the step that made them, so the decision of one turn is never
//! taken for that of another. At most [`DECISIONS_MAX`] of them, in the order of the bytes of their keys.

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

/// What a decision step said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopControl {
    /// The loop.
    pub loop_id: LoopId,
    /// Whether it turns once more.
    pub decision: LoopDecision,
}

/// The valid decisions on the way to a node that may still be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions(BTreeMap<StepInstanceKey, LoopControl>);

impl Decisions {
    /// The decisions with that of the step `key`, or without one if it made none.
    pub fn with(
        mut self,
        key: StepInstanceKey,
        control: Option<LoopControl>,
    ) -> Result<Self, SnapshotError> {
        match control {
            Some(control) => self.0.insert(key, control),
            None => self.0.remove(&key),
        };
        if self.0.len() > DECISIONS_MAX {
            return Err(SnapshotError::TooManyDecisions);
        }
        Ok(self)
    }

    /// The decisions without those of the turn that `turn` ends with, and of the loops inside of it.
    #[must_use]
    pub fn without_turn(mut self, turn: &LoopPath) -> Self {
        self.0.retain(|key, _| !key.lies_within(turn));
        self
    }

    /// What the step `key` said.
    pub fn get(&self, key: &StepInstanceKey) -> Option<&LoopControl> {
        self.0.get(key)
    }

    /// Every decision, in the order of the bytes of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&StepInstanceKey, &LoopControl)> {
        self.0.iter()
    }

    /// Decisions that must already be sorted and distinct, as they are when written.
    pub(super) fn from_sorted(
        decisions: Vec<(StepInstanceKey, LoopControl)>,
    ) -> Result<Self, SnapshotError> {
        if let Some(pair) = decisions.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(SnapshotError::DecisionsNotSorted { key: pair[1].0.clone() });
        }
        if decisions.len() > DECISIONS_MAX {
            return Err(SnapshotError::TooManyDecisions);
        }
        Ok(Self(decisions.into_iter().collect()))
    }
}
