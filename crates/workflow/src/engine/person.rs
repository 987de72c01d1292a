//! Dependencies that only a person can settle.
//!
//! *Invariants*: what a person settled at a node counts for that node alone. Nothing that an agent submits settles
//! it.

use super::error::EngineError;
use super::finding::Finding;
use super::report;
use super::step_position::StepPosition;
use crate::compile::CompiledWorkflow;
use crate::reason::UserOnlyDependency;
use crate::snapshot::ExecutionState;

/// Finds that the step pending in `state` needs a person, unless that is `settled`.
pub(super) fn judge(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    settled: &[UserOnlyDependency],
) -> Result<Option<Finding>, EngineError> {
    let step = StepPosition::of(workflow, state)?.step;
    let open = step.needs_user.as_ref().filter(|need| !settled.contains(&need.reason));
    Ok(open.map(|need| report::person(step, need)))
}
