//! Checks artifacts against the contract of a step, and reads what the engine acts upon.

use serde_json::Value;

use super::control;
use crate::capability::{CapabilityStatus, ProbeResult};
use crate::compile::{CompiledStep, CompiledWorkflow, Probe};
use crate::contract::{Breach, ContractDefinition, Violation, ViolationKind};
use crate::name::LoopId;
use crate::snapshot::LoopControl;
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
    let Some(contract) = contract_of(workflow, step) else {
        return Ok(Accepted::Output);
    };
    // An optional contract still binds an artifact that is sent: only its absence is accepted.
    let artifact = match contract.accept(artifacts) {
        Err(Breach::Missing { .. }) if is_optional(step) => return Ok(Accepted::Output),
        accepted => accepted?,
    };
    let accepted = if step.is_decision() {
        let control = control::read(workflow, around, artifact);
        if let Ok(control) = &control {
            control::check_single(workflow, around, control, artifact, artifacts)?;
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

/// Returns the contract of a step.
pub(super) fn contract_of<'a>(
    workflow: &'a CompiledWorkflow,
    step: &CompiledStep,
) -> Option<&'a ContractDefinition> {
    let contract_ref = &step.output_contract.as_ref()?.contract_ref;
    Some(workflow.contract(contract_ref).expect("a sound workflow embeds its contracts"))
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
