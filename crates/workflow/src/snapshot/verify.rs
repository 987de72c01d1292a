//! Checks that a snapshot belongs to a workflow.

use std::collections::BTreeSet;

use piton_core::WorkflowHash;

use super::error::SnapshotMismatch;
use super::execution::{ExecutionSnapshot, ExecutionState};
use crate::loop_path::LoopPath;
use crate::name::{LoopId, StepId};

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
