//! Renders the pending step as an agent reads it.
//!
//! *Invariants*: inserted values are not expanded again, so a value that contains `{{ }}` stays as it is. A missing
//! variable is named in its place. The strict dialect has no variables: its prompts are shown as they were compiled.

use piton_core::{BoundedText, byte_len, truncate};
use serde_json::{Map, Value};

use super::loops::expected_turns;
use super::next_step::EngineError;
use super::position::scope;
use crate::bounds::{FILLED_BYTES_MAX, FUNCTIONS_BYTES_MAX, STEP_TITLE_BYTES_MAX};
use crate::compile::function::section;
use crate::compile::{CompiledStep, CompiledWorkflow};
use crate::loop_path::LoopPosition;
use crate::predicate::{Predicate, PredicateScope};
use crate::snapshot::PendingStep;
use crate::source::Dialect;

/// Renders `step` inside the loops of `stack`, with the functions that it refers to. At the start of a run, the
/// opening of the workflow comes first.
pub(super) fn pending(
    workflow: &CompiledWorkflow,
    step: &CompiledStep,
    stack: &[LoopPosition],
    context: &Map<String, Value>,
    beginning: bool,
) -> Result<PendingStep, EngineError> {
    let functions = section(&workflow.functions_of(step), FUNCTIONS_BYTES_MAX);
    let scope = scope(workflow, stack, context);
    let holds = |when: &Option<Predicate>| when.as_ref().is_none_or(|when| when.holds(&scope));
    let (title, prompt) = match workflow.dialect {
        Dialect::Strict => (step.title.clone(), [step.prompt.as_str(), &functions].concat()),
        Dialect::Classic => {
            let shown = step.fragments.iter().filter(|fragment| holds(&fragment.when));
            let fragments = shown.map(|fragment| format!("\n\n---\n{}", fragment.text));
            let opening = if beginning && !workflow.opening.is_empty() {
                format!("{}\n\n---\n\n", workflow.opening)
            } else {
                String::new()
            };
            let banner = banner(workflow, stack, context);
            let text =
                [&opening, &banner, &step.prompt, &fragments.collect::<String>(), &functions]
                    .map(String::as_str)
                    .concat();
            let title = fill(&step.title, &scope, STEP_TITLE_BYTES_MAX);
            let title = truncate(&title, STEP_TITLE_BYTES_MAX).into_owned();
            (title, fill(&text, &scope, FILLED_BYTES_MAX))
        }
    };
    let asked = step.confirmation.as_ref().is_some_and(|asked| holds(&asked.when));
    Ok(PendingStep {
        step_id: step.step_id.clone(),
        title: BoundedText::new(title)?,
        prompt: BoundedText::new(prompt)?,
        require_confirmation: step.require_confirmation || asked,
    })
}

/// Describes the turns of the loops around the step, outermost first. Empty outside of loops.
fn banner(
    workflow: &CompiledWorkflow,
    stack: &[LoopPosition],
    context: &Map<String, Value>,
) -> String {
    let mut turns = Vec::new();
    for (depth, position) in stack.iter().enumerate() {
        let Some(this_loop) = workflow.find_loop(&position.loop_id) else {
            continue;
        };
        let outside = scope(workflow, &stack[..depth], context);
        let (total, known) = expected_turns(workflow.condition_of(this_loop), this_loop, &outside);
        let most = if known { "" } else { "at most " };
        let turn = position.iteration.get() + 1;
        let title = this_loop.title.as_deref().unwrap_or(this_loop.loop_id.as_str());
        turns.push(format!("turn {turn} of {most}{total} of \"{title}\""));
    }
    if turns.is_empty() {
        return String::new();
    }
    format!("This is {}.\n\n", turns.join(", in "))
}

/// Returns `text` with every `{{path}}` filled in, by at most `budget_bytes` of values.
fn fill(text: &str, scope: &PredicateScope<'_>, mut budget_bytes: usize) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((path, behind)) = variable(after) else {
            // Not a variable: the braces are ordinary text.
            filled.push_str("{{");
            rest = after;
            continue;
        };
        let value = text_at(path, scope);
        // All values share one budget, so that a text with many variables stays bounded.
        let value = truncate(&value, budget_bytes);
        budget_bytes -= byte_len(&value).min(budget_bytes);
        filled.push_str(&value);
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

/// Splits `text`, which follows `{{`, into the path at its start and the rest after its `}}`. Nothing is scanned
/// beyond the characters that a path may hold, so that the time for a text does not depend on the number of its `{{`.
fn variable(text: &str) -> Option<(&str, &str)> {
    let allowed =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let end = text.find(|letter: char| !allowed(letter) && !letter.is_whitespace())?;
    let (path, behind) = (text[..end].trim(), text[end..].strip_prefix("}}")?);
    (!path.is_empty() && path.chars().all(allowed)).then_some((path, behind))
}

fn text_at(path: &str, scope: &PredicateScope<'_>) -> String {
    match scope.get(path) {
        None | Some(Value::Null) => format!("[unset: {path}]"),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
