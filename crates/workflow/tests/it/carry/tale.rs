//! A session with everything that a session can have, in the plans in which it is written.

use std::collections::HashMap;

use piton_core::{
    AttemptId, BoundedText, ChangeId, DivergenceId, EventId, EventIndex, GapId, NodeId,
    ObservationId, OutputId, RunId, SessionId, TimestampMs, TraceId, canonical,
    port::fixed::SeededEntropy,
};
use piton_store::{NewBlob, port::BlobNamespace};
use piton_workflow::{
    AttemptIntent, Autonomy, Capability, CapabilityStatus, ChangeOrdinal, Claim, ClaimedBy,
    Confidence, ContextSource, ContractViolation, DivergenceReason, EdgeCause, EdgeKind, EventBody,
    ExecutionSnapshot, ExecutionState, GapSeverity, NodeKind, ObservationKey, PreferenceSource,
    Reason, RiskPolicy, SessionEvent, SourceKind, TraceEntryKind,
    compile::CompiledWorkflow,
    engine::next_step,
    event::{
        AdvanceOutcome, AdvanceRecorded, CapabilityObserved, CapabilityProvenance, Cause,
        ContextSet, DecisionTraceAppended, DivergenceRecorded, EdgeCreated, GapRecorded, LogRules,
        NodeCreated, NodeOutputAppended, NodeScope, NonEmptySummary, ObservationRecorded,
        ObservedValue, OutputPayload, PreferenceChange, Preferences, PreferencesChanged,
        Resolution, RunContext, RunStarted, TraceEntry,
    },
    projection::Contexts,
};
use serde_json::{Value, json};

use crate::source::compile_value;

const GUIDED: Preferences =
    Preferences { autonomy: Autonomy::Guided, risk_policy: RiskPolicy::Conservative };

/// A workflow of three steps.
pub(crate) fn workflow() -> CompiledWorkflow {
    let step = |id: &str| json!({"id": id, "title": format!("Title of {id}"), "prompt": format!("Do {id}.")});
    let steps = [step("collect"), step("triage"), step("report")];
    compile_value(&json!({"id": "project.triage", "steps": steps})).unwrap()
}

/// A session that a test writes plan by plan. Every event is checked by the rules of logs.
pub(crate) struct Tale {
    entropy: SeededEntropy,
    pub(crate) session: SessionId,
    pub(crate) workflow: CompiledWorkflow,
    rules: LogRules,
    states: HashMap<NodeId, ExecutionState>,
    branches_seen: u64,
    next: u64,
    pub(crate) plans: Vec<Vec<SessionEvent>>,
    pub(crate) blobs: Vec<NewBlob>,
}

impl Tale {
    /// A session that was created, and nothing else.
    pub(crate) fn new(seed: u64) -> Self {
        let entropy = SeededEntropy::new(seed);
        let session = SessionId::mint(&entropy);
        let mut tale = Self {
            entropy,
            session,
            workflow: workflow(),
            rules: LogRules::new(),
            states: HashMap::new(),
            branches_seen: 0,
            next: 0,
            plans: vec![Vec::new()],
            blobs: Vec::new(),
        };
        tale.push(EventBody::SessionCreated);
        tale
    }

    /// A session with every kind of event, a fork and a checkpoint.
    pub(crate) fn rich(seed: u64) -> Self {
        let mut tale = Self::new(seed);
        tale.saw_branch("main");
        let path = ObservedValue::Path(BoundedText::new("/home/somebody/project").unwrap());
        tale.saw(ObservationKey::RepoRoot, 0, path);
        let root = tale.run();
        tale.told(root.run, None, &json!({"goal": "sort the tickets", "weight": 0.5}));
        tale.prefer(root);
        let second = tale.advance(root, "Collected 14 tickets.");
        let third = tale.advance(second, "Sorted them; 3 are urgent.");
        tale.checkpoint(third);
        tale.saw_branch("fix/urgent");
        let other = tale.advance(second, "Another way to sort them.");
        tale.remarks(other);
        tale.advance(third, "Wrote the report.");
        tale
    }

    /// All events.
    pub(crate) fn events(&self) -> Vec<SessionEvent> {
        self.plans.concat()
    }

