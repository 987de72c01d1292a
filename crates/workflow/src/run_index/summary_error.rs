//! Reasons for a session not to be summarized.

use piton_core::{Code, NodeId, RunId};
use piton_store::Health;

use crate::{compile::CompiledWorkflowError, event::LogFlaw, snapshot::SnapshotError};

/// Reasons for a session not to be summarized. Damaged content affects every session that refers to it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The store does not return it: it is damaged, or something could not be read.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    #[error("the log contradicts itself at {0}")]
    Log(#[from] LogFlaw),
    #[error("the snapshot of {node} cannot be used: {problem}")]
    Snapshot { node: NodeId, problem: SnapshotError },
    #[error("the workflow that {run} is pinned to cannot be used: {problem}")]
    Workflow { run: RunId, problem: CompiledWorkflowError },
}

impl SummaryError {
    /// Returns the code of the failure.
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

    /// Returns the damage to the session, if that is the reason.
    pub fn health(&self) -> Option<&Health> {
        match self {
            Self::Store(piton_store::Error::NotHealthy { health, .. }) => Some(health),
            _ => None,
        }
    }
}
