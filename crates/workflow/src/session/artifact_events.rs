//! Artifacts that are recorded as events of their own: capability observations and divergences.
//!
//! *Invariants*: an artifact that breaks its contract becomes no event. The breach itself was found when the output
//! was judged.

use piton_core::{AttemptId, DivergenceId, ObservationId};
use serde_json::Value;

use super::derive;
use crate::capability::{AttemptContext, Capability, CapabilityStatus, FailureCode, ProbeResult};
use crate::compile::{CompiledStep, Probe};
use crate::contract::ContractPack;
use crate::event::{
    CapabilityObserved, CapabilityProvenance, DivergenceRecorded, EventBody, NodeScope,
    NonEmptySummary, UseResult,
};

/// Returns the events that `artifacts` stand for, submitted by `attempt` for `step` at `at`.
pub(super) fn artifact_events(
    step: &CompiledStep,
    at: NodeScope,
    attempt: AttemptId,
    artifacts: &[Value],
) -> Vec<EventBody> {
    let mut bodies = Vec::new();
    for (ordinal, artifact) in artifacts.iter().enumerate() {
        if ContractPack::CapabilityObservation.describes(artifact) {
            let id = derive::observation(attempt, ordinal);
            let observed = observation(step, id, artifact);
            bodies.extend(observed.map(|observed| EventBody::CapabilityObserved(at, observed)));
        } else if ContractPack::Divergence.describes(artifact) {
            let left = divergence(derive::divergence(attempt, ordinal), artifact);
            bodies.extend(left.map(|left| EventBody::DivergenceRecorded(at, left)));
        }
    }
    bodies
}

fn text<'a>(artifact: &'a Value, name: &str) -> Option<&'a str> {
    artifact.get(name).and_then(Value::as_str)
}

fn divergence(divergence_id: DivergenceId, artifact: &Value) -> Option<DivergenceRecorded> {
    Some(DivergenceRecorded {
        divergence_id,
        reason: text(artifact, "reason")?.parse().ok()?,
        summary: NonEmptySummary::new(text(artifact, "summary")?).ok()?,
        related_step_id: text(artifact, "relatedStepId").and_then(|id| id.parse().ok()),
    })
}

fn observation(
    step: &CompiledStep,
    id: ObservationId,
    artifact: &Value,
) -> Option<CapabilityObserved> {
    let capability: Capability = text(artifact, "capability")?.parse().ok()?;
    let result: ProbeResult = text(artifact, "result")?.parse().ok()?;
    let failure = text(artifact, "failureCode").and_then(|code| code.parse().ok());
    // A result counts as a probe only if the step was compiled to probe this very capability.
    let probe = step.probe.as_ref().filter(|probe| probe.capability == capability);
    let (status, provenance) = match probe {
        Some(probe) => probed(step, probe, result),
        None => used(result, failure.unwrap_or(FailureCode::Unknown)),
    };
    CapabilityObserved::new(id, capability, status, provenance).ok()
}

fn probed(
    step: &CompiledStep,
    probe: &Probe,
    result: ProbeResult,
) -> (CapabilityStatus, CapabilityProvenance) {
    let status = match result {
        ProbeResult::Success => CapabilityStatus::Available,
        ProbeResult::Failure => CapabilityStatus::Unavailable,
    };
    let probe_template_id = (&probe.template_id).into();
    let probe_step_id = step.step_id.clone();
    (status, CapabilityProvenance::ProbeStep { probe_template_id, probe_step_id, result })
}

fn used(result: ProbeResult, code: FailureCode) -> (CapabilityStatus, CapabilityProvenance) {
    let attempt_context = AttemptContext::WorkflowStep;
    let (status, result) = match result {
        ProbeResult::Success => (CapabilityStatus::Available, UseResult::Success),
        // A tool that failed once may work the next time; a missing or forbidden one will not.
        ProbeResult::Failure => match code {
            FailureCode::ToolMissing | FailureCode::PolicyBlocked => {
                (CapabilityStatus::Unavailable, UseResult::Failure(code))
            }
            FailureCode::ToolError | FailureCode::Unknown => {
                (CapabilityStatus::Unknown, UseResult::Failure(code))
            }
        },
    };
    (status, CapabilityProvenance::AttemptedUse { attempt_context, result })
}
