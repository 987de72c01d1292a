//! Reads the decision of a decision step about its loop.
//!
//! *Invariants*: a decision counts only if a decision step submitted it, that is, a step with the loop-control
//! contract. It must be an artifact that keeps the contract and names the right loop. Inside a loop that is the loop
//! around the step (or none, if the contract allows that). Outside of loops it is any loop of the workflow, if the
//! workflow has loops.

use serde_json::Value;

use super::accept::{Accepted, accept, not_allowed};
use super::step_position::{StepPosition, find_loop};
use crate::compile::CompiledWorkflow;
use crate::contract::{Breach, Violation};
use crate::name::LoopId;
use crate::snapshot::{LoopControl, LoopDecision};

/// Returns the decision about a loop that `artifacts` contain for the step at `place`. An invalid decision counts as
/// none.
pub(super) fn decided(
    workflow: &CompiledWorkflow,
    place: &StepPosition<'_>,
    artifacts: &[Value],
) -> Option<LoopControl> {
    let around = place.innermost().map(|position| &position.loop_id);
    match accept(workflow, place.step, around, artifacts) {
        Ok(Accepted::Control(control)) => Some(control),
        _ => None,
    }
}

/// Refuses a second decision about the same loop that contradicts `control`, which was read from `artifact`.
pub(super) fn check_single(
    workflow: &CompiledWorkflow,
    around: Option<&LoopId>,
    control: &LoopControl,
    artifact: &Value,
    artifacts: &[Value],
) -> Result<(), Breach> {
    let is_it = |other: &Value| std::ptr::eq(other, artifact);
    let first = artifacts.iter().position(is_it).expect("it is one of them");
    for (index, other) in artifacts.iter().enumerate() {
        if index == first || other.get("kind") != artifact.get("kind") {
            continue;
        }
        // An invalid artifact is no decision, so it contradicts nothing.
        let Ok(other) = read(workflow, around, other) else { continue };
        if other.loop_id == control.loop_id && other.decision != control.decision {
            let about = format!("the loop `{}`", control.loop_id);
            let said = [(first, control.decision), (index, other.decision)];
            let said = said.map(|(place, decision)| (place, decision.to_string()));
            return Err(Breach::Contradiction { about, said });
        }
    }
    Ok(())
}

/// Reads the artifact of a decision step, which keeps the contract that the workflow embeds.
pub(super) fn read(
    workflow: &CompiledWorkflow,
    around: Option<&LoopId>,
    artifact: &Value,
) -> Result<LoopControl, Vec<Violation>> {
    let text = |name: &str| artifact.get(name).and_then(Value::as_str).unwrap_or_default();
    let right_loop = |id: &LoopId| match around {
        Some(around) => id == around,
        None => workflow.loops.is_empty() || find_loop(workflow, id).is_some(),
    };
    let loop_id = match artifact.get("loopId") {
        // If the contract lets the name be left out, the loop around the step is meant.
        None => around.cloned(),
        Some(_) => text("loopId").parse().ok().filter(right_loop),
    };
    let decision = text("decision").parse().ok();
    if let (Some(loop_id), Some(decision)) = (&loop_id, decision) {
        return Ok(LoopControl { loop_id: LoopId::clone(loop_id), decision });
    }
    let wrong = |name, required| not_allowed(artifact, name, required);
    let mut violations = Vec::new();
    if loop_id.is_none() {
        let required = match around {
            Some(around) => format!("\"{around}\", the loop that the step is in"),
            None => "the id of a loop of this workflow".into(),
        };
        violations.push(wrong("loopId", required));
    }
    if decision.is_none() {
        violations.push(wrong("decision", LoopDecision::NAMES.join(" or ")));
    }
    Err(violations)
}
