//! A fully loaded session: its folded events and the steps of its nodes.

use std::collections::HashMap;
use std::sync::Arc;

use piton_core::{
    Code, Envelope, EventIndex, NodeId, SessionId, SnapshotRef, TimestampMs, WorkflowHash,
};
use piton_store::StreamId;
use piton_store::port::BlobNamespace;
use piton_workflow::SessionEvent;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::event::{OutputPayload, validate};
use piton_workflow::projection::{
    ArtifactText, ProducedArtifact, RecordedDecision, RecordedOutput, RunNode, RunState,
    RunSummary, SessionState, StepPlace, TipState,
};
use piton_workflow::snapshot::ExecutionSnapshot;

use super::artifacts::content_lost;
use super::ports::RuntimePorts;
use crate::bounds::ARTIFACTS_READ_MAX;
use crate::reply::{ArtifactShown, DecisionShown};

/// A fully loaded session.
pub(crate) struct LoadedSession<'a> {
    ports: &'a RuntimePorts,
    session: SessionId,
    pub(crate) state: SessionState,
    pub(crate) events: Vec<SessionEvent>,
    tips: HashMap<SnapshotRef, TipState>,
    workflows: HashMap<WorkflowHash, Arc<CompiledWorkflow>>,
    artifacts_read: usize,
}

impl<'a> LoadedSession<'a> {
    pub(crate) async fn of(ports: &'a RuntimePorts, session: SessionId) -> Result<Self, Envelope> {
        let stream = StreamId::from(session);
        let loaded = ports.journal.load(&stream).await.map_err(|error| error.envelope())?;
        // Folding assumes consistent events, so contradictions are refused first.
        validate(&loaded.events).map_err(|flaw| {
            let message = format!("The events of {session} contradict each other: {flaw}.");
            content_lost(session, Envelope::new(Code::StoreInvariantViolation, message))
        })?;
        let state = SessionState::of(&loaded.events);
        let events = loaded.events;
        Ok(Self {
            ports,
            session,
            state,
            events,
            tips: HashMap::new(),
            workflows: HashMap::new(),
            artifacts_read: 0,
        })
    }

    /// Returns the time at which an event was recorded.
    pub(crate) fn time_of(&self, index: EventIndex) -> TimestampMs {
        let place = usize::try_from(index.get()).ok();
        let event = place.and_then(|place| self.events.get(place));
        event.map_or(TimestampMs(0), SessionEvent::timestamp)
    }

    /// Returns the workflow that a run is pinned to.
    pub(crate) async fn workflow(
        &mut self,
        hash: WorkflowHash,
    ) -> Result<Arc<CompiledWorkflow>, Envelope> {
        if let Some(known) = self.workflows.get(&hash) {
            return Ok(Arc::clone(known));
        }
        let bytes = self.blob(BlobNamespace::PinnedWorkflows, hash.digest()).await?;
        let workflow = CompiledWorkflow::read(&bytes).map_err(|error| {
            let message = format!("A pinned workflow cannot be used: {error}.");
            content_lost(self.session, Envelope::new(Code::StoreInvariantViolation, message))
        })?;
        let workflow = Arc::new(workflow);
        self.workflows.insert(hash, Arc::clone(&workflow));
        Ok(workflow)
    }

    /// Reads a snapshot.
    pub(crate) async fn snapshot(
        &self,
        snapshot: SnapshotRef,
    ) -> Result<ExecutionSnapshot, Envelope> {
        let bytes = self.blob(BlobNamespace::Snapshots, snapshot.digest()).await?;
        ExecutionSnapshot::decode(&bytes).map_err(|error| {
            let message = format!("A snapshot cannot be used: {error}.");
            content_lost(self.session, Envelope::new(error.code(), message))
        })
    }

    /// Returns the work to do at a node.
    pub(crate) async fn step_at(&mut self, snapshot: SnapshotRef) -> Result<TipState, Envelope> {
        if let Some(known) = self.tips.get(&snapshot) {
            return Ok(known.clone());
        }
        let read = self.snapshot(snapshot).await?;
        let tip = TipState::from(&read);
        self.tips.insert(snapshot, tip.clone());
        Ok(tip)
    }

    /// Returns the steps of nodes, keyed by the snapshots of the nodes.
    pub(crate) async fn steps<'n>(
        &mut self,
        run: &RunState,
        nodes: impl Iterator<Item = &'n RunNode>,
    ) -> Result<HashMap<SnapshotRef, Option<StepPlace>>, Envelope> {
        let workflow = self.workflow(run.started.workflow_hash).await?;
        let mut steps = HashMap::new();
        for node in nodes {
            let tip = self.step_at(node.snapshot).await?;
            steps.insert(node.snapshot, StepPlace::of(&tip, &workflow));
        }
        Ok(steps)
    }

    /// Returns the summary of a run; `None` if it has no node.
    pub(crate) async fn summary(&mut self, run: &RunState) -> Result<Option<RunSummary>, Envelope> {
        let Some(tip) = run.graph.preferred_tip() else { return Ok(None) };
        let tip = self.step_at(tip.snapshot).await?;
        let workflow = self.workflow(run.started.workflow_hash).await?;
        Ok(RunSummary::of(&self.state, run, &tip, &workflow))
    }

    /// Returns the decisions of people at a node, newest first.
    pub(crate) fn decisions(&self, run: &RunState, node: NodeId) -> Vec<DecisionShown> {
        let shown = |recorded: RecordedDecision| DecisionShown {
            decision: recorded.decision,
            event: recorded.index,
            at: self.time_of(recorded.index),
        };
        run.decisions_on(node).into_iter().rev().map(shown).collect()
    }

    /// Returns an artifact as it is shown among others. The number of artifacts read per request is bounded.
    pub(crate) async fn artifact(&mut self, output: &RecordedOutput) -> Option<ArtifactShown> {
        let OutputPayload::ArtifactRef { sha256, byte_length, .. } = &output.payload else {
            return None;
        };
        let text = if self.artifacts_read < ARTIFACTS_READ_MAX {
            self.artifacts_read += 1;
            ArtifactText::read(&*self.ports.blobs, *sha256).await
        } else {
            ArtifactText::Large(None)
        };
        Some(ArtifactShown::new(output.id, *sha256, *byte_length, text))
    }

    /// Returns the content of an artifact of an agent's recap.
    pub(crate) async fn artifact_text(&self, artifact: &ProducedArtifact) -> ArtifactText {
        ArtifactText::read(&*self.ports.blobs, artifact.digest).await
    }

    async fn blob(
        &self,
        namespace: BlobNamespace,
        digest: piton_core::Digest,
    ) -> Result<Vec<u8>, Envelope> {
        let found = self.ports.blobs.get(namespace, digest).await;
        let missing = || piton_store::Error::BlobMissing { namespace, digest };
        let found = found.and_then(|found| found.ok_or_else(missing));
        found.map_err(|error| content_lost(self.session, error.envelope()))
    }
}
