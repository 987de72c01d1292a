//! The scope that prompts and conditions inside of loops are evaluated in.

use serde_json::{Map, Value};

use super::step_position::find_loop;
use crate::compile::{CompiledCondition, CompiledLoop, CompiledWorkflow};
use crate::loop_path::LoopPosition;
use crate::predicate::PredicateScope;

/// Returns the context of the run, overlaid with the variables of the loops of `stack`.
pub(super) fn scope<'a>(
    workflow: &CompiledWorkflow,
    stack: &[LoopPosition],
    context: &'a Map<String, Value>,
) -> PredicateScope<'a> {
    stack.iter().fold(PredicateScope::new(context), |scope, position| {
        match find_loop(workflow, &position.loop_id) {
            Some(of) => turn(workflow, of, position, scope),
            None => scope,
        }
    })
}

/// Returns `scope` as it is inside one turn of a loop.
fn turn<'a>(
    workflow: &CompiledWorkflow,
    of: &CompiledLoop,
    position: &LoopPosition,
    scope: PredicateScope<'a>,
) -> PredicateScope<'a> {
    let Some(variables) = &of.variables else {
        return scope;
    };
    let index = position.iteration.get();
    let item = match condition_of(workflow, of) {
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

/// Returns the condition that a loop evaluates before each turn.
pub(super) fn condition_of<'a>(
    workflow: &'a CompiledWorkflow,
    of: &CompiledLoop,
) -> Option<&'a CompiledCondition> {
    workflow.conditions.iter().find(|condition| *condition.condition_id() == of.condition_id)
}
