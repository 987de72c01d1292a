//! Decides whether a run advances, and to which state.
//!
//! *Invariants*: every finding is recorded as a critical gap, whether the run stops for it or not. A run that never
//! stops advances in spite of all findings, and so does one whose person accepted them after too many refusals. An output without findings resolves the gaps that its step had before;
//! one with findings resolves nothing. The risk policy has no influence on any of this.

use piton_core::GapId;
use serde_json::{Map, Value};

use super::finding::{self, Finding};
use super::next_step::EngineError;
use super::next_step::{self, NextStep};
use super::position::StepPosition;
use super::validate::{KnownCapabilities, Submission, person_needed, validate};
use crate::compile::CompiledWorkflow;
use crate::event::{Autonomy, BlockerReport, PayloadError, Preferences, TraceEntry};
use crate::reason::{ReasonCategory, UserOnlyDependency};
use crate::snapshot::ExecutionState;

/// The facts at the step that is to be left.
#[derive(Clone, Debug)]
pub struct StepFacts<'a> {
    /// The preferences in force.
    pub preferences: Preferences,
    /// The agent's known capabilities.
    pub standings: KnownCapabilities,
    /// The context of the run, up to and including this output, if there is any.
    pub context: Option<&'a Map<String, Value>>,
    /// The critical gaps of this node that are open.
    pub open_gaps: Vec<GapId>,
    /// The dependencies that a person settled at this node.
    pub settled: Vec<UserOnlyDependency>,
    /// The refusals at this node, with what the person said about them.
    pub refusals: Refusals,
}

/// The refusals of a step at a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// Number of attempts that were refused since a person last approved or answered.
    pub in_a_row: usize,
    /// Number of refusals in a row with which the person is asked; none asks nobody.
    pub ask_after: Option<usize>,
    /// What the person said when they were asked about the refusals, if that still counts.
    pub verdict: Option<RefusalVerdict>,
}

/// What a person said about a step that was refused too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalVerdict {
    /// The next output is accepted as it is.
    Accept,
    /// The step is not left, whatever is submitted.
    Reject,
}

/// The decision about an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The run stays at the step.
    Blocked {
        /// The findings, for the agent.
        report: BlockerReport,
        /// The findings, to be recorded on the node.
        gaps: Vec<Finding>,
    },
    /// The run continues.
    Advanced {
        next: ExecutionState,
        /// The findings that did not stop the run, to be recorded on the node that is left.
        gaps: Vec<Finding>,
        /// The trace of how the next state was found.
        traces: Vec<TraceEntry>,
        /// The gaps that the output resolves.
        resolves: Vec<GapId>,
    },
}

/// Decides the result of `submission` for the step that is pending in `state`.
pub fn decide(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    facts: &StepFacts<'_>,
    submission: &Submission<'_>,
) -> Result<Decision, EngineError> {
    let nothing = Map::new();
    let context = facts.context.unwrap_or(&nothing);
    let mut findings = validate(workflow, state, submission, &facts.standings, context)?;
    findings.extend(person_needed(workflow, state, &facts.settled)?);
    findings.extend(refused_too_often(workflow, state, facts, &findings)?);
    if let Some(blocked) = stop(facts, &findings) {
        return Ok(blocked);
    }
    // The next state is sought only if the output itself is good enough: that search has findings of its own, and a
    // report holds either kind.
    let flow = next_step::next(workflow, state, context, submission.artifacts)?;
    let NextStep { next, traces, findings: lacking } = flow;
    findings.extend(lacking);
    if !findings.is_empty() {
        findings.extend(refused_too_often(workflow, state, facts, &findings)?);
    }
    if let Some(blocked) = stop(facts, &findings) {
        return Ok(blocked);
    }
    // The run continues in spite of these findings, so they stay on record as gaps.
    let resolves = if findings.is_empty() { facts.open_gaps.clone() } else { Vec::new() };
    Ok(Decision::Advanced { next, gaps: findings, traces, resolves })
}

/// Finds that the person has to decide about the step: an output with `findings` is one refusal too many, or they
/// rejected the step before. A run that never stops refuses nothing.
fn refused_too_often(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    facts: &StepFacts<'_>,
    findings: &[Finding],
) -> Result<Option<Finding>, EngineError> {
    let Refusals { in_a_row, ask_after, verdict } = facts.refusals;
    let is_asked = |found: &Finding| found.reason.category() == ReasonCategory::UserOnlyDependency;
    let is_one_too_many =
        !findings.is_empty() && ask_after.is_some_and(|ask_after| in_a_row + 1 >= ask_after);
    let is_due = match verdict {
        Some(RefusalVerdict::Accept) => false,
        Some(RefusalVerdict::Reject) => true,
        None => is_one_too_many,
    };
    // A step that waits for the person anyway asks them one question, not two.
    if !is_due
        || facts.preferences.autonomy == Autonomy::FullAutoNeverStop
        || findings.iter().any(is_asked)
    {
        return Ok(None);
    }
    let step = StepPosition::of(workflow, state)?.step;
    Ok(Some(finding::refused_too_often(step, in_a_row + 1)))
}

/// Returns the decision to stop, if the findings call for it.
fn stop(facts: &StepFacts<'_>, findings: &[Finding]) -> Option<Decision> {
    if facts.refusals.verdict == Some(RefusalVerdict::Accept) {
        return None;
    }
    let report = block(facts.preferences.autonomy, findings);
    let report = report.expect("there are never more findings than a report holds")?;
    Some(Decision::Blocked { report, gaps: findings.to_vec() })
}

/// Returns the report with which a run stops for `findings`, or `None` if it continues. More findings than a report
/// holds are an error.
pub fn block(
    autonomy: Autonomy,
    findings: &[Finding],
) -> Result<Option<BlockerReport>, PayloadError> {
    let stops = match autonomy {
        Autonomy::Guided | Autonomy::FullAutoStopOnUserDeps => !findings.is_empty(),
        Autonomy::FullAutoNeverStop => false,
    };
    stops.then(|| BlockerReport::new(findings.iter().map(Finding::blocker).collect())).transpose()
}
