//! Immutable content: pinned workflows, snapshots and artifacts, cached by their digests.
//!
//! *Invariants*: a snapshot is returned only together with the workflow that it was checked against.

use std::collections::BTreeSet;
use std::sync::Arc;

use piton_core::{Digest, SnapshotRef, WorkflowHash};
use piton_store::port::{BlobNamespace, BlobReader};

use super::bounded_map::BoundedMap;
use super::error::Error;
use crate::bounds::{ARTIFACTS_WARM_MAX, SNAPSHOTS_WARM_MAX, WORKFLOWS_WARM_MAX};
use crate::compile::CompiledWorkflow;
use crate::name::{LoopId, StepId};
use crate::projection::ArtifactText;
use crate::snapshot::ExecutionSnapshot;

/// A workflow that a run is pinned to, with the ids that snapshots are checked against.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) hash: WorkflowHash,
    pub(super) workflow: Arc<CompiledWorkflow>,
    steps: BTreeSet<StepId>,
    loops: BTreeSet<LoopId>,
}

impl Pinned {
    pub(super) fn new(hash: WorkflowHash, workflow: Arc<CompiledWorkflow>) -> Self {
        let steps = workflow.steps.iter().map(|step| step.step_id.clone()).collect();
        let loops = workflow.loops.iter().map(|of| of.loop_id.clone()).collect();
        Self { hash, workflow, steps, loops }
    }
}

/// Content that was read so far, up to a limit.
#[derive(Debug)]
pub(super) struct Contents {
    workflows: BoundedMap<WorkflowHash, Arc<Pinned>>,
    snapshots: BoundedMap<SnapshotRef, Arc<ExecutionSnapshot>>,
    artifacts: BoundedMap<Digest, Arc<ArtifactText>>,
}

impl Contents {
    pub(super) fn new() -> Self {
        Self {
            workflows: BoundedMap::new(WORKFLOWS_WARM_MAX),
            snapshots: BoundedMap::new(SNAPSHOTS_WARM_MAX),
            artifacts: BoundedMap::new(ARTIFACTS_WARM_MAX),
        }
    }

    /// Returns the workflow that is pinned under `hash`.
    pub(super) async fn workflow(
        &self,
        blobs: &dyn BlobReader,
        hash: WorkflowHash,
    ) -> Result<Arc<Pinned>, Error> {
        if let Some(known) = self.workflows.get(hash) {
            return Ok(known);
        }
        let bytes = blobs.fetch(BlobNamespace::PinnedWorkflows, hash.digest()).await?;
        let workflow = Arc::new(CompiledWorkflow::read(&bytes)?);
        Ok(self.workflows.get_or_insert(hash, Arc::new(Pinned::new(hash, workflow))))
    }

    /// Remembers a workflow that is about to be pinned.
    pub(super) fn learn_workflow(&self, pinned: Pinned) -> Arc<Pinned> {
        self.workflows.get_or_insert(pinned.hash, Arc::new(pinned))
    }

    /// Returns the snapshot under `snapshot`, which must belong to `pinned`.
    pub(super) async fn snapshot(
        &self,
        blobs: &dyn BlobReader,
        snapshot: SnapshotRef,
        pinned: &Pinned,
    ) -> Result<Arc<ExecutionSnapshot>, Error> {
        // The cached snapshot was checked against its own workflow. Asked for with another one, it is checked again.
        if let Some(known) = self.snapshots.get(snapshot)
            && known.workflow_hash == pinned.hash
        {
            return Ok(known);
        }
        let bytes = blobs.fetch(BlobNamespace::Snapshots, snapshot.digest()).await?;
        let read = ExecutionSnapshot::decode(&bytes)?;
        read.verify_against(pinned.hash, &pinned.steps, &pinned.loops)?;
        Ok(self.learn_snapshot(snapshot, read))
    }

    /// Returns as much of an artifact as a listing shows. One that cannot be read is tried again the next time.
    pub(super) async fn artifact(
        &self,
        blobs: &dyn BlobReader,
        digest: Digest,
    ) -> Arc<ArtifactText> {
        if let Some(known) = self.artifacts.get(digest) {
            return known;
        }
        let read = Arc::new(ArtifactText::read(blobs, digest).await);
        if matches!(*read, ArtifactText::Unreadable(_)) {
            return read;
        }
        self.artifacts.get_or_insert(digest, read)
    }

    /// Remembers a snapshot that was made here.
    pub(super) fn learn_snapshot(
        &self,
        snapshot: SnapshotRef,
        content: ExecutionSnapshot,
    ) -> Arc<ExecutionSnapshot> {
        self.snapshots.get_or_insert(snapshot, Arc::new(content))
    }
}
