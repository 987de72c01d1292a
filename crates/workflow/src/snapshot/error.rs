//! Problems of snapshots.

use piton_core::{Code, IdError, WorkflowHash};

use crate::bounds::{COMPLETED_STEPS_MAX, DECISIONS_MAX};
use crate::loop_path::LoopPathError;
use crate::name::{LoopId, StepId};
use crate::step_instance::StepInstanceKey;

/// Reason that something is not a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    #[error("the snapshot has version {found}; this program reads version 1")]
    UnsupportedVersion {
        /// The outer version or that of the engine payload, whichever is unknown.
        found: u64,
    },
    /// The text is not JSON with exactly the fields of a snapshot.
    #[error("the snapshot does not have the fields of one: {problem}")]
    Malformed {
        /// The parser's message, truncated if it is long.
        problem: String,
    },
    /// The meaning is right, but it is not written the way that we write it.
    #[error("the snapshot is not in canonical form")]
    NotCanonical,
    /// The completed steps are not in order or not distinct.
    #[error("the completed steps are not sorted and distinct: `{key}` stands too late")]
    CompletedNotSorted {
        /// The first key that is out of order.
        key: StepInstanceKey,
    },
    #[error("a snapshot holds at most {COMPLETED_STEPS_MAX} completed steps")]
    TooManyCompleted,
    /// The decisions are not in order or not distinct.
    #[error("the decisions are not sorted and distinct: `{key}` stands too late")]
    DecisionsNotSorted {
        /// The first key that is out of order.
        key: StepInstanceKey,
    },
    #[error("a snapshot holds at most {DECISIONS_MAX} decisions")]
    TooManyDecisions,
    /// The loops do not fit into each other.
    #[error("the loop stack is impossible: {0}")]
    LoopStack(#[from] LoopPathError),
    /// The number of an iteration is too large.
    #[error("a turn in the loop stack is impossible: {0}")]
    Iteration(#[from] IdError),
    /// The pending step is already completed.
    #[error("the pending step `{key}` is among the completed ones")]
    PendingCompleted { key: StepInstanceKey },
    /// The pending step is elsewhere than the run.
    #[error("the loop path of the pending step `{step_id}` differs from the loop stack")]
    PendingElsewhere { step_id: StepId },
}

impl SnapshotError {
    /// Returns the error code.
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

/// Reason that a snapshot does not belong to a workflow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotMismatch {
    /// The snapshot was made for another workflow.
    #[error("the snapshot was made for the workflow {snapshot}, but the run is pinned to {pinned}")]
    Workflow {
        /// The hash in the snapshot.
        snapshot: WorkflowHash,
        /// The hash that the run is pinned to.
        pinned: WorkflowHash,
    },
    /// The workflow has no such step.
    #[error("the snapshot names the step `{step_id}`, which the pinned workflow does not have")]
    Step { step_id: StepId },
    /// The workflow has no such loop.
    #[error("the snapshot names the loop `{loop_id}`, which the pinned workflow does not have")]
    Loop { loop_id: LoopId },
}

impl SnapshotMismatch {
    /// Returns the error code: the stored data contradicts itself.
    pub const fn code(&self) -> Code {
        match self {
            Self::Workflow { .. } | Self::Step { .. } | Self::Loop { .. } => {
                Code::StoreInvariantViolation
            }
        }
    }
}
