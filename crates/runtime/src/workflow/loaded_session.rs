//! A session that was loaded for inspection: its folded events and the steps of its nodes.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use piton_core::{Envelope, EventIndex, NodeId, SessionId, SnapshotRef, TimestampMs, WorkflowHash};
use piton_store::StreamId;
use piton_store::port::{BlobReader, JournalReader};
use piton_workflow::SessionEvent;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::event::OutputPayload;
use piton_workflow::projection::{
    ArtifactText, ProducedArtifact, RecordedDecision, RecordedOutput, RunNode, RunState,
    RunSummary, SessionState, StepPlace,
};
use piton_workflow::session::{self, SessionLoader};
use piton_workflow::snapshot::ExecutionSnapshot;

use super::artifacts::content_lost;
use super::runtime::RuntimePorts;
use crate::bounds::ARTIFACTS_READ_MAX;
use crate::reply::{ArtifactShown, DecisionShown};

/// A session that was read whole. Nothing that was read before counts, so damage shows.
pub(crate) struct LoadedSession {
    session: SessionId,
    loader: SessionLoader,
    pub(crate) state: SessionState,
    events: Vec<SessionEvent>,
    artifacts_read: AtomicUsize,
}

impl LoadedSession {
    pub(crate) async fn of(ports: &RuntimePorts, session: SessionId) -> Result<Self, Envelope> {
        let journal: Arc<dyn JournalReader<SessionEvent>> = Arc::clone(&ports.journal) as _;
        let blobs: Arc<dyn BlobReader> = Arc::clone(&ports.blobs) as _;
        let loader = SessionLoader::new(journal, blobs);
        let read = loader.load(&StreamId::from(session)).await;
        let (folded, events) = read.map_err(|error| match error {
            // A session that is not there is not damaged, and the store knows what helps with one that is.
            session::Error::Store(error) => error.envelope(),
            error => content_lost(session, error.envelope()),
        })?;
        let artifacts_read = AtomicUsize::new(0);
        Ok(Self { session, loader, state: folded.state, events, artifacts_read })
    }

    /// Returns the time at which an event was recorded.
    pub(crate) fn time_of(&self, index: EventIndex) -> TimestampMs {
        let place = usize::try_from(index.get()).ok();
        let event = place.and_then(|place| self.events.get(place));
        event.map_or(TimestampMs(0), SessionEvent::timestamp)
    }

    /// Adds the ways to recover it to an error about content of the session.
    fn readable<T>(&self, read: Result<T, session::Error>) -> Result<T, Envelope> {
        read.map_err(|error| content_lost(self.session, error.envelope()))
    }

    /// Returns the workflow that a run is pinned to.
    pub(crate) async fn workflow(
        &self,
        hash: WorkflowHash,
    ) -> Result<Arc<CompiledWorkflow>, Envelope> {
        let pinned = self.readable(self.loader.workflow(hash).await)?;
        Ok(Arc::clone(&pinned.workflow))
    }

    /// Reads a snapshot.
    pub(crate) async fn snapshot(
        &self,
        snapshot: SnapshotRef,
    ) -> Result<ExecutionSnapshot, Envelope> {
        self.readable(self.loader.read_snapshot(snapshot).await)
    }

    /// Returns the steps of nodes, keyed by the snapshots of the nodes. The end of a run has none.
    pub(crate) async fn steps<'n>(
        &self,
        run: &RunState,
        nodes: impl Iterator<Item = &'n RunNode>,
    ) -> Result<HashMap<SnapshotRef, StepPlace>, Envelope> {
        let workflow = self.workflow(run.started.workflow_hash).await?;
        let mut steps = HashMap::new();
        for node in nodes {
            let tip = self.readable(self.loader.tip(node.snapshot).await)?;
            steps.extend(StepPlace::of(&tip, &workflow).map(|step| (node.snapshot, step)));
        }
        Ok(steps)
    }

    /// Returns the summary of a run; `None` if it has no node.
    pub(crate) async fn summary(&self, run: &RunState) -> Result<Option<RunSummary>, Envelope> {
        self.readable(self.loader.summary(&self.state, run).await)
    }

    /// Returns the decisions of people at a node, newest first.
    pub(crate) fn decisions(&self, run: &RunState, node: NodeId) -> Vec<DecisionShown> {
        let shown = |recorded: RecordedDecision| DecisionShown {
            decision: recorded.decision,
            by: recorded.by,
            event: recorded.index,
            at: self.time_of(recorded.index),
        };
        run.decisions_on(node).into_iter().rev().map(shown).collect()
    }

    /// Returns an artifact as it is shown among others. The number of artifacts read per request is bounded.
    pub(crate) async fn artifact(&self, output: &RecordedOutput) -> Option<ArtifactShown> {
        let OutputPayload::ArtifactRef { sha256, byte_length, .. } = &output.payload else {
            return None;
        };
        let is_read = self.artifacts_read.fetch_add(1, Ordering::Relaxed) < ARTIFACTS_READ_MAX;
        let text = if is_read {
            Arc::unwrap_or_clone(self.loader.artifact(*sha256).await)
        } else {
            ArtifactText::Large(None)
        };
        Some(ArtifactShown::new(output.id, *sha256, *byte_length, text))
    }

    /// Returns the content of an artifact of an agent's recap.
    pub(crate) async fn artifact_text(&self, artifact: &ProducedArtifact) -> ArtifactText {
        Arc::unwrap_or_clone(self.loader.artifact(artifact.digest).await)
    }
}
