//! Events to test with: every kind, with every optional field and every variant of every union.

use piton_core::{
    AttemptId, BoundedText, ChangeId, ContextId, Digest, DivergenceId, EventId, EventIndex, GapId,
    NodeId, ObservationId, OutputId, RunId, SessionId, SnapshotRef, TimestampMs, TraceId,
    WorkflowHash, canonical,
};
use piton_workflow::event::*;
use piton_workflow::*;
use serde_json::{Value, json};

pub(super) const SESSION: SessionId = SessionId::from_bytes([1; 16]);
pub(super) const RUN: RunId = RunId::from_bytes([2; 16]);
pub(super) const ROOT: NodeId = NodeId::from_bytes([3; 16]);
pub(super) const NEXT: NodeId = NodeId::from_bytes([4; 16]);
pub(super) const ATTEMPT: AttemptId = AttemptId::from_bytes([5; 16]);
pub(super) const AT_ROOT: NodeScope = NodeScope { run: RUN, node: ROOT };
pub(super) const AT_NEXT: NodeScope = NodeScope { run: RUN, node: NEXT };
pub(super) const GUIDED: Preferences =
    Preferences { autonomy: Autonomy::Guided, risk_policy: RiskPolicy::Conservative };

pub(super) fn digest(byte: u8) -> Digest {
    Digest::from_bytes([byte; 32])
}

pub(super) fn workflow(byte: u8) -> WorkflowHash {
    WorkflowHash::new(digest(byte))
}

pub(super) fn event_id(index: u64) -> EventId {
    let mut bytes = [9; 16];
    bytes[8..].copy_from_slice(&index.to_be_bytes());
    EventId::from_bytes(bytes)
}

/// The event that records `body` at `index`; its id follows from the index.
pub(super) fn at(index: u64, body: EventBody) -> SessionEvent {
    let time = TimestampMs(1_700_000_000_000 + index);
    SessionEvent::new(SESSION, EventIndex::new(index).unwrap(), event_id(index), time, body)
}

pub(super) fn to_json(event: &SessionEvent) -> Value {
    serde_json::from_slice(canonical::encode(event).unwrap().as_bytes()).unwrap()
}

pub(super) fn parse(value: &Value) -> Result<SessionEvent, serde_json::Error> {
    serde_json::from_str(&value.to_string())
}

/// Reads the event that `body` would be if its data were `data`.
pub(super) fn with_data(body: &EventBody, data: &Value) -> Result<SessionEvent, String> {
    let mut value = to_json(&at(7, body.clone()));
    value["data"] = data.clone();
    parse(&value).map_err(|error| error.to_string())
}

pub(super) fn data(body: &EventBody) -> Value {
    to_json(&at(7, body.clone()))["data"].take()
}

pub(super) fn run_started(run: RunId) -> EventBody {
    EventBody::RunStarted(
        run,
        RunStarted {
            workflow_id: "project.triage".parse().unwrap(),
            workflow_hash: workflow(20),
            source_kind: SourceKind::Project,
            source_ref: BoundedText::new("workflows/triage.json").unwrap(),
        },
    )
}

pub(super) fn node(at: NodeScope, kind: NodeKind, parent: Option<NodeId>) -> EventBody {
    EventBody::NodeCreated(
        at,
        NodeCreated {
            node_kind: kind,
            parent_node_id: parent,
            workflow_hash: workflow(20),
            snapshot_ref: SnapshotRef::new(digest(21)),
        },
    )
}

pub(super) fn edge(kind: EdgeKind, from: NodeId, to: NodeId, cause: u64) -> EventBody {
    let cause_kind = match kind {
        EdgeKind::AckedStep => EdgeCause::IntentionalFork,
        EdgeKind::Checkpoint => EdgeCause::CheckpointCreated,
    };
    let cause = Cause { kind: cause_kind, event_id: event_id(cause) };
    EventBody::EdgeCreated(RUN, EdgeCreated::new(kind, from, to, cause).unwrap())
}

pub(super) fn advanced(at: NodeScope, to: NodeId) -> EventBody {
    let outcome = AdvanceOutcome::Advanced { to_node_id: to };
    EventBody::AdvanceRecorded(
        at,
        AdvanceRecorded { attempt_id: ATTEMPT, intent: AttemptIntent::AckPending, outcome },
    )
}

