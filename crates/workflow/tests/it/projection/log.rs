//! A log that a test writes step by step. Every event is checked by the rules of logs.
#![expect(clippy::unwrap_used, reason = "a helper of tests stops at the first surprise")]

use piton_core::{
    AttemptId, BoundedText, ChangeId, Digest, DivergenceId, EventId, EventIndex, GapId, NodeId,
    ObservationId, OutputId, RunId, SessionId, SnapshotRef, TimestampMs, WorkflowHash,
    port::fixed::SeededEntropy,
};
use piton_workflow::{
    AttemptContext, AttemptIntent, Autonomy, BlockerCode, Capability, CapabilityStatus,
    ChangeOrdinal, Claim, ClaimedBy, Confidence, ContextSource, DivergenceReason, EdgeCause,
    EdgeKind, EventBody, GapSeverity, NodeKind, ObservationKey, PreferenceSource, Reason,
    RiskPolicy, SessionEvent, SourceKind,
    event::{
        AdvanceOutcome, AdvanceRecorded, Blocker, BlockerReport, CapabilityObserved,
        CapabilityProvenance, Cause, ContextSet, DivergenceRecorded, EdgeCreated, GapRecorded,
        LogRules, NodeCreated, NodeOutputAppended, NodeScope, NonEmptySummary, ObservationRecorded,
        ObservedValue, OutputPayload, Pointer, PreferenceChange, Preferences, PreferencesChanged,
        Resolution, RunContext, RunStarted, UseResult,
    },
    projection::{Contexts, SessionState},
};
use serde_json::Value;

pub(super) const DEFAULTS: Preferences =
    Preferences { autonomy: Autonomy::Guided, risk_policy: RiskPolicy::Conservative };

pub(super) struct Log {
    entropy: SeededEntropy,
    session: SessionId,
    rules: LogRules,
    pub(super) events: Vec<SessionEvent>,
    pub(super) state: SessionState,
}

fn hash() -> WorkflowHash {
    WorkflowHash::new(Digest::from_bytes([7; 32]))
}

impl Log {
    pub(super) fn new() -> Self {
        let entropy = SeededEntropy::new(11);
        let session = SessionId::mint(&entropy);
        let (rules, events, state) = (LogRules::new(), Vec::new(), SessionState::default());
        let mut log = Self { entropy, session, rules, events, state };
        log.push(EventBody::SessionCreated);
        log
    }

    pub(super) fn push(&mut self, body: EventBody) -> EventId {
        let id = EventId::mint(&self.entropy);
        let index = EventIndex::new(self.events.len() as u64).unwrap();
        // Time runs backwards here: nothing may depend on it.
        let time = TimestampMs(1_000_000 - index.get());
        let event = SessionEvent::new(self.session, index, id, time, body);
        self.rules.apply(&event).unwrap();
        self.state.apply(&event);
        self.events.push(event);
        id
    }

    pub(super) fn run(&mut self) -> NodeScope {
        let run = RunId::mint(&self.entropy);
        let started = RunStarted {
            workflow_id: "project.triage".parse().unwrap(),
            workflow_hash: hash(),
            source_kind: SourceKind::Project,
            source_ref: BoundedText::new("triage.json").unwrap(),
        };
        self.push(EventBody::RunStarted(run, started));
        self.node(run, NodeKind::Step, None)
    }

    fn node(&mut self, run: RunId, node_kind: NodeKind, parent: Option<NodeId>) -> NodeScope {
        let at = NodeScope { run, node: NodeId::mint(&self.entropy) };
        let snapshot_ref = SnapshotRef::new(Digest::from_bytes([1; 32]));
        let (parent_node_id, workflow_hash) = (parent, hash());
        let node = NodeCreated { node_kind, parent_node_id, workflow_hash, snapshot_ref };
        self.push(EventBody::NodeCreated(at, node));
        at
    }

    /// Advances from a node; returns the new one and the attempt.
    pub(super) fn advance(&mut self, from: NodeScope) -> (NodeScope, AttemptId) {
        let to = self.node(from.run, NodeKind::Step, Some(from.node));
        let attempt_id = AttemptId::mint(&self.entropy);
        let outcome = AdvanceOutcome::Advanced { to_node_id: to.node };
        let advance = AdvanceRecorded { attempt_id, intent: AttemptIntent::AckPending, outcome };
        let event_id = self.push(EventBody::AdvanceRecorded(from, advance));
        let cause = Cause { kind: EdgeCause::IntentionalFork, event_id };
        let edge = EdgeCreated::new(EdgeKind::AckedStep, from.node, to.node, cause).unwrap();
        self.push(EventBody::EdgeCreated(from.run, edge));
        (to, attempt_id)
    }

    pub(super) fn step(&mut self, from: NodeScope) -> NodeScope {
        self.advance(from).0
    }

