//! The snapshot, its states, and the facts derived from them.

use piton_core::{CanonicalBytes, Digest, SnapshotRef, WorkflowHash, canonical};

use super::error::SnapshotError;
use super::pending::PendingStep;
use super::running::Running;
use super::wire;

/// Everything that is needed to resume from a run node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionSnapshot {
    /// The compiled workflow that the run is pinned to.
    pub workflow_hash: WorkflowHash,
    pub state: ExecutionState,
}

/// The progress of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutionState {
    /// Nothing was done or chosen yet.
    Init,
    Running(Running),
    Complete,
}

impl ExecutionSnapshot {
    /// Encodes the snapshot as it is stored.
    pub fn encode(&self) -> CanonicalBytes {
        canonical::encode(self).expect("texts and small numbers, a few levels deep")
    }

    /// Decodes a stored snapshot. Bytes that [`ExecutionSnapshot::encode`] would not have written are
    /// refused.
    pub fn decode(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let snapshot = wire::read(bytes)?;
        // The reference of a snapshot is the digest of its bytes, so a second spelling would be a second
        // snapshot.
        if snapshot.encode().as_bytes() != bytes {
            return Err(SnapshotError::NotCanonical);
        }
        Ok(snapshot)
    }

    /// Returns the reference under which the snapshot is stored: the digest of its bytes.
    pub fn snapshot_ref(&self) -> SnapshotRef {
        SnapshotRef::new(Digest::of(&self.encode()))
    }
}

/// True if the run is complete.
pub const fn derive_is_complete(snapshot: &ExecutionSnapshot) -> bool {
    matches!(snapshot.state, ExecutionState::Complete)
}

/// Returns the step that is to be done at the node.
pub const fn derive_pending_step(snapshot: &ExecutionSnapshot) -> Option<&PendingStep> {
    match &snapshot.state {
        ExecutionState::Running(running) => running.pending(),
        ExecutionState::Init | ExecutionState::Complete => None,
    }
}
