//! Drafts the events that record an output. The engine decides; this module writes the decision down.
//!
//! | order | event |
//! |---|---|
//! | 1 | the attempt and its outcome |
//! | 2 | new observations about the surroundings |
//! | 3 | gaps, and resolutions of gaps that are no longer missing |
//! | 4 | artifacts that are recorded as events of their own |
//! | 5 | the context, if it changed and the run advanced |
//! | 6 | the engine's reasons for its choice |
//! | 7 | the node that was reached, and the edge to it |
//! | 8 | the output itself |
//!
//! *Invariants*: an artifact that breaks its contract becomes no event. The breach itself was found when the output
//! was judged.

use piton_core::{AttemptId, DivergenceId, EventId, GapId, NodeId, ObservationId, SnapshotRef};
use piton_store::NewBlob;
use piton_store::port::BlobNamespace;
use serde_json::{Map, Value};

use super::checked_output::CheckedOutput;
use super::derive;
use super::error::{Error, Refusal};
use super::loader::FoldedSession;
use super::refusals::refusals;
use super::reply_basis::PREFERENCES_DEFAULT;
use super::reply_builder::StepContext;
use super::sessions::PlanDraft;
use super::settle::settled;
use super::token_lookup::node_of;
use crate::capability::{AttemptContext, Capability, CapabilityStatus, FailureCode, ProbeResult};
use crate::compile::{CompiledStep, Probe};
use crate::contract::BuiltinContract;
use crate::engine::{Decision, Finding, KnownCapabilities, StepFacts, decide};
use crate::event::{
    AdvanceOutcome, AdvanceRecorded, BoundedList, CapabilityObserved, CapabilityProvenance, Cause,
    ContextSet, DecisionTraceAppended, DivergenceRecorded, EdgeCause, EdgeCreated, EdgeKind,
    EventBody, EvidenceRef, GapRecorded, NodeCreated, NodeKind, NodeScope, NonEmptySummary,
    ObservationRecorded, PayloadError, Resolution, RunContext, TraceEntry, TraceEntryKind,
    UseResult,
};
use crate::projection::{Contexts, RunState};
use crate::run::{AttemptIntent, ContextSource};
use crate::snapshot::{ExecutionSnapshot, ExecutionState, derive_pending_step};
use crate::token::AckPayload;

/// A new output, together with the step that it is submitted for.
pub(super) struct AdvanceDraft<'a> {
    pub(super) ack: AckPayload,
    pub(super) step_context: &'a StepContext,
    pub(super) output: &'a CheckedOutput,
    pub(super) context: Option<Map<String, Value>>,
    pub(super) observations: &'a [ObservationRecorded],
    /// Number of refusals in a row with which the person is asked.
    pub(super) ask_after_refusals: usize,
}

