//! Why the engine cannot say what comes next.

use piton_core::{Code, TextTooLong};

use crate::snapshot::SnapshotError;
use crate::step_instance::StepInstanceKey;

/// Why there is no answer. Nothing that an agent hands in leads here; that is told by findings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The run is at its end.
    #[error("the run is complete: there is no step to go on from")]
    Complete,
    /// No step is pending, so there is none to go on from.
    #[error("no step is pending, so none can be completed")]
    NothingPending,
    /// The state is one of another workflow, or was made by hand.
    #[error("the workflow has no step at `{key}`, where the run stands")]
    Misplaced {
        /// Where the run says that it stands.
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
    /// The code of the failure.
    pub const fn code(&self) -> Code {
        match self {
            Self::Complete | Self::NothingPending => Code::ValidationError,
            Self::Misplaced { .. } => Code::StoreInvariantViolation,
            Self::Text(_) => Code::StoreLimitExceeded,
            Self::Snapshot(error) => error.code(),
        }
    }
}
