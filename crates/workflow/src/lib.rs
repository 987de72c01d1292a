//! Durable execution of workflows: what an agent is doing, and what it did.
//!
//! This is the vocabulary: the ids, closed sets and keys out of which events, snapshots and replies are
//! made. Every name here is part of a format, so it is written down once, and a text that is not one of
//! the names is refused where it enters.
//!
//! * [`name`]: the ids that an author writes into a workflow.
//! * [`loop_path`] and [`step_instance`]: where in its loops a step stands, and its key.
//! * [`event_kind`], [`dedupe`]: what is recorded, and what makes recording it twice harmless.
//! * [`run`], [`topology`], [`output`], [`observation`]: what events say about runs and their graphs.
//! * [`preference`], [`capability`]: what the person wants and what the agent is able to do.
//! * [`reason`], [`gap`], [`blocker`]: why a run cannot simply go on, and how that is told.
//! * [`event`]: the events themselves, with the rules that hold within one and across a log.
//! * [`projection`]: what events add up to: graphs, tips, outputs, gaps, status, what to resume.
//! * [`label`]: what people call a run.
//! * [`run_index`]: every run of every session, summed up, listed and ranked; over the ports of the store.
//! * [`explanation`]: what is recorded for people only.
//! * [`token`]: the tokens that an agent is given: what they say, how they are signed and written.
//! * [`snapshot`]: what is needed to go on from a run node.
//! * [`source`], [`contract`], [`compile`]: workflow files, what their steps must hand in, and how a file
//!   becomes what runs are pinned to.
//! * [`predicate`]: questions about what a run was told.
//! * [`bundled_workflows`], [`catalogue`]: the workflows that come with Piton, and everything that others may take from it.
//! * [`engine`]: what happens next in a run.
//! * [`session`]: leading an agent through a run, over the ports of the store.
//! * [`bundle`], [`transfer`]: a whole session in one file, and carrying it out of a data directory and into one.
//! * [`maintenance`]: removing what nobody needs any more, checking and repairing what is there.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: nothing here reads a file, a clock, a source of randomness or the environment. What has an
//! effect ([`session`], [`run_index`], [`transfer`], [`maintenance`] and the signing of tokens) goes through ports.

pub mod artifact;
pub mod blocker;
pub mod bounds;
pub mod bundle;
pub mod bundled_workflows;
pub mod capability;
pub mod catalogue;
pub mod compile;
pub mod contract;
pub mod dedupe;
pub mod engine;
pub mod event;
pub mod event_kind;
pub mod explanation;
pub mod gap;
mod id_map;
pub mod label;
pub mod loop_path;
pub mod maintenance;
pub mod name;
pub mod observation;
pub mod output;
pub mod predicate;
pub mod preference;
pub mod projection;
pub mod reason;
pub mod run;
pub mod run_index;
pub mod session;
pub mod snapshot;
pub mod source;
pub mod step_instance;
pub mod token;
pub mod topology;
pub mod transfer;

pub use blocker::BlockerCode;
pub use capability::{
    AttemptContext, Capability, CapabilityStatus, Claim, ClaimedBy, EnforcementGrade, FailureCode,
    ProbeResult, ProvenanceKind,
};
pub use event::{EventBody, SessionEvent};
pub use event_kind::EventKind;
pub use explanation::{DivergenceReason, TraceEntryKind};
pub use gap::GapSeverity;
pub use loop_path::{Iteration, LoopPath, LoopPathError, LoopPosition};
pub use name::{ConditionId, ContextKey, LoopId, StepId, Tag};
pub use observation::{ChangeOrdinal, Confidence, ObservationKey};
pub use output::OutputChannel;
pub use preference::{Autonomy, PreferenceSource, RiskPolicy};
pub use reason::{
    CapabilityMissing, ContractViolation, NonAssumableChoice, Reason, ReasonCategory, Unexpected,
    UserOnlyDependency,
};
pub use run::{AttemptIntent, ContextSource, NextIntent, RunStatus, SourceKind};
pub use snapshot::{ExecutionSnapshot, ExecutionState, PendingStep, SnapshotError};
pub use step_instance::{StepInstanceKey, StepInstanceKeyError};
pub use token::{
    GivenToken, NodeAddress, ShortToken, TokenError, TokenKind, TokenString, TokenStringError,
};
pub use topology::{EdgeCause, EdgeKind, NodeKind};
