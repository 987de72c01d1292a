//! The snapshot, its states, and what follows from them.

use piton_core::{CanonicalBytes, Digest, SnapshotRef, WorkflowHash, canonical};

use super::error::SnapshotError;
use super::pending::PendingStep;
use super::running::Running;
use super::wire;

/// What is needed to go on from a run node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionSnapshot {
    /// The compiled workflow that the run is pinned to.
    pub workflow_hash: WorkflowHash,
    /// How far the run is.
    pub state: ExecutionState,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutionState {
    /// Nothing was done and nothing chosen yet.
    Init,
    /// In the middle.
    Running(Running),
    /// At the end.
    Complete,
}

impl ExecutionSnapshot {
    /// The snapshot as it is stored.
    pub fn encode(&self) -> CanonicalBytes {
        canonical::encode(self).expect("texts and small numbers, a few levels deep")
    }

    /// The snapshot that was stored as `bytes`. Bytes that [`ExecutionSnapshot::encode`] would not have
    /// written are refused.
    pub fn decode(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let snapshot = wire::read(bytes)?;
        if snapshot.encode().as_bytes() != bytes {
            return Err(SnapshotError::NotCanonical);
        }
        Ok(snapshot)
    }

    /// Where the snapshot is stored: the digest of its bytes.
    pub fn snapshot_ref(&self) -> SnapshotRef {
        SnapshotRef::new(Digest::of(&self.encode()))
    }
}

/// Whether the run is at its end.
pub const fn derive_is_complete(snapshot: &ExecutionSnapshot) -> bool {
    matches!(snapshot.state, ExecutionState::Complete)
}

/// What is to do at the node.
pub const fn derive_pending_step(snapshot: &ExecutionSnapshot) -> Option<&PendingStep> {
    match &snapshot.state {
        ExecutionState::Running(running) => running.pending(),
        ExecutionState::Init | ExecutionState::Complete => None,
    }
}