impl AdvanceDraft<'_> {
    /// Decides about the output and drafts the events that record the decision. If the run advanced, returns the
    /// snapshot of the node that was reached and the reference under which it is stored.
    pub(super) fn draft(
        &self,
        cached: &FoldedSession,
        draft: &mut PlanDraft<'_>,
    ) -> Result<Option<(SnapshotRef, ExecutionSnapshot)>, Error> {
        let (run, node) = node_of(&cached.state, self.ack.address)?;
        let before = run.contexts.effective(node.id);
        let change = self.context.as_ref().map(|change| merged_context(before, change));
        let context = change.transpose()?.flatten();
        // The output is judged against the context that it brings along, if any.
        let ask_after = self.ask_after_refusals;
        let facts = facts(run, node.id, context.as_ref().or(before), ask_after);
        let workflow = &self.step_context.pinned.workflow;
        let state = &self.step_context.snapshot.state;
        let decision = decide(workflow, state, &facts, &self.output.submission())?;
        Ok(match decision {
            // A blocked attempt leaves the context as it was.
            Decision::Blocked { report, gaps } => {
                self.record(draft, AdvanceOutcome::Blocked { blockers: report });
                draft.push_observations(&cached.state, self.observations);
                self.record_gaps(draft, run, &gaps, &[]);
                self.record_sides(draft);
                self.record_outputs(draft, run);
                None
            }
            Decision::Advanced { next, gaps, traces, resolves } => {
                // The node id derives from the attempt, so drafting the same attempt again leads to the same node.
                let to = derive::node(self.ack.address.session, self.ack.attempt);
                let cause = self.record(draft, AdvanceOutcome::Advanced { to_node_id: to });
                draft.push_observations(&cached.state, self.observations);
                self.record_gaps(draft, run, &gaps, &resolves);
                self.record_sides(draft);
                if let Some(context) = context {
                    self.record_context(draft, context);
                }
                // An advance from a node that already has a successor begins another branch.
                let is_fork = !node.is_tip();
                self.record_trace(draft, traces, is_fork);
                let snapshot = self.record_node(draft, next, to, is_fork, cause);
                self.record_outputs(draft, run);
                Some(snapshot)
            }
        })
    }

    fn at(&self) -> NodeScope {
        NodeScope { run: self.ack.address.run, node: self.ack.address.node }
    }

    fn record(&self, draft: &mut PlanDraft<'_>, outcome: AdvanceOutcome) -> EventId {
        let attempt_id = self.ack.attempt;
        let advance = AdvanceRecorded { attempt_id, intent: AttemptIntent::AckPending, outcome };
        draft.push(EventBody::AdvanceRecorded(self.at(), advance))
    }

    /// Records the gaps with the outputs that show them, and the resolution of each gap in `supplied`.
    fn record_gaps(
        &self,
        draft: &mut PlanDraft<'_>,
        run: &RunState,
        gaps: &[Finding],
        supplied: &[GapId],
    ) {
        let attempt = self.ack.attempt;
        for (ordinal, gap) in gaps.iter().enumerate() {
            let record = gap.gap(derive::gap(attempt, ordinal));
            draft.push(EventBody::GapRecorded(self.at(), self.with_evidence(record)));
        }
        for gap_id in supplied {
            let Some(gap) = run.gaps.find(*gap_id) else { continue };
            // A resolution repeats the record of the gap that it ends, under an id of its own.
            let record = GapRecorded {
                gap_id: derive::resolution(attempt, *gap_id),
                resolution: Resolution::Resolves { resolves_gap_id: *gap_id },
                evidence_refs: None,
                ..gap.record.clone()
            };
            draft.push(EventBody::GapRecorded(self.at(), self.with_evidence(record)));
        }
    }

    fn with_evidence(&self, record: GapRecorded) -> GapRecorded {
        // Only the ids matter here, so nothing needs to be looked up that these outputs might supersede.
        let outputs = self.output.outputs(self.ack.attempt, |_| Vec::new());
        let refs = outputs.iter().map(|output| EvidenceRef::Output { output_id: output.output_id });
        let refs: Vec<_> = refs.take(crate::bounds::EVIDENCE_REFS_MAX).collect();
        GapRecorded { evidence_refs: BoundedList::new(refs).ok(), ..record }
    }

    /// Records the artifacts that are events of their own.
    fn record_sides(&self, draft: &mut PlanDraft<'_>) {
        let Some(pending) = derive_pending_step(&self.step_context.snapshot) else { return };
        let Some(step) = self.step_context.pinned.workflow.step(&pending.step_id) else { return };
        let artifacts = self.output.artifacts();
        for body in artifact_events(step, self.at(), self.ack.attempt, artifacts) {
            draft.push(body);
        }
    }

    fn record_context(&self, draft: &mut PlanDraft<'_>, context: RunContext) {
        let context_id = Contexts::id_of(self.ack.attempt);
        let source = ContextSource::AgentDelta;
        let set = ContextSet { context_id, context, source };
        draft.push(EventBody::ContextSet(self.ack.address.run, set));
    }

    fn record_trace(&self, draft: &mut PlanDraft<'_>, traces: Vec<TraceEntry>, is_fork: bool) {
        let fork = is_fork.then(|| {
            let summary =
                "The run went on from this step before; this output begins another branch.";
            TraceEntry::new(TraceEntryKind::DetectedNonTipAdvance, summary, Vec::new())
                .expect("it has no refs")
        });
        let entries: Vec<_> = fork.into_iter().chain(traces).collect();
        let trace = derive::trace(self.ack.attempt);
        // A trace without entries is not an event.
        if let Ok(trace) = DecisionTraceAppended::new(trace, entries) {
            draft.push(EventBody::DecisionTraceAppended(self.at(), trace));
        }
    }

    fn record_node(
        &self,
        draft: &mut PlanDraft<'_>,
        state: ExecutionState,
        to: NodeId,
        is_fork: bool,
        cause: EventId,
    ) -> (SnapshotRef, ExecutionSnapshot) {
        let workflow_hash = self.step_context.pinned.hash;
        let snapshot = ExecutionSnapshot { workflow_hash, state };
        let blob = NewBlob::canonical(BlobNamespace::Snapshots, snapshot.encode());
        let snapshot_ref = SnapshotRef::new(blob.digest());
        // The blob travels with the plan, so the node never becomes visible without its snapshot.
        draft.store(blob);
        let from = self.ack.address.node;
        let there = NodeScope { node: to, ..self.at() };
        let node = NodeCreated {
            node_kind: NodeKind::Step,
            parent_node_id: Some(from),
            workflow_hash,
            snapshot_ref,
        };
        draft.push(EventBody::NodeCreated(there, node));
        let kind = if is_fork { EdgeCause::NonTipAdvance } else { EdgeCause::IntentionalFork };
        let cause = Cause { kind, event_id: cause };
        let edge = EdgeCreated::new(EdgeKind::AckedStep, from, to, cause);
        let edge = edge.expect("neither cause is that of a bookmark");
        draft.push(EventBody::EdgeCreated(self.ack.address.run, edge));
        (snapshot_ref, snapshot)
    }

    /// Records the output itself. It supersedes an output that was submitted at the same node before.
    fn record_outputs(&self, draft: &mut PlanDraft<'_>, run: &RunState) {
        let node = self.ack.address.node;
        let stands = |channel| run.outputs.current(node, channel).map(|output| output.id).collect();
        for output in self.output.outputs(self.ack.attempt, stands) {
            draft.push(EventBody::NodeOutputAppended(self.at(), output));
        }
        self.output.blobs().iter().for_each(|blob| draft.store(blob.clone()));
    }
}

