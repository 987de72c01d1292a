//! The middle of a run.
//!
//! *Invariants*: the pending step is not among the completed ones. A loop is on the stack once. The
//! pending step stands where the stack says, because its place is made from the stack.
//!
//! There is no way around the check:
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

/// What a run that is neither new nor at its end has done, where it stands, and what is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    completed: CompletedSteps,
    loop_stack: LoopPath,
    decisions: Decisions,
    pending: Option<PendingStep>,
}

impl Running {
    /// A run inside the loops of `loop_stack`, outermost first. Refused if the pending step is done.
    pub fn new(
        completed: CompletedSteps,
        loop_stack: LoopPath,
        pending: Option<PendingStep>,
    ) -> Result<Self, SnapshotError> {
        let running = Self { completed, loop_stack, decisions: Decisions::default(), pending };
        match running.pending_key() {
            Some(key) if running.completed.contains(&key) => {
                Err(SnapshotError::PendingCompleted { key })
            }
            _ => Ok(running),
        }
    }

    /// The same with what decision steps said.
    #[must_use]
    pub fn with_decisions(self, decisions: Decisions) -> Self {
        Self { decisions, ..self }
    }

    /// What decision steps said.
    pub const fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// What is done.
    pub const fn completed(&self) -> &CompletedSteps {
        &self.completed
    }

    /// The loops that the run is in, outermost first, each with its turn.
    pub const fn loop_stack(&self) -> &LoopPath {
        &self.loop_stack
    }

    /// What is to do.
    pub const fn pending(&self) -> Option<&PendingStep> {
        self.pending.as_ref()
    }

    /// The key of what is to do.
    pub fn pending_key(&self) -> Option<StepInstanceKey> {
        let pending = self.pending.as_ref()?;
        Some(StepInstanceKey::new(&self.loop_stack, &pending.step_id))
    }
}