pub(super) fn limit() -> LimitDetails {
    LimitDetails::LoopLimit {
        loop_id: "retry".parse().unwrap(),
        iteration: Iteration::new(4).unwrap(),
        max_iterations: 5,
    }
}

pub(super) fn blocker(code: BlockerCode, pointer: Pointer) -> Blocker {
    Blocker {
        code,
        pointer,
        message: BoundedText::new("The notes are missing.").unwrap(),
        suggested_fix: Some(BoundedText::new("Send `notesMarkdown`.").unwrap()),
        details: Some(limit()),
    }
}

/// One pointer of each kind, in the order of a report.
pub(super) fn pointers() -> Vec<Pointer> {
    vec![
        Pointer::Capability { capability: Capability::Delegation },
        Pointer::ContextBudget {},
        Pointer::ContextKey { key: "ticket".parse().unwrap() },
        Pointer::OutputContract { contract_ref: "wr.contracts.loop_control".parse().unwrap() },
        Pointer::WorkflowStep { step_id: "triage".parse().unwrap() },
    ]
}

pub(super) fn blocked(blockers: Vec<Blocker>) -> EventBody {
    let outcome = AdvanceOutcome::Blocked { blockers: BlockerReport::new(blockers).unwrap() };
    EventBody::AdvanceRecorded(
        AT_ROOT,
        AdvanceRecorded { attempt_id: ATTEMPT, intent: AttemptIntent::AckPending, outcome },
    )
}

pub(super) fn output(at: NodeScope, id: u8, old: Option<u8>, payload: OutputPayload) -> EventBody {
    let output_id = |byte| OutputId::from_bytes([byte; 16]);
    EventBody::NodeOutputAppended(
        at,
        NodeOutputAppended {
            output_id: output_id(id),
            supersedes_output_id: old.map(output_id),
            payload,
        },
    )
}

pub(super) fn artifact() -> OutputPayload {
    OutputPayload::ArtifactRef {
        sha256: digest(22),
        content_type: "application/json".parse().unwrap(),
        byte_length: 1_000_000,
    }
}

pub(super) fn observed(key: ObservationKey, change: u64, value: ObservedValue) -> EventBody {
    EventBody::ObservationRecorded {
        scope: None,
        change: ChangeOrdinal(change),
        data: ObservationRecorded { key, value, confidence: Confidence::High },
    }
}

pub(super) fn short(text: &str) -> ObservedValue {
    ObservedValue::ShortString(BoundedText::new(text).unwrap())
}

pub(super) fn preferences(
    at: NodeScope,
    change: u8,
    previous: Preferences,
    delta: Vec<PreferenceChange>,
) -> EventBody {
    let change = ChangeId::from_bytes([change; 16]);
    let changed = PreferencesChanged::new(change, PreferenceSource::User, previous, delta);
    EventBody::PreferencesChanged(at, changed.unwrap())
}

pub(super) fn probe(result: ProbeResult) -> CapabilityProvenance {
    CapabilityProvenance::ProbeStep {
        probe_template_id: "wr.templates.capability_probe".parse().unwrap(),
        probe_step_id: "wr_probe_web_browsing".parse().unwrap(),
        result,
    }
}

pub(super) fn capability(
    id: u8,
    status: CapabilityStatus,
    provenance: CapabilityProvenance,
) -> Result<EventBody, PayloadError> {
    let id = ObservationId::from_bytes([id; 16]);
    CapabilityObserved::new(id, Capability::WebBrowsing, status, provenance)
        .map(|data| EventBody::CapabilityObserved(AT_ROOT, data))
}

pub(super) fn gap(id: u8, resolution: Resolution) -> EventBody {
    EventBody::GapRecorded(
        AT_ROOT,
        GapRecorded {
            gap_id: GapId::from_bytes([id; 16]),
            severity: GapSeverity::Critical,
            reason: Reason::ContractViolation(ContractViolation::MissingRequiredOutput),
            summary: BoundedText::new("The notes are missing.").unwrap(),
            resolution,
            evidence_refs: BoundedList::optional(vec![
                EvidenceRef::Event { event_id: event_id(2) },
                EvidenceRef::Output { output_id: OutputId::from_bytes([30; 16]) },
            ])
            .unwrap(),
            details: Some(limit()),
        },
    )
}

