//! Why a session cannot be summed up.

use piton_core::{Code, NodeId, RunId};
use piton_store::Health;

use crate::{compile::CompiledWorkflowError, event::LogFlaw, snapshot::SnapshotError};

/// Why a session cannot be summed up. A session that refers to the same damaged content cannot be either.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The store does not give it out: it is damaged, or something could not be read.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// Its events contradict each other.
    #[error("the log contradicts itself at {0}")]
    Log(#[from] LogFlaw),
    /// The snapshot of a node cannot be used.
    #[error("the snapshot of {node} cannot be used: {problem}")]
    Snapshot {
        /// The node.
        node: NodeId,
        /// Why.
        problem: SnapshotError,
    },
    /// The workflow that a run is pinned to cannot be used.
    #[error("the workflow that {run} is pinned to cannot be used: {problem}")]
    Workflow {
        /// The run.
        run: RunId,
        /// Why.
        problem: CompiledWorkflowError,
    },
}

impl SummaryError {
    /// The code of the failure.
    pub fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::Snapshot { problem, .. } => problem.code(),
            Self::Workflow {
                problem: CompiledWorkflowError::UnsupportedVersion { .. }, ..
            } => Code::StoreUnsupportedVersion,
            Self::Log(_) | Self::Workflow { .. } => Code::StoreInvariantViolation,
        }
    }

    /// How the session is damaged, if that is the trouble.
    pub fn health(&self) -> Option<&Health> {
        match self {
            Self::Store(piton_store::Error::NotHealthy { health, .. }) => Some(health),
            _ => None,
        }
    }
}
