//! Execution snapshots: exactly what is needed to resume from a run node.
//!
//! A snapshot is written together with its node and never changes. Together with the pinned workflow it is
//! enough to rehydrate a run and to mint its tokens; no event has to be read again. It holds no notes and no
//! other projection, because those are read from events and would become stale here.
//!
//! It contains the prompt of the pending step as the agent read it. A reply is repeated from recorded facts,
//! so the text must not depend on the current renderer.
//!
//! | file | holds |
//! |---|---|
//! | `execution` | the snapshot, its states, the pending step, and the check that it belongs to a workflow |
//! | `progress` | the completed steps, and the decisions about loops |
//! | `wire` | the written form |
//! | `error` | the problems of snapshots |
//!
//! *Invariants*: a snapshot that breaks a rule cannot be made, neither by a constructor nor by reading. A
//! snapshot has one encoding, and its reference is the digest of that.

mod error;
mod execution;
mod progress;
mod wire;

pub use error::{SnapshotError, SnapshotMismatch};
pub use execution::{
    ExecutionSnapshot, ExecutionState, PendingStep, RenderedPrompt, Running, StepTitle,
    derive_is_complete, derive_pending_step,
};
pub use progress::{CompletedSteps, Decisions, LoopControl, LoopDecision};