/// Collects the facts about a node that the engine judges by.
fn facts<'a>(
    run: &RunState,
    node: NodeId,
    context: Option<&'a RunContext>,
    ask_after_refusals: usize,
) -> StepFacts<'a> {
    let standing =
        |capability: &Capability| (*capability, run.capabilities.capability(node, *capability));
    let critical = run.gaps.open_on(node).filter(|gap| gap.is_critical());
    let preferences = run.preferences.effective(node);
    StepFacts {
        preferences: preferences.unwrap_or(PREFERENCES_DEFAULT),
        standings: Capability::ALL.iter().map(standing).collect::<KnownCapabilities>(),
        context: context.map(RunContext::as_object),
        open_gaps: critical.map(|gap| gap.record.gap_id).collect(),
        settled: settled(run, node),
        refusals: refusals(run, node, ask_after_refusals),
    }
}

/// Merges `change` over `before`. Returns `None` if that changes nothing. Values are replaced whole, and `null`
/// removes a key.
pub(super) fn merged_context(
    before: Option<&RunContext>,
    change: &Map<String, Value>,
) -> Result<Option<RunContext>, Refusal> {
    // The change is checked by itself as well: it may be too large even if it removes more than it adds.
    RunContext::new(change)?;
    let mut object = before.map(|context| context.as_object().clone()).unwrap_or_default();
    for (key, value) in change {
        if value.is_null() {
            object.remove(key);
        } else {
            object.insert(key.clone(), value.clone());
        }
    }
    let context = RunContext::new(&object).map_err(|error| match error {
        PayloadError::ContextTooLarge { measured_bytes } => {
            Refusal::ContextTooLarge { what: "context after the change", measured: measured_bytes }
        }
        error => error.into(),
    })?;
    let known = before.map_or_else(|| context.as_object().is_empty(), |before| *before == context);
    Ok((!known).then_some(context))
}

/// Returns the events that `artifacts` stand for, submitted by `attempt` for `step` at `at`.
fn artifact_events(
    step: &CompiledStep,
    at: NodeScope,
    attempt: AttemptId,
    artifacts: &[Value],
) -> Vec<EventBody> {
    let mut bodies = Vec::new();
    for (ordinal, artifact) in artifacts.iter().enumerate() {
        if BuiltinContract::CapabilityObservation.describes(artifact) {
            let id = derive::observation(attempt, ordinal);
            let observed = observation(step, id, artifact);
            bodies.extend(observed.map(|observed| EventBody::CapabilityObserved(at, observed)));
        } else if BuiltinContract::Divergence.describes(artifact) {
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
