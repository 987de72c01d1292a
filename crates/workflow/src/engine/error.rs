//! Reasons for the engine to find no next state.

use piton_core::{Code, TextTooLong};

use crate::snapshot::SnapshotError;
use crate::step_instance::StepInstanceKey;

/// Reasons for the engine to find no next state. Nothing that an agent submits leads here; findings report that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    #[error("the run is complete: there is no step to go on from")]
    Complete,
    /// No step is pending, so there is none to continue from.
    #[error("no step is pending, so none can be completed")]
    NothingPending,
    /// The state belongs to another workflow, or was made by hand.
    #[error("the workflow has no step at `{key}`, where the run stands")]
    Misplaced {
        /// The position that the state claims.
        key: StepInstanceKey,
    },
    /// A title or prompt of the workflow is too long to be shown. The compiler makes none.
    #[error("a text of the next step cannot be shown: {0}")]
    Text(#[from] TextTooLong),
    /// The next state would break a rule of snapshots.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl EngineError {
    /// Returns the code of the failure.
    pub const fn code(&self) -> Code {
        match self {
            Self::Complete | Self::NothingPending => Code::ValidationError,
            Self::Misplaced { .. } => Code::StoreInvariantViolation,
            Self::Text(_) => Code::StoreLimitExceeded,
            Self::Snapshot(error) => error.code(),
        }
    }
}
