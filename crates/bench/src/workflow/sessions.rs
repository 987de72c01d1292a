//! Sessions as agents leave them behind.

use piton_core::port::fixed::SeededEntropy;
use piton_core::{
    AttemptId, BoundedText, Digest, EventId, EventIndex, NodeId, OutputId, RunId, SessionId,
    SnapshotRef, TimestampMs, canonical,
};
use piton_store::port::BlobNamespace;
use piton_store::{AppendPlan, NewBlob};
use piton_workflow::compile::{CompiledWorkflow, Definitions, compile};
use piton_workflow::event::{
    AdvanceOutcome, AdvanceRecorded, Cause, EdgeCreated, NodeCreated, NodeOutputAppended,
    NodeScope, ObservationRecorded, ObservedValue, OutputPayload, RunStarted,
};
use piton_workflow::snapshot::{CompletedSteps, Running};
use piton_workflow::source::SourceOrigin;
use piton_workflow::{
    AttemptIntent, ChangeOrdinal, Confidence, EdgeCause, EdgeKind, EventBody, ExecutionSnapshot,
    ExecutionState, LoopPath, NodeKind, ObservationKey, PendingStep, SessionEvent, SourceKind,
    StepId,
};
use serde_json::json;

use crate::error::{Error, Result};

/// Time between the beginnings of two sessions.
const MS_BETWEEN: u64 = 60_000;

/// Compiles a workflow of twelve steps, one after the other.
pub(crate) fn workflow(id: &str) -> Result<CompiledWorkflow> {
    let step = |number: usize| json!({"id": format!("step-{number}"), "title": format!("Step {number}"), "prompt": "Do it."});
    let steps: Vec<_> = (1..=12).map(step).collect();
    let text = json!({"id": id, "name": "Bench", "steps": steps}).to_string();
    compile(&text, &SourceOrigin::new(SourceKind::Project, "bench"), &Definitions::standard())
        .map_err(|problems| Error::json("compile a workflow")(format!("{problems:?}")))
}

/// Builds a session of `plans` plans: its start, and a step in each of the others.
pub(crate) fn session(
    number: u32,
    plans: usize,
    workflow: &CompiledWorkflow,
) -> (SessionId, Vec<AppendPlan<SessionEvent>>) {
    // Ids come from the number, so that every run of the benchmark builds the same sessions.
    let digest = Digest::of(&canonical::encode(&number).expect("a number has a canonical form"));
    let mut writer = SessionWriter {
        entropy: SeededEntropy::new(u64::from(number)),
        id: SessionId::from_digest(&digest),
        run: RunId::from_digest(&digest),
        tip: NodeId::from_digest(&digest),
        number,
        next: 0,
        done: 0,
        workflow,
    };
    let plans =
        (0..plans).map(|bench_dir| if bench_dir == 0 { writer.begin() } else { writer.advance() });
    (SessionId::from_digest(&digest), plans.collect())
}

struct SessionWriter<'a> {
    entropy: SeededEntropy,
    id: SessionId,
    run: RunId,
    tip: NodeId,
    number: u32,
    next: u64,
    done: usize,
    workflow: &'a CompiledWorkflow,
}