pub(super) fn divergence(summary: &str) -> EventBody {
    EventBody::DivergenceRecorded(
        AT_ROOT,
        DivergenceRecorded {
            divergence_id: DivergenceId::from_bytes([50; 16]),
            reason: DivergenceReason::EfficiencySkip,
            summary: NonEmptySummary::new(summary).unwrap(),
            related_step_id: Some("triage".parse().unwrap()),
        },
    )
}

pub(super) fn trace(entries: Vec<TraceEntry>) -> EventBody {
    let trace = DecisionTraceAppended::new(TraceId::from_bytes([60; 16]), entries);
    EventBody::DecisionTraceAppended(AT_ROOT, trace.unwrap())
}

pub(super) fn trace_refs() -> Vec<TraceRef> {
    vec![
        TraceRef::StepId { step_id: "triage".parse().unwrap() },
        TraceRef::LoopId { loop_id: "retry".parse().unwrap() },
        TraceRef::ConditionId { condition_id: "again".parse().unwrap() },
        TraceRef::Iteration { value: Iteration::ZERO },
    ]
}

pub(super) fn context(value: &Value) -> Result<RunContext, PayloadError> {
    RunContext::new(value.as_object().unwrap())
}

pub(super) fn context_set(value: &Value) -> EventBody {
    EventBody::ContextSet(
        RUN,
        ContextSet {
            context_id: ContextId::from_bytes([70; 16]),
            context: context(value).unwrap(),
            source: ContextSource::AgentDelta,
        },
    )
}

/// Every kind of event, in the order of the kinds, with every variant of every union.
pub(super) fn bodies() -> Vec<EventBody> {
    let claim =
        CapabilityProvenance::ManualClaim { claimed_by: ClaimedBy::Agent, claim: Claim::Available };
    let used = |result| CapabilityProvenance::AttemptedUse {
        attempt_context: AttemptContext::WorkflowStep,
        result,
    };
    let both = vec![
        PreferenceChange::RiskPolicy(RiskPolicy::Balanced),
        PreferenceChange::Autonomy(Autonomy::FullAutoNeverStop),
    ];
    let entry = TraceEntry::new(TraceEntryKind::EnteredLoop, "A retry is due.", trace_refs());
    let commit = "4f3c2a1b0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a".parse().unwrap();
    let path = ObservedValue::Path(BoundedText::new("/home/ana/project").unwrap());
    let mut scoped = observed(ObservationKey::RepoRoot, 0, path);
    if let EventBody::ObservationRecorded { scope, .. } = &mut scoped {
        *scope = Some(AT_ROOT);
    }
    vec![
        EventBody::SessionCreated,
        observed(ObservationKey::GitBranch, 2, short("Main branch")),
        observed(ObservationKey::GitHeadSha, 0, ObservedValue::GitSha1(commit)),
        observed(ObservationKey::RepoRootHash, 0, ObservedValue::Sha256(digest(23))),
        scoped,
        run_started(RUN),
        node(AT_ROOT, NodeKind::Step, None),
        node(AT_NEXT, NodeKind::Checkpoint, Some(ROOT)),
        edge(EdgeKind::AckedStep, ROOT, NEXT, 3),
        edge(EdgeKind::Checkpoint, ROOT, NEXT, 3),
        advanced(AT_ROOT, NEXT),
        blocked(
            pointers()
                .into_iter()
                .map(|pointer| blocker(BlockerCode::MissingRequiredOutput, pointer))
                .collect(),
        ),
        output(AT_ROOT, 30, None, OutputPayload::notes("Found the cause.")),
        output(AT_ROOT, 31, Some(30), artifact()),
        preferences(AT_ROOT, 40, GUIDED, both),
        capability(41, CapabilityStatus::Available, probe(ProbeResult::Success)).unwrap(),
        capability(42, CapabilityStatus::Available, used(UseResult::Success)).unwrap(),
        capability(
            43,
            CapabilityStatus::Unavailable,
            used(UseResult::Failure(FailureCode::ToolMissing)),
        )
        .unwrap(),
        capability(44, CapabilityStatus::Available, claim).unwrap(),
        gap(45, Resolution::Unresolved {}),
        gap(46, Resolution::Resolves { resolves_gap_id: GapId::from_bytes([45; 16]) }),
        divergence("Looked at the log first."),
        trace(vec![entry.unwrap()]),
        context_set(&json!({"ticket": "AB-1", "slices": [1, {"name": "ü"}], "rate": 0.5})),
    ]
}
