//! Decides whether a run advances, and to which state.
//!
//! *Invariants*: every finding is recorded as a critical gap, whether the run stops for it or not. A run that never
//! stops advances in spite of all findings. An output without findings resolves the gaps that its step had before;
//! one with findings resolves nothing. The risk policy has no influence on any of this.

use piton_core::GapId;
use serde_json::{Map, Value};

use super::finding::Finding;
use super::next_step::EngineError;
use super::next_step::{self, NextStep};
use super::validate::{KnownCapabilities, Submission, person_needed, validate};
use crate::compile::CompiledWorkflow;
use crate::event::{Autonomy, BlockerReport, PayloadError, Preferences, TraceEntry};
use crate::reason::UserOnlyDependency;
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
    if let Some(blocked) = stop(facts, &findings) {
        return Ok(blocked);
    }
    // The next state is sought only if the output itself is good enough: that search has findings of its own, and a
    // report holds either kind.
    let flow = next_step::next(workflow, state, context, submission.artifacts)?;
    let NextStep { next, traces, findings: lacking } = flow;
    findings.extend(lacking);
    if let Some(blocked) = stop(facts, &findings) {
        return Ok(blocked);
    }
    // The run continues in spite of these findings, so they stay on record as gaps.
    let resolves = if findings.is_empty() { facts.open_gaps.clone() } else { Vec::new() };
    Ok(Decision::Advanced { next, gaps: findings, traces, resolves })
}

/// Returns the decision to stop, if the findings call for it.
fn stop(facts: &StepFacts<'_>, findings: &[Finding]) -> Option<Decision> {
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
