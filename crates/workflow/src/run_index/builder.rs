//! Builds the summary of a session from its events.
//!
//! *Invariants*: one operation reads each snapshot once, no matter how many runs share it. The same holds for each
//! workflow, unless there are very many.

use std::{collections::HashMap, sync::Arc};

use piton_core::{RunId, SnapshotRef, WorkflowHash};
use piton_store::{
    Error, StreamId,
    port::{BlobNamespace, BlobReader, JournalReader},
};

use super::{session_summary::SessionSummary, summary_error::SummaryError};
use crate::{
    bounds::WORKFLOWS_KEPT_MAX,
    compile::CompiledWorkflow,
    event::{SessionEvent, validate},
    projection::{RunNode, RunSummary, SessionState, TipState},
    snapshot::ExecutionSnapshot,
};

/// Builds summaries of sessions for the duration of one operation.
pub(super) struct Builder<'a> {
    pub(super) journal: &'a dyn JournalReader<SessionEvent>,
    pub(super) blobs: &'a dyn BlobReader,
    tips: HashMap<SnapshotRef, TipState>,
    workflows: HashMap<WorkflowHash, Arc<CompiledWorkflow>>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        journal: &'a dyn JournalReader<SessionEvent>,
        blobs: &'a dyn BlobReader,
    ) -> Self {
        Self { journal, blobs, tips: HashMap::new(), workflows: HashMap::new() }
    }

    /// Reads a whole session and summarizes it. Returns `None` if the session no longer exists.
    pub(super) async fn build(
        &mut self,
        stream: &StreamId,
    ) -> Result<Option<SessionSummary>, SummaryError> {
        let loaded = match self.journal.load(stream).await {
            Err(Error::NotFound { .. }) => return Ok(None),
            loaded => loaded?,
        };
        // A log that contradicts itself is reported, not summarized: the projection takes its events as valid.
        validate(&loaded.events)?;
        let state = SessionState::of(&loaded.events);
        let mut runs = Vec::with_capacity(state.runs().len());
        for run in state.runs() {
            let Some(tip) = run.graph.preferred_tip() else { continue };
            let tip = self.tip(tip).await?;
            let workflow = self.workflow(run.id, run.started.workflow_hash).await?;
            runs.extend(RunSummary::of(&state, run, &tip, &workflow).map(Arc::new));
        }
        Ok(Some(SessionSummary { cursor: loaded.cursor, runs, is_from_events: true }))
    }

    async fn tip(&mut self, node: &RunNode) -> Result<TipState, SummaryError> {
        if let Some(known) = self.tips.get(&node.snapshot) {
            return Ok(known.clone());
        }
        let bytes = self.blobs.fetch(BlobNamespace::Snapshots, node.snapshot.digest()).await?;
        let unusable = |problem| SummaryError::Snapshot { node: node.id, problem };
        let tip = TipState::from(&ExecutionSnapshot::decode(&bytes).map_err(unusable)?);
        self.tips.insert(node.snapshot, tip.clone());
        Ok(tip)
    }

    async fn workflow(
        &mut self,
        run: RunId,
        hash: WorkflowHash,
    ) -> Result<Arc<CompiledWorkflow>, SummaryError> {
        if let Some(known) = self.workflows.get(&hash) {
            return Ok(Arc::clone(known));
        }
        let bytes = self.blobs.fetch(BlobNamespace::PinnedWorkflows, hash.digest()).await?;
        let unusable = |problem| SummaryError::Workflow { run, problem };
        let workflow = Arc::new(CompiledWorkflow::read(&bytes).map_err(unusable)?);
        // A bound on memory, not an eviction policy: with this many workflows, some are just read twice.
        if self.workflows.len() >= WORKFLOWS_KEPT_MAX {
            self.workflows.clear();
        }
        self.workflows.insert(hash, Arc::clone(&workflow));
        Ok(workflow)
    }
}
