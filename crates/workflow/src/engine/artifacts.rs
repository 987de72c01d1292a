//! Checks the artifacts of an output against contracts, and reads what the engine acts upon: the decision
//! about a loop and the result of a probe.
//!
//! *Invariants*: a decision counts only if a decision step submitted it, that is, a step with the loop-control
//! contract. It must be an artifact that keeps the contract and names the right loop. Inside a loop that is the
//! loop around the step (or none, if the contract allows that). Outside of loops it is any loop of the workflow,
//! if the workflow has loops.
//!
//! Capability observations and divergences are recorded as events no matter what a step asks for. One that
//! breaks its contract is reported, so that nothing invalid is recorded and nothing valid is taken for a
//! mistake.

use serde_json::Value;

use super::finding::{self, Finding};
use super::position::StepPosition;
use crate::capability::{CapabilityStatus, ProbeResult};
use crate::compile::{CompiledStep, CompiledWorkflow, Probe};
use crate::contract::{Breach, BuiltinContract, Violation, ViolationKind};
use crate::name::LoopId;
use crate::snapshot::{LoopControl, LoopDecision};
use crate::source::Pointer;

/// The meaning of valid artifacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Accepted {
    /// Nothing that the engine acts upon.
    Output,
    /// The decision about another turn of a loop.
    Control(LoopControl),
    /// The status of the capability that the step probes.
    Probed(CapabilityStatus),
}

/// Checks `artifacts` against the contract of `step`, which lies in the loop `around`.
pub(super) fn accept(
    workflow: &CompiledWorkflow,
    step: &CompiledStep,
    around: Option<&LoopId>,
    artifacts: &[Value],
) -> Result<Accepted, Breach> {
    let Some(contract) = workflow.contract_of(step) else {
        return Ok(Accepted::Output);
    };
    // An optional contract still binds an artifact that is sent: only its absence is accepted.
    let artifact = match contract.accept(artifacts) {
        Err(Breach::Missing { .. }) if is_optional(step) => return Ok(Accepted::Output),
        accepted => accepted?,
    };
    let accepted = if step.is_decision() {
        let control = read_decision(workflow, around, artifact);
        if let Ok(control) = &control {
            check_single_decision(workflow, around, control, artifact, artifacts)?;
        }
        control.map(Accepted::Control)
    } else if let Some(probe) = &step.probe {
        probed(probe, artifact).map(Accepted::Probed)
    } else {
        Ok(Accepted::Output)
    };
    accepted.map_err(|violations| {
        // Two artifacts may be equal, so the one that was checked is found by identity.
        let is_it = |other: &Value| std::ptr::eq(other, artifact);
        let index = artifacts.iter().position(is_it).expect("it is one of them");
        Breach::Invalid { index, violations }
    })
}

fn is_optional(step: &CompiledStep) -> bool {
    step.output_contract.as_ref().is_some_and(|contract| contract.optional)
}

/// Reads the result of a probe, which must be about the capability that the step probes.
fn probed(probe: &Probe, artifact: &Value) -> Result<CapabilityStatus, Vec<Violation>> {
    let text = |name: &str| artifact.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("capability") != probe.capability.as_str() {
        let required = format!("\"{}\", which the step tries out", probe.capability);
        return Err(vec![not_allowed(artifact, "capability", required)]);
    }
    match text("result").parse() {
        Ok(ProbeResult::Success) => Ok(CapabilityStatus::Available),
        Ok(ProbeResult::Failure) => Ok(CapabilityStatus::Unavailable),
        Err(_) => {
            let required = ProbeResult::NAMES.join(" or ");
            Err(vec![not_allowed(artifact, "result", required)])
        }
    }
}

/// Creates the violation that the field `name` of `artifact` is not what this step requires.
pub(super) fn not_allowed(artifact: &Value, name: &str, required: String) -> Violation {
    Violation {
        path: Pointer::root().field(name),
        kind: ViolationKind::NotAllowed,
        given: artifact.get(name).map_or("nothing".into(), Value::to_string),
        required,
    }
}

/// Returns the decision about a loop that `artifacts` contain for the step at `place`. An invalid decision counts as
/// none.
pub(super) fn decision_in(
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
pub(super) fn check_single_decision(
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
        let Ok(other) = read_decision(workflow, around, other) else { continue };
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
pub(super) fn read_decision(
    workflow: &CompiledWorkflow,
    around: Option<&LoopId>,
    artifact: &Value,
) -> Result<LoopControl, Vec<Violation>> {
    let text = |name: &str| artifact.get(name).and_then(Value::as_str).unwrap_or_default();
    let right_loop = |id: &LoopId| match around {
        Some(around) => id == around,
        None => workflow.loops.is_empty() || workflow.find_loop(id).is_some(),
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

/// The contracts of such artifacts.
pub(super) const EVENT_CONTRACTS: [BuiltinContract; 2] =
    [BuiltinContract::CapabilityObservation, BuiltinContract::Divergence];

/// Finds what is wrong with such artifacts among those submitted for `step`: the first breach of each kind.
pub(super) fn check_event_artifacts(step: &CompiledStep, artifacts: &[Value]) -> Vec<Finding> {
    let own = step.output_contract.as_ref().map(|contract| contract.contract_ref.as_str());
    let first_wrong = |pack: &BuiltinContract| {
        let is_own = own == Some(pack.as_str());
        let described = artifacts.iter().enumerate().filter(|(_, one)| pack.describes(one));
        // The first artifact of the step's own kind is covered by the contract of the step.
        let mut others = described.skip(usize::from(is_own)).peekable();
        // Most outputs have no such artifact, so the definition is built only if there is something to check.
        others.peek()?;
        let contract = pack.definition();
        let breach = others.find_map(|(index, one)| {
            let violations = contract.violations(one);
            (!violations.is_empty()).then_some(Breach::Invalid { index, violations })
        })?;
        Some(finding::event_artifact(&contract, &breach))
    };
    EVENT_CONTRACTS.iter().filter_map(first_wrong).collect()
}
