//! The definitions of the functions that the steps in a recap refer to.

use std::collections::BTreeSet;

use piton_core::NodeId;

use crate::{
    bounds::FUNCTIONS_BYTES_MAX,
    compile::{CompiledWorkflow, FunctionDefinition, FunctionScope, function::section},
    name::StepId,
    snapshot::PendingStep,
};

/// Returns the definitions that the steps of `parts` need beyond those of the pending step. Earlier parts come first.
pub(super) fn definitions<'s>(
    workflow: &CompiledWorkflow,
    pending: Option<&PendingStep>,
    parts: &[Vec<NodeId>],
    step_at: &impl Fn(NodeId) -> Option<&'s PendingStep>,
) -> String {
    let of_step = |id: &StepId| {
        let step = workflow.step(id);
        step.map(|step| workflow.functions_of(step)).unwrap_or_default()
    };
    // The prompt of the pending step holds its own definitions already. They are not repeated, but they use up
    // budget.
    let own = pending.map(|pending| of_step(&pending.step_id)).unwrap_or_default();
    let budget = FUNCTIONS_BYTES_MAX.saturating_sub(section(&own, FUNCTIONS_BYTES_MAX).len());
    let mut known: BTreeSet<_> = own.iter().map(|function| &function.key).collect();
    let mut listed = Vec::new();
    for part in parts {
        let steps = part.iter().filter_map(|node| step_at(*node));
        let mut functions: Vec<_> = steps.flat_map(|step| of_step(&step.step_id)).collect();
        functions.retain(|function| known.insert(&function.key));
        functions.sort_by_key(|function| by_scope_and_name(function));
        listed.extend(functions);
    }
    section(&listed, budget)
}

/// Sort key: inner scopes first, by name within each.
fn by_scope_and_name(function: &FunctionDefinition) -> (u8, &str, &FunctionScope) {
    let scope = &function.key.scope;
    let rank = match scope {
        FunctionScope::Step { .. } => 0,
        FunctionScope::Loop { .. } => 1,
        FunctionScope::Workflow => 2,
    };
    (rank, function.key.name.as_str(), scope)
}
