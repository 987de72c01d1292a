//! Checks whether an output is what its step asks for.
//!
//! | subject | checked | pointer of a finding |
//! |---|---|---|
//! | the contract of the step | by the definition that the workflow embeds | the contract |
//! | the decision of a decision step | against the turns that its loop has left | the step |
//! | notes, if the step needs them | as they were submitted, before anything is cut | the step |
//! | the assessments of the step | by the dimensions and levels that the workflow declares | the contract |
//! | consequences of their levels | in the author's words | the step |
//! | the criteria of the step | over the notes, unless a contract takes their place | the step |
//! | capabilities that the workflow requires | by observations that were more than a claim | the capability |
//!
//! *Invariants*: pure, and independent of preferences: neither the autonomy nor the risk policy of a run changes
//! anything here. All findings are reported at once. There are never more of them than a report of blockers holds.
//!
//! A dependency on a person is checked apart, because it does not depend on the output: what a person settled at
//! a node counts for that node alone, and nothing that an agent submits settles it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::artifacts::{Accepted, EVENT_CONTRACTS, accept, check_event_artifacts};
use super::assessments;
use super::finding::{self, Finding};
use super::next_step::EngineError;
use super::position::{StepPosition, scope};
use crate::bounds::{BLOCKERS_MAX, MISSING_INPUTS_MAX};
use crate::capability::{Capability, CapabilityStatus};
use crate::compile::{CapabilityNeed, CompiledCondition, CompiledStep, CompiledWorkflow};
use crate::contract::Breach;
use crate::contract::criteria::{applicable, failures};
use crate::event::LimitDetails;
use crate::predicate::PredicateScope;
use crate::projection::CapabilityStanding;
use crate::reason::UserOnlyDependency;
use crate::snapshot::{ExecutionState, LoopControl, LoopDecision};

/// One finding about the artifacts or about a limit, one about assessments, one about the notes, one for each kind of
/// artifact that is an event of its own, one for each capability, and one about a person.
const _: () = assert!(4 + EVENT_CONTRACTS.len() + Capability::ALL.len() <= BLOCKERS_MAX);

/// Missing context on the way to the next step is reported only if nothing else stops the run but too many refusals.
const _: () = assert!(MISSING_INPUTS_MAX < BLOCKERS_MAX);

/// The known capabilities at the step that is to be left. One that is not listed is unknown.
pub type KnownCapabilities = BTreeMap<Capability, CapabilityStanding>;

/// The output that an agent submits for a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Submission<'a> {
    /// The notes as they were submitted.
    pub notes: Option<&'a str>,
    pub artifacts: &'a [Value],
}

/// Returns everything that is wrong with `submission` for the step that is pending in `state`, in a run with this
/// `context`.
pub fn validate(
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
        Err(breach) => findings.push(finding::breach(workflow, &place, breach)),
        Ok(Accepted::Control(control)) => findings.extend(beyond_limit(workflow, &place, control)),
        Ok(Accepted::Output | Accepted::Probed(_)) => {}
    }
    findings.extend(check_event_artifacts(place.step, submission.artifacts));
    findings.extend(assessments::check(workflow, place.step, submission.artifacts));
    let scope = scope(workflow, place.running.loop_stack().positions(), context);
    findings.extend(check_notes(place.step, submission.notes, &scope));
    for (capability, need) in &workflow.capabilities {
        // Only required capabilities can stop a run.
        if *need != CapabilityNeed::Required {
            continue;
        }
        let standing = standings.get(capability).map(|standing| standing.enforced);
        let status = match standing_here(workflow, &place, *capability, &accepted) {
            CapabilityUse::NotYet => continue,
            CapabilityUse::Told(status) => status,
            CapabilityUse::AsRecorded => standing.unwrap_or(CapabilityStatus::Unknown),
        };
        findings.extend(finding::capability(workflow, *capability, status));
    }
    Ok(findings)
}

/// The bearing of a step on a capability.
enum CapabilityUse {
    /// It is too early to ask: the probe is ahead, or its result was invalid, which is reported already.
    NotYet,
    /// The step probed the capability.
    Told(CapabilityStatus),
    /// None: the recorded status counts.
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
    // As long as a probe is ahead, its result decides. Without one, or after one, the recorded status counts.
    let mut probing = workflow.steps.iter().filter(|step| probes(step)).peekable();
    let is_done = |step: &CompiledStep| {
        // Ids contain no `:`, so the part after the last one is the step.
        let mut done = place.running.completed().iter();
        done.any(|key| key.as_str().rsplit(':').next() == Some(step.step_id.as_str()))
    };
    if probing.peek().is_none() || probing.any(is_done) {
        CapabilityUse::AsRecorded
    } else {
        CapabilityUse::NotYet
    }
}

/// Finds a decision to continue in the last turn of a loop. Only the step of that turn can still fix it.
fn beyond_limit(
    workflow: &CompiledWorkflow,
    place: &StepPosition<'_>,
    control: &LoopControl,
) -> Option<Finding> {
    let position = place.innermost()?;
    let this_loop = workflow.find_loop(&position.loop_id)?;
    let is_last = position.iteration.get() + 1 >= this_loop.max_iterations;
    // A loop that is not driven by decisions ignores them, so this one does no harm.
    if !matches!(workflow.condition_of(this_loop), Some(CompiledCondition::LoopControl { .. })) {
        return None;
    }
    if control.decision != LoopDecision::Continue || !is_last {
        return None;
    }
    let details = LimitDetails::LoopLimit {
        loop_id: position.loop_id.clone(),
        iteration: position.iteration,
        max_iterations: this_loop.max_iterations,
    };
    Some(finding::limit(place.step, position, this_loop.max_iterations, details))
}

/// Finds that notes are missing or do not meet the criteria. Criteria do not apply to notes that may be left out and
/// are.
fn check_notes(
    step: &CompiledStep,
    notes: Option<&str>,
    scope: &PredicateScope<'_>,
) -> Option<Finding> {
    match notes.filter(|notes| !notes.trim().is_empty()) {
        None if step.needs_notes() => Some(finding::no_notes(step)),
        None => None,
        Some(_) if step.output_contract.is_some() => None,
        Some(notes) => {
            let failed = failures(&applicable(&step.validation_criteria, scope), notes);
            (!failed.is_empty()).then(|| finding::criteria(step, &failed))
        }
    }
}

/// Finds that the step pending in `state` needs a person, unless that is `settled`.
pub(super) fn person_needed(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    settled: &[UserOnlyDependency],
) -> Result<Option<Finding>, EngineError> {
    let step = StepPosition::of(workflow, state)?.step;
    let open = step.needs_user.as_ref().filter(|need| !settled.contains(&need.reason));
    Ok(open.map(|need| finding::person(step, need)))
}
