//! Whether an output is what its step asks for.
//!
//! | what | checked | where a finding points |
//! |---|---|---|
//! | the contract of the step | by the definition that the workflow embeds | the contract |
//! | the decision of a decision step | against the turns that its loop has left | the step |
//! | notes, if the step needs them | as they were handed in, before anything is cut | the step |
//! | the assessments of the step | by the dimensions and levels that the workflow declares | the contract |
//! | what follows from their levels | in the author's words | the step |
//! | the criteria of the step | over the notes, unless a contract takes their place | the step |
//! | capabilities that the workflow requires | by what was more than a claim | the capability |
//!
//! *Invariants*: pure, and blind to preferences: how autonomous or how bold a run is changes nothing here.
//! Everything that is wrong is found at once. There are never more findings than a report of blockers holds.
//!
//! *Limitations*: what only a person can supply is found elsewhere, because it does not depend on the output.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::accept::{Accepted, accept};
use super::assess;
use super::error::EngineError;
use super::extra_artifacts::{SIDES, judge_sides};
use super::finding::Finding;
use super::report;
use super::scope::{condition_of, scope};
use super::step_position::{StepPosition, find_loop};
use crate::bounds::{BLOCKERS_MAX, LACKS_MAX};
use crate::capability::{Capability, CapabilityStatus};
use crate::compile::{CapabilityNeed, CompiledCondition, CompiledStep, CompiledWorkflow};
use crate::contract::Breach;
use crate::contract::criteria::{applicable, failures};
use crate::event::LimitDetails;
use crate::predicate::PredicateScope;
use crate::projection::CapabilityStanding;
use crate::snapshot::{ExecutionState, LoopControl, LoopDecision};

/// One finding about the artifacts or about a limit, one about assessments, one about the notes, one for each kind of
/// artifact that is an event of its own, one for each capability, and one about a person.
const _: () = assert!(4 + SIDES.len() + Capability::ALL.len() <= BLOCKERS_MAX);

/// What the way to the next step lacks is asked only where nothing else stops the run.
const _: () = assert!(LACKS_MAX <= BLOCKERS_MAX);

/// What is known of capabilities where a step is left. One that is not named is unknown.
pub type KnownCapabilities = BTreeMap<Capability, CapabilityStanding>;

/// What an agent hands in for a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Submission<'a> {
    /// Its notes, as they were given.
    pub notes: Option<&'a str>,
    /// Its artifacts.
    pub artifacts: &'a [Value],
}

/// Everything that is wrong with `submission` for the step that is pending in `state`, when the run was told
/// `context`.
pub fn judge(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    submission: &Submission<'_>,
    standings: &KnownCapabilities,
    context: &Map<String, Value>,
) -> Result<Vec<Finding>, EngineError> {
    let place = StepPosition::of(workflow, state)?;
    let around = place.innermost().map(|position| &position.loop_id);
    let accepted = accept(workflow, place.step, around, submission.artifacts);
    let mut findings = Vec::new();
    match &accepted {
        Err(breach) => findings.push(report::breach(workflow, &place, breach)),
        Ok(Accepted::Control(control)) => findings.extend(beyond_limit(workflow, &place, control)),
        Ok(Accepted::Output | Accepted::Probed(_)) => {}
    }
    findings.extend(judge_sides(place.step, submission.artifacts));
    findings.extend(assess::judge(workflow, place.step, submission.artifacts));
    let scope = scope(workflow, place.running.loop_stack().positions(), context);
    findings.extend(judge_notes(place.step, submission.notes, &scope));
    for (capability, need) in &workflow.capabilities {
        if *need != CapabilityNeed::Required {
            continue;
        }
        let standing = standings.get(capability).map(|standing| standing.enforced);
        let status = match standing_here(workflow, &place, *capability, &accepted) {
            CapabilityUse::NotYet => continue,
            CapabilityUse::Told(status) => status,
            CapabilityUse::AsRecorded => standing.unwrap_or(CapabilityStatus::Unknown),
        };
        findings.extend(report::capability(workflow, *capability, status));
    }
    Ok(findings)
}

/// What a step says about a capability.
enum CapabilityUse {
    /// It is too early to ask: the probe is ahead, or said nothing valid, which is told already.
    NotYet,
    /// The step tried it out.
    Told(CapabilityStatus),
    /// Nothing of its own.
    AsRecorded,
}

fn standing_here(
    workflow: &CompiledWorkflow,
    place: &StepPosition<'_>,
    capability: Capability,
    accepted: &Result<Accepted, Breach>,
) -> CapabilityUse {
    let probes = |step: &CompiledStep| {
        step.probe.as_ref().is_some_and(|probe| probe.capability == capability)
    };
    if probes(place.step) {
        return match accepted {
            Ok(Accepted::Probed(status)) => CapabilityUse::Told(*status),
            _ => CapabilityUse::NotYet,
        };
    }
    let mut probing = workflow.steps.iter().filter(|step| probes(step)).peekable();
    let is_done = |step: &CompiledStep| {
        // Ids hold no `:`, so what stands behind the last one is the step.
        let mut done = place.running.completed().iter();
        done.any(|key| key.as_str().rsplit(':').next() == Some(step.step_id.as_str()))
    };
    if probing.peek().is_none() || probing.any(is_done) {
        CapabilityUse::AsRecorded
    } else {
        CapabilityUse::NotYet
    }
}

/// A decision to go on in the last turn of a loop. Only the step of that turn can still mend it.
fn beyond_limit(
    workflow: &CompiledWorkflow,
    place: &StepPosition<'_>,
    control: &LoopControl,
) -> Option<Finding> {
    let position = place.innermost()?;
    let of = find_loop(workflow, &position.loop_id)?;
    let is_last = position.iteration.get() + 1 >= of.max_iterations;
    if !matches!(condition_of(workflow, of), Some(CompiledCondition::LoopControl { .. })) {
        return None;
    }
    if control.decision != LoopDecision::Continue || !is_last {
        return None;
    }
    let details = LimitDetails::LoopLimit {
        loop_id: position.loop_id.clone(),
        iteration: position.iteration,
        max_iterations: of.max_iterations,
    };
    Some(report::limit(place.step, position, of.max_iterations, details))
}

/// What is wrong with the notes: that there are none, or that they do not meet the criteria. Criteria say
/// nothing about notes that may be left out and are.
fn judge_notes(
    step: &CompiledStep,
    notes: Option<&str>,
    scope: &PredicateScope<'_>,
) -> Option<Finding> {
    match notes.filter(|notes| !notes.trim().is_empty()) {
        None if step.needs_notes() => Some(report::no_notes(step)),
        None => None,
        Some(_) if step.output_contract.is_some() => None,
        Some(notes) => {
            let failed = failures(&applicable(&step.validation_criteria, scope), notes);
            (!failed.is_empty()).then(|| report::criteria(step, &failed))
        }
    }
}
