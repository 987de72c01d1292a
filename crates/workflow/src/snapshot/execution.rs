//! The snapshot, its states, the facts derived from them, and the check that it belongs to a workflow.
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

use std::collections::BTreeSet;

use piton_core::{BoundedText, CanonicalBytes, Digest, SnapshotRef, WorkflowHash, canonical};

use super::error::{SnapshotError, SnapshotMismatch};
use super::progress::{CompletedSteps, Decisions};
use super::wire;
use crate::bounds::{RENDERED_PROMPT_BYTES_MAX, STEP_TITLE_BYTES_MAX};
use crate::loop_path::LoopPath;
use crate::name::{LoopId, StepId};
use crate::step_instance::StepInstanceKey;

/// Everything that is needed to resume from a run node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionSnapshot {
    /// The compiled workflow that the run is pinned to.
    pub workflow_hash: WorkflowHash,
    pub state: ExecutionState,
}

/// The progress of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutionState {
    /// Nothing was done or chosen yet.
    Init,
    Running(Running),
    Complete,
}

impl ExecutionSnapshot {
    /// Encodes the snapshot as it is stored.
    pub fn encode(&self) -> CanonicalBytes {
        canonical::encode(self).expect("texts and small numbers, a few levels deep")
    }

    /// Decodes a stored snapshot. Bytes that [`ExecutionSnapshot::encode`] would not have written are
    /// refused.
    pub fn decode(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let snapshot = wire::read(bytes)?;
        // The reference of a snapshot is the digest of its bytes, so a second spelling would be a second
        // snapshot.
        if snapshot.encode().as_bytes() != bytes {
            return Err(SnapshotError::NotCanonical);
        }
        Ok(snapshot)
    }

    /// Returns the reference under which the snapshot is stored: the digest of its bytes.
    pub fn snapshot_ref(&self) -> SnapshotRef {
        SnapshotRef::new(Digest::of(&self.encode()))
    }
}

/// True if the run is complete.
pub const fn derive_is_complete(snapshot: &ExecutionSnapshot) -> bool {
    matches!(snapshot.state, ExecutionState::Complete)
}

/// Returns the step that is to be done at the node.
pub const fn derive_pending_step(snapshot: &ExecutionSnapshot) -> Option<&PendingStep> {
    match &snapshot.state {
        ExecutionState::Running(running) => running.pending(),
        ExecutionState::Init | ExecutionState::Complete => None,
    }
}

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

/// The title of a step as a reply shows it.
pub type StepTitle = BoundedText<STEP_TITLE_BYTES_MAX>;

/// The prompt of a step as a reply shows it: rendered once, when the node is created.
pub type RenderedPrompt = BoundedText<RENDERED_PROMPT_BYTES_MAX>;

/// A step that waits for its output, with everything that a reply says about it.
///
/// It does not record its own place within the loops: the loop stack of the snapshot says that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingStep {
    pub step_id: StepId,
    pub title: StepTitle,
    pub prompt: RenderedPrompt,
    /// Set when a person has to confirm first.
    pub require_confirmation: bool,
}

impl ExecutionSnapshot {
    /// Checks that the snapshot was made for the workflow that the run is pinned to, and that it names only
    /// `steps` and `loops` of this workflow. Call it before a run resumes from a snapshot, which may come
    /// from elsewhere.
    pub fn verify_against(
        &self,
        pinned: WorkflowHash,
        steps: &BTreeSet<StepId>,
        loops: &BTreeSet<LoopId>,
    ) -> Result<(), SnapshotMismatch> {
        if self.workflow_hash != pinned {
            return Err(SnapshotMismatch::Workflow { snapshot: self.workflow_hash, pinned });
        }
        // A run that has not begun or has ended names neither steps nor loops.
        let ExecutionState::Running(running) = &self.state else {
            return Ok(());
        };
        let known_step = |step: &StepId| {
            if steps.contains(step) {
                return Ok(());
            }
            Err(SnapshotMismatch::Step { step_id: step.clone() })
        };
        let known_loops = |path: &LoopPath| {
            let mut ids = path.positions().iter().map(|position| &position.loop_id);
            match ids.find(|id| !loops.contains(*id)) {
                None => Ok(()),
                Some(id) => Err(SnapshotMismatch::Loop { loop_id: id.clone() }),
            }
        };
        known_loops(running.loop_stack())?;
        running.pending().map_or(Ok(()), |pending| known_step(&pending.step_id))?;
        // The keys of completed and of decided steps carry a loop path of their own, which may differ from
        // the stack.
        let decided = running.decisions().iter().map(|(key, _)| key);
        for key in running.completed().iter().chain(decided) {
            let (path, step) = key.parts();
            known_loops(&path)?;
            known_step(&step)?;
        }
        Ok(())
    }
}
