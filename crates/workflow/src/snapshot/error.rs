//! What can be wrong with a snapshot.

use piton_core::{Code, IdError, WorkflowHash};

use crate::bounds::{COMPLETED_STEPS_MAX, DECISIONS_MAX};
use crate::loop_path::LoopPathError;
use crate::name::{LoopId, StepId};
use crate::step_instance::StepInstanceKey;

/// Why something is not a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It has another version.
    #[error("the snapshot has version {found}; this program reads version 1")]
    UnsupportedVersion {
        /// The outer version or that of the engine's part, whichever is not known.
        found: u64,
    },
    /// It is not JSON with exactly the fields of a snapshot.
    #[error("the snapshot does not have the fields of one: {problem}")]
    Malformed {
        /// What the parser said, cut if it is long.
        problem: String,
    },
    /// It says the right thing in another way than we write it.
    #[error("the snapshot is not in canonical form")]
    NotCanonical,
    /// What is done is not written in order, each once.
    #[error("the completed steps are not sorted and distinct: `{key}` stands too late")]
    CompletedNotSorted {
        /// The first key that is out of order.
        key: StepInstanceKey,
    },
    /// Too much is done.
    #[error("a snapshot holds at most {COMPLETED_STEPS_MAX} completed steps")]
    TooManyCompleted,
    /// The decisions are not written in order, each once.
    #[error("the decisions are not sorted and distinct: `{key}` stands too late")]
    DecisionsNotSorted {
        /// The first key that is out of order.
        key: StepInstanceKey,
    },
    /// Too much is decided.
    #[error("a snapshot holds at most {DECISIONS_MAX} decisions")]
    TooManyDecisions,
    /// The loops do not fit into each other.
    #[error("the loop stack is impossible: {0}")]
    LoopStack(#[from] LoopPathError),
    /// A turn of a loop is too large.
    #[error("a turn in the loop stack is impossible: {0}")]
    Iteration(#[from] IdError),
    /// What is to do is done.
    #[error("the pending step `{key}` is among the completed ones")]
    PendingCompleted {
        /// The step.
        key: StepInstanceKey,
    },
    /// The pending step stands elsewhere than the run.
    #[error("the loop path of the pending step `{step_id}` differs from the loop stack")]
    PendingElsewhere {
        /// The step.
        step_id: StepId,
    },
}

impl SnapshotError {
    /// The code of the failure.
    pub const fn code(&self) -> Code {
        match self {
            Self::UnsupportedVersion { .. } => Code::StoreUnsupportedVersion,
            Self::TooManyCompleted | Self::TooManyDecisions => Code::StoreLimitExceeded,
            Self::Malformed { .. }
            | Self::NotCanonical
            | Self::CompletedNotSorted { .. }
            | Self::DecisionsNotSorted { .. }
            | Self::LoopStack(_)
            | Self::Iteration(_)
            | Self::PendingCompleted { .. }
            | Self::PendingElsewhere { .. } => Code::StoreInvariantViolation,
        }
    }
}

/// Why a snapshot does not belong to a workflow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotMismatch {
    /// It was made for another one.
    #[error("the snapshot was made for the workflow {snapshot}, but the run is pinned to {pinned}")]
    Workflow {
        /// What the snapshot says.
        snapshot: WorkflowHash,
        /// What the run says.
        pinned: WorkflowHash,
    },
    /// The workflow has no such step.
    #[error("the snapshot names the step `{step_id}`, which the pinned workflow does not have")]
    Step {
        /// The step.
        step_id: StepId,
    },
    /// The workflow has no such loop.
    #[error("the snapshot names the loop `{loop_id}`, which the pinned workflow does not have")]
    Loop {
        /// The loop.
        loop_id: LoopId,
    },
}

impl SnapshotMismatch {
    /// The code of the failure: what is stored contradicts itself.
    pub const fn code(&self) -> Code {
        match self {
            Self::Workflow { .. } | Self::Step { .. } | Self::Loop { .. } => {
                Code::StoreInvariantViolation
            }
        }
    }
}