impl SessionWriter<'_> {
    fn begin(&mut self) -> AppendPlan<SessionEvent> {
        let started = RunStarted {
            workflow_id: self.workflow.workflow_id.clone(),
            workflow_hash: self.workflow.workflow_hash(),
            source_kind: SourceKind::Project,
            source_ref: BoundedText::truncated("bench.json"),
        };
        let branch = BoundedText::truncated(&format!("topic/{}", self.number % 10));
        let data = ObservationRecorded {
            key: ObservationKey::GitBranch,
            value: ObservedValue::ShortString(branch),
            confidence: Confidence::High,
        };
        let snapshot = self.snapshot();
        let bodies = [
            EventBody::SessionCreated,
            EventBody::RunStarted(self.run, started),
            self.node(self.tip, None, &snapshot),
            EventBody::ObservationRecorded { scope: None, change: ChangeOrdinal(0), data },
        ];
        let pinned = NewBlob::canonical(BlobNamespace::PinnedWorkflows, self.workflow.canonical());
        let events: Vec<_> = bodies.into_iter().map(|body| self.event(body)).collect();
        AppendPlan::new(events).with_blob(snapshot).with_blob(pinned)
    }

    fn advance(&mut self) -> AppendPlan<SessionEvent> {
        self.done += 1;
        let (from, to) = (self.tip, NodeId::mint(&self.entropy));
        self.tip = to;
        let at = NodeScope { run: self.run, node: from };
        let snapshot = self.snapshot();
        let advance = AdvanceRecorded {
            attempt_id: AttemptId::mint(&self.entropy),
            intent: AttemptIntent::AckPending,
            outcome: AdvanceOutcome::Advanced { to_node_id: to },
        };
        let output = NodeOutputAppended {
            output_id: OutputId::mint(&self.entropy),
            supersedes_output_id: None,
            payload: OutputPayload::notes(&self.notes()),
        };
        // The edge names the event that caused it, so that event is built first.
        let first = self.event(EventBody::AdvanceRecorded(at, advance));
        let cause = Cause { kind: EdgeCause::IntentionalFork, event_id: first.id() };
        let edge = EdgeCreated::new(EdgeKind::AckedStep, from, to, cause)
            .expect("an advance makes such an edge");
        let rest = [
            self.node(to, Some(from), &snapshot),
            EventBody::EdgeCreated(self.run, edge),
            EventBody::NodeOutputAppended(at, output),
        ];
        let mut events = vec![first];
        events.extend(rest.into_iter().map(|body| self.event(body)));
        AppendPlan::new(events).with_blob(snapshot)
    }

    /// Returns about a kilobyte of notes, as agents write them.
    fn notes(&self) -> String {
        let line = "- Found that the cookie has no path, so the second request lost the login.\n";
        format!("# session-{} after step {}\n{}", self.number, self.done, line.repeat(13))
    }

    fn event(&mut self, body: EventBody) -> SessionEvent {
        let index = EventIndex::new(self.next).expect("a session is shorter than that");
        self.next += 1;
        SessionEvent::new(
            self.id,
            index,
            EventId::mint(&self.entropy),
            TimestampMs(u64::from(self.number) * MS_BETWEEN + self.next),
            body,
        )
    }

    fn node(&self, id: NodeId, parent: Option<NodeId>, snapshot: &NewBlob) -> EventBody {
        let node = NodeCreated {
            node_kind: NodeKind::Step,
            parent_node_id: parent,
            workflow_hash: self.workflow.workflow_hash(),
            snapshot_ref: SnapshotRef::new(snapshot.digest()),
        };
        EventBody::NodeCreated(NodeScope { run: self.run, node: id }, node)
    }

    fn snapshot(&self) -> NewBlob {
        let key = |id: &StepId| id.as_str().parse().expect("the id of a step is a key");
        // A run with more steps than the workflow begins again. That makes no sense for an agent, but nothing here
        // asks.
        let steps = &self.workflow.steps;
        let (done, left) = steps.split_at(self.done % steps.len());
        let completed = CompletedSteps::new(done.iter().map(|step| key(&step.step_id)))
            .expect("a few steps are done");
        let pending = left.first().map(|step| PendingStep {
            step_id: step.step_id.clone(),
            title: BoundedText::truncated(&step.title),
            prompt: BoundedText::truncated(&step.prompt),
            require_confirmation: false,
        });
        let running = Running::new(completed, LoopPath::default(), pending)
            .expect("what is pending is not done");
        let state = ExecutionState::Running(running);
        let workflow_hash = self.workflow.workflow_hash();
        let snapshot = ExecutionSnapshot { workflow_hash, state };
        NewBlob::canonical(BlobNamespace::Snapshots, snapshot.encode())
    }
}
