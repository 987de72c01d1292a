//! The state of a run that has begun and not ended.
//!
//! *Invariants*: the pending step is not among the completed ones. A loop is on the stack at most once. The
//! pending step is where the stack says, because its place is derived from the stack.
//!
//! The check cannot be bypassed:
//!
//! ```compile_fail,E0451
//! # use piton_workflow::snapshot::{CompletedSteps, Decisions, PendingStep, Running};
//! # use piton_workflow::LoopPath;
//! fn unchecked(completed: CompletedSteps, loop_stack: LoopPath, step: PendingStep) -> Running {
//!     Running { completed, loop_stack, decisions: Decisions::default(), pending: Some(step) }
//! }
//! ```

use super::completed::CompletedSteps;
use super::decisions::Decisions;
use super::error::SnapshotError;
use super::pending::PendingStep;
use crate::loop_path::LoopPath;
use crate::step_instance::StepInstanceKey;

/// The state of a run that is neither new nor complete: its completed steps, its position and its pending
/// step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    completed: CompletedSteps,
    loop_stack: LoopPath,
    decisions: Decisions,
    pending: Option<PendingStep>,
}

impl Running {
    /// Creates the state of a run inside the loops of `loop_stack`, outermost first. Refused if the pending
    /// step is already completed.
    pub fn new(
        completed: CompletedSteps,
        loop_stack: LoopPath,
        pending: Option<PendingStep>,
    ) -> Result<Self, SnapshotError> {
        let running = Self { completed, loop_stack, decisions: Decisions::default(), pending };
        // A completed step must not be done again.
        match running.pending_key() {
            Some(key) if running.completed.contains(&key) => {
                Err(SnapshotError::PendingCompleted { key })
            }
            _ => Ok(running),
        }
    }

    /// Returns the same state with the results of decision steps.
    #[must_use]
    pub fn with_decisions(self, decisions: Decisions) -> Self {
        Self { decisions, ..self }
    }

    /// Returns the results of decision steps.
    pub const fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// Returns the completed steps.
    pub const fn completed(&self) -> &CompletedSteps {
        &self.completed
    }

    /// Returns the loops that the run is in, outermost first, each with its iteration.
    pub const fn loop_stack(&self) -> &LoopPath {
        &self.loop_stack
    }

    /// Returns the step that is to be done next.
    pub const fn pending(&self) -> Option<&PendingStep> {
        self.pending.as_ref()
    }

    /// Returns the key of the pending step.
    pub fn pending_key(&self) -> Option<StepInstanceKey> {
        // The place of the pending step is not stored: the loop stack is the only source for it.
        let pending = self.pending.as_ref()?;
        Some(StepInstanceKey::new(&self.loop_stack, &pending.step_id))
    }
}
