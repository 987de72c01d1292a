//! Execution snapshots: what is needed to go on from a run node, and nothing else.
//!
//! A snapshot is written together with its node and never changes. With the pinned workflow it is
//! enough to rehydrate a run and to mint its tokens; no event has to be read again. It holds no notes
//! and no other projection, because those are read from events and would grow stale here.
//!
//! The prompt of the pending step is in it as the agent read it. A reply is repeated from recorded facts,
//! so the text must not depend on the renderer of the day.
//!
//! | file | holds |
//! |---|---|
//! | `execution` | the snapshot, its states, and what follows from them |
//! | `running` | the middle of a run, and the rules that hold there |
//! | `completed` | the set of steps that are done |
//! | `decisions` | what decision steps said about their loops |
//! | `pending` | the step that is to do |
//! | `verify` | whether a snapshot belongs to a workflow |
//! | `wire` | the written form |
//! | `error` | what can be wrong with one |
//!
//! *Invariants*: a snapshot that breaks a rule cannot be made, neither by a constructor nor by reading.
//! A snapshot has one encoding, and its reference is the digest of that.

mod completed;
mod decisions;
mod error;
mod execution;
mod pending;
mod running;
mod verify;
mod wire;

pub use completed::CompletedSteps;
pub use decisions::{Decisions, LoopControl, LoopDecision};
pub use error::{SnapshotError, SnapshotMismatch};
pub use execution::{ExecutionSnapshot, ExecutionState, derive_is_complete, derive_pending_step};
pub use pending::{PendingStep, RenderedPrompt, StepTitle};
pub use running::Running;