    /// Sends the agent back at a node.
    pub(super) fn block(&mut self, at: NodeScope) {
        let blocker = Blocker {
            code: BlockerCode::MissingRequiredOutput,
            pointer: Pointer::WorkflowStep { step_id: "one".parse().unwrap() },
            message: BoundedText::new("There are no notes.").unwrap(),
            suggested_fix: None,
            details: None,
        };
        let blockers = BlockerReport::new(vec![blocker]).unwrap();
        let attempt_id = AttemptId::mint(&self.entropy);
        let outcome = AdvanceOutcome::Blocked { blockers };
        let advance = AdvanceRecorded { attempt_id, intent: AttemptIntent::AckPending, outcome };
        self.push(EventBody::AdvanceRecorded(at, advance));
    }

    pub(super) fn checkpoint(&mut self, from: NodeScope) -> NodeScope {
        let to = self.node(from.run, NodeKind::Checkpoint, Some(from.node));
        let event_id = self.events.last().unwrap().id();
        let cause = Cause { kind: EdgeCause::CheckpointCreated, event_id };
        let edge = EdgeCreated::new(EdgeKind::Checkpoint, from.node, to.node, cause).unwrap();
        self.push(EventBody::EdgeCreated(from.run, edge));
        to
    }

    pub(super) fn note(&mut self, at: NodeScope, text: &str, old: Option<OutputId>) -> OutputId {
        let output_id = OutputId::mint(&self.entropy);
        let payload = OutputPayload::notes(text);
        let output = NodeOutputAppended { output_id, supersedes_output_id: old, payload };
        self.push(EventBody::NodeOutputAppended(at, output));
        output_id
    }

    pub(super) fn gap(
        &mut self,
        at: NodeScope,
        severity: GapSeverity,
        reason: Reason,
        resolution: Resolution,
    ) -> GapId {
        let gap_id = GapId::mint(&self.entropy);
        let summary = BoundedText::new("something is missing").unwrap();
        let gap = GapRecorded {
            gap_id,
            severity,
            reason,
            summary,
            resolution,
            evidence_refs: None,
            details: None,
        };
        self.push(EventBody::GapRecorded(at, gap));
        gap_id
    }

    pub(super) fn prefer(&mut self, at: NodeScope, previous: Preferences, autonomy: Autonomy) {
        let change = ChangeId::mint(&self.entropy);
        let delta = vec![PreferenceChange::Autonomy(autonomy)];
        let change =
            PreferencesChanged::new(change, PreferenceSource::User, previous, delta).unwrap();
        self.push(EventBody::PreferencesChanged(at, change));
    }

    pub(super) fn used(&mut self, at: NodeScope, result: UseResult) {
        let status = match result {
            UseResult::Success => CapabilityStatus::Available,
            UseResult::Failure(_) => CapabilityStatus::Unavailable,
        };
        let attempt_context = AttemptContext::WorkflowStep;
        self.observe(at, status, CapabilityProvenance::AttemptedUse { attempt_context, result });
    }

    pub(super) fn claimed(&mut self, at: NodeScope, claim: Claim) {
        let status = match claim {
            Claim::Available => CapabilityStatus::Available,
            Claim::Unavailable => CapabilityStatus::Unavailable,
        };
        self.observe(
            at,
            status,
            CapabilityProvenance::ManualClaim { claimed_by: ClaimedBy::Agent, claim },
        );
    }

    fn observe(
        &mut self,
        at: NodeScope,
        status: CapabilityStatus,
        provenance: CapabilityProvenance,
    ) {
        let id = ObservationId::mint(&self.entropy);
        let capability = Capability::WebBrowsing;
        let observed = CapabilityObserved::new(id, capability, status, provenance).unwrap();
        self.push(EventBody::CapabilityObserved(at, observed));
    }

    pub(super) fn diverge(&mut self, at: NodeScope) {
        let divergence = DivergenceRecorded {
            divergence_id: DivergenceId::mint(&self.entropy),
            reason: DivergenceReason::EfficiencySkip,
            summary: NonEmptySummary::new("skipped").unwrap(),
            related_step_id: None,
        };
        self.push(EventBody::DivergenceRecorded(at, divergence));
    }

    pub(super) fn told(&mut self, run: RunId, attempt: Option<AttemptId>, context: Value) {
        let Value::Object(object) = context else { panic!("a context is an object") };
        let (context_id, source) = match attempt {
            Some(attempt) => (Contexts::id_of(attempt), ContextSource::AgentDelta),
            None => (Contexts::id_of(AttemptId::mint(&self.entropy)), ContextSource::Initial),
        };
        let context = RunContext::new(&object).unwrap();
        self.push(EventBody::ContextSet(run, ContextSet { context_id, context, source }));
    }

    pub(super) fn saw_branch(&mut self, name: &str, ordinal: u64) {
        let value = ObservedValue::ShortString(BoundedText::new(name).unwrap());
        let data = ObservationRecorded {
            key: ObservationKey::GitBranch,
            value,
            confidence: Confidence::High,
        };
        let change = ChangeOrdinal(ordinal);
        self.push(EventBody::ObservationRecorded { scope: None, change, data });
    }
}
