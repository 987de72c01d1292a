//! Sessions that tests write plan by plan, with snapshots that can be read.

use piton_core::{
    AttemptId, BoundedText, EventId, EventIndex, NodeId, OutputId, RunId, SessionId, TimestampMs,
    port::fixed::SeededEntropy,
};
use piton_store::{AppendPlan, NewBlob, port::BlobNamespace};
use piton_workflow::{
    AttemptIntent, ChangeOrdinal, Confidence, ContextSource, EdgeCause, EdgeKind, EventBody,
    ExecutionSnapshot, ExecutionState, LoopPath, NodeKind, ObservationKey, PendingStep,
    SessionEvent, SourceKind,
    compile::CompiledWorkflow,
    event::{
        AdvanceOutcome, AdvanceRecorded, Cause, ContextSet, EdgeCreated, NodeCreated,
        NodeOutputAppended, NodeScope, ObservationRecorded, ObservedValue, OutputPayload,
        RunContext, RunStarted,
    },
    projection::Contexts,
    snapshot::{CompletedSteps, Running},
};
use serde_json::{Value, json};

use super::store::Store;
use crate::source::compile_value;

/// Three steps, one after the other.
pub(super) fn workflow() -> CompiledWorkflow {
    let step = |id: &str| json!({"id": id, "title": format!("Title of {id}"), "prompt": "Do it."});
    let steps = ["plan", "build", "check"].map(step);
    compile_value(&json!({"id": "project.login_fix", "name": "Fix a login", "steps": steps}))
        .expect("it compiles")
}

/// A session with one run, and where that stands.
pub(super) struct Session {
    entropy: SeededEntropy,
    pub(super) id: SessionId,
    pub(super) run: RunId,
    pub(super) tip: NodeId,
    workflow: CompiledWorkflow,
    done: usize,
    next: u64,
}

impl Session {
    /// Begins a session.
    pub(super) async fn begin(store: &Store, number: u32, goal: Option<&str>) -> Self {
        Self::begin_with(store, number, goal, workflow()).await
    }

    pub(super) async fn begin_with(
        store: &Store,
        number: u32,
        goal: Option<&str>,
        workflow: CompiledWorkflow,
    ) -> Self {
        let entropy = SeededEntropy::new(u64::from(number));
        let mut id = [number.to_be_bytes()[3]; 16];
        if number > 255 {
            id[..4].copy_from_slice(&number.to_be_bytes());
        }
        let id = SessionId::from_bytes(id);
        let run = RunId::mint(&entropy);
        let tip = NodeId::mint(&entropy);
        let mut session = Self { entropy, id, run, tip, workflow, done: 0, next: 0 };
        let snapshot = session.snapshot();
        let (workflow_hash, pinned) =
            (session.workflow.workflow_hash(), session.workflow.canonical());
        let started = RunStarted {
            workflow_id: session.workflow.workflow_id.clone(),
            workflow_hash,
            source_kind: SourceKind::Project,
            source_ref: BoundedText::new("fix.json").unwrap(),
        };
        let mut bodies = vec![
            EventBody::SessionCreated,
            EventBody::RunStarted(run, started),
            session.node(tip, None, &snapshot),
        ];
        bodies.extend(goal.map(|goal| session.told(&json!({ "goal": goal }))));
        let plan = session.plan(bodies).with_blob(snapshot);
        let plan = plan.with_blob(NewBlob::canonical(BlobNamespace::PinnedWorkflows, pinned));
        store.append(id, plan).await;
        session
    }

    /// Does the pending step with `notes`.
    pub(super) async fn advance(&mut self, store: &Store, notes: &str) {
        let (from, to) = (self.tip, NodeId::mint(&self.entropy));
        self.done += 1;
        let snapshot = self.snapshot();
        let attempt_id = AttemptId::mint(&self.entropy);
        let outcome = AdvanceOutcome::Advanced { to_node_id: to };
        let advance = AdvanceRecorded { attempt_id, intent: AttemptIntent::AckPending, outcome };
        let output = NodeOutputAppended {
            output_id: OutputId::mint(&self.entropy),
            supersedes_output_id: None,
            payload: OutputPayload::notes(notes),
        };
        let at = NodeScope { run: self.run, node: from };
        let mut events = vec![self.event(EventBody::AdvanceRecorded(at, advance))];
        let cause = Cause { kind: EdgeCause::IntentionalFork, event_id: events[0].id() };
        let edge = EdgeCreated::new(EdgeKind::AckedStep, from, to, cause).unwrap();
        for body in [
            self.node(to, Some(from), &snapshot),
            EventBody::EdgeCreated(self.run, edge),
            EventBody::NodeOutputAppended(at, output),
        ] {
            events.push(self.event(body));
        }
        self.tip = to;
        store.append(self.id, AppendPlan::new(events).with_blob(snapshot)).await;
    }

    /// Sees a branch for the first time.
    pub(super) async fn see_branch(&mut self, store: &Store, name: &str) {
        let value = ObservedValue::ShortString(BoundedText::new(name).unwrap());
        let (key, confidence) = (ObservationKey::GitBranch, Confidence::High);
        let data = ObservationRecorded { key, value, confidence };
        let body = EventBody::ObservationRecorded { scope: None, change: ChangeOrdinal(0), data };
        let plan = self.plan(vec![body]);
        store.append(self.id, plan).await;
    }

    fn plan(&mut self, bodies: Vec<EventBody>) -> AppendPlan<SessionEvent> {
        AppendPlan::new(bodies.into_iter().map(|body| self.event(body)).collect::<Vec<_>>())
    }

    fn event(&mut self, body: EventBody) -> SessionEvent {
        let index = EventIndex::new(self.next).unwrap();
        self.next += 1;
        let time = TimestampMs(1_000 + index.get());
        SessionEvent::new(self.id, index, EventId::mint(&self.entropy), time, body)
    }

    fn node(&self, id: NodeId, parent: Option<NodeId>, snapshot: &NewBlob) -> EventBody {
        let node = NodeCreated {
            node_kind: NodeKind::Step,
            parent_node_id: parent,
            workflow_hash: self.workflow.workflow_hash(),
            snapshot_ref: piton_core::SnapshotRef::new(snapshot.digest()),
        };
        EventBody::NodeCreated(NodeScope { run: self.run, node: id }, node)
    }

    fn told(&self, context: &Value) -> EventBody {
        let context = RunContext::new(context.as_object().unwrap()).unwrap();
        let context_id = Contexts::id_of(AttemptId::mint(&self.entropy));
        let source = ContextSource::Initial;
        EventBody::ContextSet(self.run, ContextSet { context_id, context, source })
    }

    /// What it takes to go on after so many steps.
    fn snapshot(&self) -> NewBlob {
        let keys = self.workflow.steps[..self.done].iter().map(|step| step.step_id.as_str());
        let completed = CompletedSteps::new(keys.map(|id| id.parse().unwrap())).unwrap();
        let state = self.workflow.steps.get(self.done).map_or(ExecutionState::Complete, |step| {
            let pending = PendingStep {
                step_id: step.step_id.clone(),
                title: BoundedText::new(step.title.clone()).unwrap(),
                prompt: BoundedText::new(step.prompt.clone()).unwrap(),
                require_confirmation: false,
            };
            let running = Running::new(completed, LoopPath::default(), Some(pending)).unwrap();
            ExecutionState::Running(running)
        });
        let workflow_hash = self.workflow.workflow_hash();
        let snapshot = ExecutionSnapshot { workflow_hash, state };
        NewBlob::canonical(BlobNamespace::Snapshots, snapshot.encode())
    }
}