    fn end_plan(&mut self) {
        self.rules.settled().unwrap();
        if self.plans.last().is_some_and(|plan| !plan.is_empty()) {
            self.plans.push(Vec::new());
        }
    }

    pub(crate) fn push(&mut self, body: EventBody) -> EventId {
        let id = EventId::mint(&self.entropy);
        let index = EventIndex::new(self.next).unwrap();
        self.next += 1;
        let time = TimestampMs(1_700_000_000_000 + index.get());
        let event = SessionEvent::new(self.session, index, id, time, body);
        self.rules.apply(&event).unwrap();
        self.plans.last_mut().unwrap().push(event);
        id
    }

    pub(crate) fn run(&mut self) -> NodeScope {
        let run = RunId::mint(&self.entropy);
        let workflow =
            NewBlob::canonical(BlobNamespace::PinnedWorkflows, self.workflow.canonical());
        self.blobs.push(workflow);
        let started = RunStarted {
            workflow_id: "project.triage".parse().unwrap(),
            workflow_hash: self.workflow.workflow_hash(),
            source_kind: SourceKind::Project,
            source_ref: BoundedText::new("triage.json").unwrap(),
        };
        self.push(EventBody::RunStarted(run, started));
        let first = next_step::begin(&self.workflow, &serde_json::Map::new());
        self.node(run, NodeKind::Step, None, first.unwrap().next)
    }

    fn node(
        &mut self,
        run: RunId,
        node_kind: NodeKind,
        parent: Option<NodeId>,
        state: ExecutionState,
    ) -> NodeScope {
        let at = NodeScope { run, node: NodeId::mint(&self.entropy) };
        let workflow_hash = self.workflow.workflow_hash();
        let snapshot = ExecutionSnapshot { workflow_hash, state: state.clone() };
        let snapshot_ref = snapshot.snapshot_ref();
        self.blobs.push(NewBlob::canonical(BlobNamespace::Snapshots, snapshot.encode()));
        self.states.insert(at.node, state);
        let node = NodeCreated { node_kind, parent_node_id: parent, workflow_hash, snapshot_ref };
        self.push(EventBody::NodeCreated(at, node));
        at
    }

    /// Leaves a node with notes and an artifact, in a plan of its own.
    pub(crate) fn advance(&mut self, from: NodeScope, notes: &str) -> NodeScope {
        self.end_plan();
        let told = serde_json::Map::new();
        let next =
            next_step::next(&self.workflow, &self.states[&from.node], &told, &[]).unwrap().next;
        let to = self.node(from.run, NodeKind::Step, Some(from.node), next);
        let attempt_id = AttemptId::mint(&self.entropy);
        let outcome = AdvanceOutcome::Advanced { to_node_id: to.node };
        let advance = AdvanceRecorded { attempt_id, intent: AttemptIntent::AckPending, outcome };
        let event_id = self.push(EventBody::AdvanceRecorded(from, advance));
        let cause = Cause { kind: EdgeCause::IntentionalFork, event_id };
        let edge = EdgeCreated::new(EdgeKind::AckedStep, from.node, to.node, cause).unwrap();
        self.push(EventBody::EdgeCreated(from.run, edge));
        let draft = self.output(from, None, OutputPayload::notes("A draft."));
        self.output(from, Some(draft), OutputPayload::notes(notes));
        self.artifact(from, "application/json", canonical_json(&json!({"notes": notes})));
        self.artifact(from, "image/png", vec![0x89, b'P', 0, 0xff, notes.len().to_le_bytes()[0]]);
        self.told(from.run, Some(attempt_id), &json!({"latest": notes}));
        to
    }

    pub(crate) fn output(
        &mut self,
        at: NodeScope,
        supersedes_output_id: Option<OutputId>,
        payload: OutputPayload,
    ) -> OutputId {
        let output_id = OutputId::mint(&self.entropy);
        let output = NodeOutputAppended { output_id, supersedes_output_id, payload };
        self.push(EventBody::NodeOutputAppended(at, output));
        output_id
    }

    fn artifact(&mut self, at: NodeScope, content_type: &str, bytes: Vec<u8>) {
        let byte_length = u32::try_from(bytes.len()).unwrap();
        let blob = NewBlob::new(BlobNamespace::Artifacts, bytes);
        let content_type = content_type.parse().unwrap();
        let sha256 = blob.digest();
        self.blobs.push(blob);
        self.output(at, None, OutputPayload::ArtifactRef { sha256, content_type, byte_length });
    }

