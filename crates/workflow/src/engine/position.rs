//! The position of a run in its workflow, and the scope that prompts and conditions are evaluated in there.

use serde_json::{Map, Value};

use super::next_step::EngineError;
use crate::compile::{
    CompiledCondition, CompiledLoop, CompiledStep, CompiledWorkflow, SequenceEntry,
};
use crate::loop_path::{LoopPath, LoopPosition};
use crate::name::LoopId;
use crate::predicate::PredicateScope;
use crate::snapshot::{ExecutionState, Running};
use crate::step_instance::StepInstanceKey;

/// The position of a pending step.
pub(super) struct StepPosition<'a> {
    pub(super) running: &'a Running,
    pub(super) step: &'a CompiledStep,
    /// The list that contains the step: the body of its loop, or the whole workflow.
    pub(super) entries: &'a [SequenceEntry],
    /// Index of the step in that list.
    pub(super) index: usize,
}

impl<'a> StepPosition<'a> {
    /// Finds the step that is pending in `state`. The loops around it must be nested in the workflow as they are in
    /// the state, and none may be beyond its last turn.
    pub(super) fn of(
        workflow: &'a CompiledWorkflow,
        state: &'a ExecutionState,
    ) -> Result<Self, EngineError> {
        let running = match state {
            ExecutionState::Running(running) => running,
            ExecutionState::Init => return Err(EngineError::NothingPending),
            ExecutionState::Complete => return Err(EngineError::Complete),
        };
        let pending = running.pending().ok_or(EngineError::NothingPending)?;
        let found = entries_within(workflow, running.loop_stack()).and_then(|entries| {
            let here = |entry: &SequenceEntry| matches!(entry, SequenceEntry::Step { step_id } if *step_id == pending.step_id);
            let index = entries.iter().position(here)?;
            Some(Self { running, step: workflow.step(&pending.step_id)?, entries, index })
        });
        found.ok_or_else(|| {
            let key = StepInstanceKey::new(running.loop_stack(), &pending.step_id);
            EngineError::Misplaced { key }
        })
    }

    /// Returns the key of the step.
    pub(super) fn key(&self) -> StepInstanceKey {
        StepInstanceKey::new(self.running.loop_stack(), &self.step.step_id)
    }

    /// Returns the loop around the step, with its turn.
    pub(super) fn innermost(&self) -> Option<&'a LoopPosition> {
        self.running.loop_stack().positions().last()
    }
}

/// Returns the body of the innermost loop of `stack`, or the whole workflow.
fn entries_within<'a>(
    workflow: &'a CompiledWorkflow,
    stack: &LoopPath,
) -> Option<&'a [SequenceEntry]> {
    let mut entries = workflow.sequence.as_slice();
    for position in stack.positions() {
        // A state may come from elsewhere, so each loop must lie in the list of the loop around it.
        index_of_loop(entries, &position.loop_id)?;
        let this_loop = workflow.find_loop(&position.loop_id)?;
        if position.iteration.get() >= this_loop.max_iterations {
            return None;
        }
        entries = &this_loop.body;
    }
    Some(entries)
}

/// Returns the index of a loop in `entries`.
pub(super) fn index_of_loop(entries: &[SequenceEntry], id: &LoopId) -> Option<usize> {
    entries
        .iter()
        .position(|entry| matches!(entry, SequenceEntry::Loop { loop_id } if loop_id == id))
}

/// Returns the context of the run, overlaid with the variables of the loops of `stack`.
pub(super) fn scope<'a>(
    workflow: &CompiledWorkflow,
    stack: &[LoopPosition],
    context: &'a Map<String, Value>,
) -> PredicateScope<'a> {
    stack.iter().fold(PredicateScope::new(context), |scope, position| {
        match workflow.find_loop(&position.loop_id) {
            Some(this_loop) => turn(workflow, this_loop, position, scope),
            None => scope,
        }
    })
}

/// Returns `scope` as it is inside one turn of a loop.
fn turn<'a>(
    workflow: &CompiledWorkflow,
    this_loop: &CompiledLoop,
    position: &LoopPosition,
    scope: PredicateScope<'a>,
) -> PredicateScope<'a> {
    let Some(variables) = &this_loop.variables else {
        return scope;
    };
    let index = position.iteration.get();
    let item = match workflow.condition_of(this_loop) {
        Some(CompiledCondition::Items { key, .. }) => {
            let item = scope.get(key).and_then(|items| items.get(index as usize));
            Some(item.cloned().unwrap_or(Value::Null))
        }
        _ => None,
    };
    let scope = scope.with(&variables.iteration, (index + 1).into());
    match item {
        None => scope,
        Some(item) => scope.with(&variables.item, item).with(&variables.index, index.into()),
    }
}
