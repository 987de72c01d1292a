//! Whether a run goes on, and how.
//!
//! *Invariants*: whatever is wrong is recorded as a critical gap, whether the run stops for it or not. A run
//! that never stops goes on in spite of every finding. An output with nothing wrong resolves what was missing at
//! its step before; one with findings resolves nothing. The risk policy has no say in any of this.

use piton_core::GapId;
use serde_json::{Map, Value};

use super::error::EngineError;
use super::finding::{Finding, GapDraft};
use super::flow::{self, Flow};
use super::judge::{KnownCapabilities, Submission, judge};
use super::person;
use crate::compile::CompiledWorkflow;
use crate::event::{BlockerReport, PayloadError, Preferences, TraceEntry};
use crate::preference::Autonomy;
use crate::reason::UserOnlyDependency;
use crate::snapshot::ExecutionState;

/// What is known where a step is left.
#[derive(Clone, Debug)]
pub struct StepFacts<'a> {
    /// The preferences in force.
    pub preferences: Preferences,
    /// What the agent is known to be able to do.
    pub standings: KnownCapabilities,
    /// What the run was told, up to and with this output, if anything.
    pub context: Option<&'a Map<String, Value>>,
    /// The critical gaps of this node that are open.
    pub open_gaps: Vec<GapId>,
    /// What a person settled at this node.
    pub settled: Vec<UserOnlyDependency>,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The run stays where it is.
    Blocked {
        /// Why, for the agent.
        report: BlockerReport,
        /// The same, to be recorded on the node.
        gaps: Vec<GapDraft>,
    },
    /// The run goes on.
    Advanced {
        /// The state that it comes to.
        next: ExecutionState,
        /// What was wrong with the output all the same, to be recorded on the node that is left.
        gaps: Vec<GapDraft>,
        /// How the next state was found.
        traces: Vec<TraceEntry>,
        /// The gaps that the output resolves.
        resolves: Vec<GapId>,
    },
}

/// Decides what `submission` leads to for the step that is pending in `state`.
pub fn decide(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    facts: &StepFacts<'_>,
    submission: &Submission<'_>,
) -> Result<Decision, EngineError> {
    let nothing = Map::new();
    let context = facts.context.unwrap_or(&nothing);
    let mut findings = judge(workflow, state, submission, &facts.standings, context)?;
    findings.extend(person::judge(workflow, state, &facts.settled)?);
    if let Some(blocked) = stop(facts, &findings) {
        return Ok(blocked);
    }
    let flow = flow::next(workflow, state, context, submission.artifacts)?;
    let Flow { next, traces, findings: lacking } = flow;
    findings.extend(lacking);
    if let Some(blocked) = stop(facts, &findings) {
        return Ok(blocked);
    }
    let gaps = findings.iter().map(Finding::gap).collect();
    let resolves = if findings.is_empty() { facts.open_gaps.clone() } else { Vec::new() };
    Ok(Decision::Advanced { next, gaps, traces, resolves })
}

/// What stops the run, if something does.
fn stop(facts: &StepFacts<'_>, findings: &[Finding]) -> Option<Decision> {
    let report = block(facts.preferences.autonomy, findings);
    let report = report.expect("there are never more findings than a report holds")?;
    Some(Decision::Blocked { report, gaps: findings.iter().map(Finding::gap).collect() })
}

/// The report with which a run stops for `findings`; nothing if it goes on. More findings than a report holds
/// are an error.
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