    pub(crate) fn checkpoint(&mut self, from: NodeScope) -> NodeScope {
        self.end_plan();
        let state = self.states[&from.node].clone();
        let to = self.node(from.run, NodeKind::Checkpoint, Some(from.node), state);
        let event_id = self.plans.last().unwrap().last().unwrap().id();
        let cause = Cause { kind: EdgeCause::CheckpointCreated, event_id };
        let edge = EdgeCreated::new(EdgeKind::Checkpoint, from.node, to.node, cause).unwrap();
        self.push(EventBody::EdgeCreated(from.run, edge));
        to
    }

    /// What else can be said about a node.
    fn remarks(&mut self, at: NodeScope) {
        self.end_plan();
        let id = ObservationId::mint(&self.entropy);
        let provenance = CapabilityProvenance::ManualClaim {
            claimed_by: ClaimedBy::Agent,
            claim: Claim::Available,
        };
        let status = CapabilityStatus::Available;
        let observed =
            CapabilityObserved::new(id, Capability::WebBrowsing, status, provenance).unwrap();
        self.push(EventBody::CapabilityObserved(at, observed));
        let open = self.gap(at, Resolution::Unresolved {});
        self.gap(at, Resolution::Resolves { resolves_gap_id: open });
        self.gap(at, Resolution::Unresolved {});
        let divergence = DivergenceRecorded {
            divergence_id: DivergenceId::mint(&self.entropy),
            reason: DivergenceReason::EfficiencySkip,
            summary: NonEmptySummary::new("skipped the small ones").unwrap(),
            related_step_id: Some("triage".parse().unwrap()),
        };
        self.push(EventBody::DivergenceRecorded(at, divergence));
        let entry = TraceEntry {
            kind: TraceEntryKind::SelectedNextStep,
            summary: BoundedText::new("triage comes next").unwrap(),
            refs: None,
        };
        let trace = DecisionTraceAppended::new(TraceId::mint(&self.entropy), vec![entry]).unwrap();
        self.push(EventBody::DecisionTraceAppended(at, trace));
    }

    fn gap(&mut self, at: NodeScope, resolution: Resolution) -> GapId {
        let gap_id = GapId::mint(&self.entropy);
        let gap = GapRecorded {
            gap_id,
            severity: GapSeverity::Critical,
            reason: Reason::ContractViolation(ContractViolation::MissingRequiredOutput),
            summary: BoundedText::new("something is missing").unwrap(),
            resolution,
            evidence_refs: None,
            details: None,
        };
        self.push(EventBody::GapRecorded(at, gap));
        gap_id
    }

    fn prefer(&mut self, at: NodeScope) {
        let change = ChangeId::mint(&self.entropy);
        let delta = vec![PreferenceChange::Autonomy(Autonomy::ALL[1])];
        let change =
            PreferencesChanged::new(change, PreferenceSource::User, GUIDED, delta).unwrap();
        self.push(EventBody::PreferencesChanged(at, change));
    }

    fn told(&mut self, run: RunId, attempt: Option<AttemptId>, context: &Value) {
        let (attempt, source) = match attempt {
            Some(attempt) => (attempt, ContextSource::AgentDelta),
            None => (AttemptId::mint(&self.entropy), ContextSource::Initial),
        };
        let context = RunContext::new(context.as_object().unwrap()).unwrap();
        let context_id = Contexts::id_of(attempt);
        self.push(EventBody::ContextSet(run, ContextSet { context_id, context, source }));
    }

    fn saw_branch(&mut self, name: &str) {
        let value = ObservedValue::ShortString(BoundedText::new(name).unwrap());
        self.saw(ObservationKey::GitBranch, self.branches_seen, value);
        self.branches_seen += 1;
    }

    fn saw(&mut self, key: ObservationKey, before: u64, value: ObservedValue) {
        let data = ObservationRecorded { key, value, confidence: Confidence::High };
        let change = ChangeOrdinal(before);
        self.push(EventBody::ObservationRecorded { scope: None, change, data });
    }
}

fn canonical_json(value: &Value) -> Vec<u8> {
    canonical::encode(value).unwrap().into_vec()
}
