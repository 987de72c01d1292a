//! Snapshots of a small workflow.

use piton_core::{BoundedText, Digest, WorkflowHash};
use piton_workflow::snapshot::{CompletedSteps, Running};
use piton_workflow::{
    ExecutionSnapshot, ExecutionState, Iteration, LoopPath, LoopPosition, PendingStep,
};

pub(crate) fn workflow_hash() -> WorkflowHash {
    WorkflowHash::new(Digest::from_bytes([5; 32]))
}

pub(crate) fn of(state: ExecutionState) -> ExecutionSnapshot {
    ExecutionSnapshot { workflow_hash: workflow_hash(), state }
}

pub(crate) fn completed(keys: &[&str]) -> CompletedSteps {
    CompletedSteps::new(keys.iter().map(|key| key.parse().unwrap())).unwrap()
}

pub(crate) fn stack(positions: &[(&str, u32)]) -> LoopPath {
    let position = |(loop_id, iteration): &(&str, u32)| LoopPosition {
        loop_id: loop_id.parse().unwrap(),
        iteration: Iteration::new(*iteration).unwrap(),
    };
    LoopPath::new(positions.iter().map(position).collect()).unwrap()
}

pub(crate) fn pending(step: &str) -> PendingStep {
    PendingStep {
        step_id: step.parse().unwrap(),
        title: BoundedText::new("Triage").unwrap(),
        prompt: BoundedText::new("Sort what you found.\nAsk if in doubt – “always”.").unwrap(),
        require_confirmation: true,
    }
}

/// In the third turn of a loop in the first turn of another, with three steps done.
pub(crate) fn in_loops() -> Running {
    Running::new(
        completed(&["outer@0/inner@1::triage", "outer@0/inner@0::triage", "collect"]),
        stack(&[("outer", 0), ("inner", 2)]),
        Some(pending("triage")),
    )
    .unwrap()
}

/// Between two steps, outside of any loop.
pub(crate) fn idle() -> Running {
    Running::new(completed(&[]), LoopPath::default(), None).unwrap()
}

/// A snapshot of each state.
pub(crate) fn snapshots() -> [ExecutionSnapshot; 4] {
    [
        of(ExecutionState::Init),
        of(ExecutionState::Running(idle())),
        of(ExecutionState::Running(in_loops())),
        of(ExecutionState::Complete),
    ]
}
