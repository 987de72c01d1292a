//! Reads the content that the events of a session refer to.

use std::collections::BTreeMap;

use piton_core::{Digest, SessionId, SnapshotRef, WorkflowHash};
use piton_store::port::{BlobNamespace, Blobs};

use super::error::TransferError;
use crate::bundle::{ArtifactBytes, EntryPath, Needed};
use crate::compile::CompiledWorkflow;
use crate::event::SessionEvent;
use crate::snapshot::ExecutionSnapshot;

/// The content that events refer to, and the parts of it that could not be read.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) snapshots: BTreeMap<SnapshotRef, ExecutionSnapshot>,
    pub(super) pinned_workflows: BTreeMap<WorkflowHash, CompiledWorkflow>,
    pub(super) artifacts: BTreeMap<Digest, ArtifactBytes>,
    /// Unreadable parts in the order of their paths, each with the reason.
    pub(super) unreadable: Vec<(EntryPath, TransferError)>,
}

/// Reads everything that `events` refer to. Continues past what cannot be read.
pub(super) async fn gather(
    blobs: &dyn Blobs,
    session: SessionId,
    events: &[SessionEvent],
) -> Gathered {
    let needed = Needed::by(events);
    let mut gathered = Gathered::default();
    let unusable =
        |path, problem: String| (path, TransferError::Unusable { session, path, problem });
    for key in needed.snapshots {
        let path = EntryPath::Snapshot(key);
        let read = match blobs.fetch(BlobNamespace::Snapshots, key.digest()).await {
            Ok(bytes) => ExecutionSnapshot::decode(&bytes)
                .map_err(|problem| unusable(path, problem.to_string())),
            Err(error) => Err((path, error.into())),
        };
        match read {
            Ok(snapshot) => drop(gathered.snapshots.insert(key, snapshot)),
            Err(problem) => gathered.unreadable.push(problem),
        }
    }
    for key in needed.workflows {
        let path = EntryPath::PinnedWorkflow(key);
        let read = match blobs.fetch(BlobNamespace::PinnedWorkflows, key.digest()).await {
            Ok(bytes) => CompiledWorkflow::read(&bytes)
                .map_err(|problem| unusable(path, problem.to_string())),
            Err(error) => Err((path, error.into())),
        };
        match read {
            Ok(workflow) => drop(gathered.pinned_workflows.insert(key, workflow)),
            Err(problem) => gathered.unreadable.push(problem),
        }
    }
    for key in needed.artifacts {
        match blobs.fetch(BlobNamespace::Artifacts, key).await {
            Ok(bytes) => drop(gathered.artifacts.insert(key, ArtifactBytes::new(bytes))),
            Err(error) => gathered.unreadable.push((EntryPath::Artifact(key), error.into())),
        }
    }
    gathered
}
