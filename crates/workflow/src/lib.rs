//! Durable execution of workflows: what an agent is doing, and what it did.
//!
//! This is the vocabulary: the ids, closed sets and keys that events, snapshots and replies are made of.
//! Every name here is part of a format, so it is defined once, and a text that is not one of the names is
//! refused where it enters.
//!
//! ```
//! use std::sync::Arc;
//! use piton_core::TimestampMs;
//! use piton_core::port::fixed::{ManualClock, SeededEntropy};
//! use piton_store::memory::{MemoryBlobs, MemoryJournal, MemoryKeyRing};
//! use piton_workflow::compile::{Definitions, compile};
//! use piton_workflow::event::Preferences;
//! use piton_workflow::session::{Sessions, SourcedWorkflow, Start};
//! use piton_workflow::source::SourceOrigin;
//! use piton_workflow::{Autonomy, RiskPolicy, SourceKind};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let text = r#"{ "id": "project.greeting", "name": "Greeting",
//!     "steps": [{ "id": "greet", "title": "Greet", "prompt": "Say hello." }] }"#;
//! let origin = SourceOrigin::new(SourceKind::Project, "example");
//! let compiled = compile(text, &origin, &Definitions::standard()).expect("nothing is wrong with it");
//!
//! let clock = Arc::new(ManualClock::new(TimestampMs(0)));
//! let (entropy, blobs) = (Arc::new(SeededEntropy::new(1)), MemoryBlobs::new(clock.clone()));
//! let journal = Arc::new(MemoryJournal::new(blobs.clone()));
//! let keys = Arc::new(MemoryKeyRing::new(entropy.clone()));
//! let sessions = Sessions::new(journal, Arc::new(blobs), keys, clock, entropy);
//!
//! // The run is pinned to the workflow as it was compiled, and every step is appended to the journal.
//! let start = Start {
//!     workflow: SourcedWorkflow {
//!         compiled: Arc::new(compiled),
//!         source_kind: SourceKind::Project,
//!         source_ref: "example".to_owned(),
//!     },
//!     goal: None,
//!     context: serde_json::Map::new(),
//!     preferences: Preferences {
//!         autonomy: Autonomy::Guided,
//!         risk_policy: RiskPolicy::Conservative,
//!     },
//!     observations: Vec::new(),
//!     key: None,
//! };
//! let reply = sessions.start(start).await?;
//! assert!(reply.body.ack_token.is_some(), "the token with which the agent submits its output");
//! # Ok::<(), piton_workflow::session::Error>(())
//! # }).unwrap();
//! ```
//!
//! * [`name`]: the ids that an author writes in a workflow.
//! * [`loop_path`] and [`step_instance`]: the position of a step within its loops, and its key.
//! * [`event`]: the thirteen kinds of events, with the rules that hold within one and across a log.
//! * [`dedupe`]: the keys that make recording an event twice harmless.
//! * [`run`], [`capability`], [`reason`]: the status of a run, the abilities of the agent, and the reasons
//!   that a run cannot simply continue.
//! * [`projection`]: views derived from events: graphs, tips, outputs, gaps, status, runs to resume.
//! * [`label`]: the names that people use for runs.
//! * [`run_index`]: every run of every session, summarised, listed and ranked; over the ports of the store.
//! * [`token`]: the tokens that an agent receives: their content, signature and text.
//! * [`snapshot`]: everything that is needed to resume from a run node.
//! * [`source`], [`contract`], [`compile`]: workflow files, the output that their steps require, and the
//!   compilation of a file to the form that runs are pinned to.
//! * [`predicate`]: conditions on the context of a run.
//! * [`builtin_workflows`], [`catalogue`]: the workflows that come with Piton, and everything that others may
//!   use from it.
//! * [`engine`]: the choice of what happens next in a run.
//! * [`session`]: leading an agent through a run, over the ports of the store.
//! * [`bundle`], [`transfer`]: a whole session in one file, and its export from and import into a data
//!   directory.
//! * [`maintenance`]: removing what is no longer needed, checking and repairing the rest.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: nothing here reads a file, a clock, a source of randomness or the environment. Everything
//! that has an effect ([`session`], [`run_index`], [`transfer`], [`maintenance`] and the signing of tokens)
//! goes through ports.

pub mod artifact;
pub mod bounds;
pub mod builtin_workflows;
pub mod bundle;
pub mod capability;
pub mod catalogue;
pub mod compile;
pub mod contract;
pub mod dedupe;
pub mod engine;
pub mod event;
mod id_map;
pub mod label;
pub mod loop_path;
pub mod maintenance;
pub mod name;
mod ports;
pub mod predicate;
pub mod projection;
pub mod reason;
pub mod run;
pub mod run_index;
pub mod session;
pub mod snapshot;
pub mod source;
pub mod step_instance;
pub mod token;
pub mod transfer;

pub use capability::{
    AttemptContext, Capability, CapabilityStatus, Claim, ClaimedBy, EnforcementGrade, FailureCode,
    ProbeResult, ProvenanceKind,
};
pub use event::{
    Autonomy, BlockerCode, ChangeOrdinal, Confidence, DivergenceReason, EdgeCause, EdgeKind,
    EventBody, EventKind, GapSeverity, NodeKind, ObservationKey, OutputChannel, PreferenceSource,
    RiskPolicy, SessionEvent, TraceEntryKind,
};
pub use loop_path::{Iteration, LoopPath, LoopPathError, LoopPosition};
pub use name::{ConditionId, ContextKey, LoopId, StepId, Tag};
pub use ports::SessionPorts;
pub use reason::{
    CapabilityMissing, ContractViolation, NonAssumableChoice, Reason, ReasonCategory, Unexpected,
    UserOnlyDependency,
};
pub use run::{AttemptIntent, ContextSource, NextIntent, RunStatus, SourceKind};
pub use snapshot::{ExecutionSnapshot, ExecutionState, PendingStep, SnapshotError};
pub use step_instance::{StepInstanceKey, StepInstanceKeyError};
pub use token::{
    AnyToken, NodeAddress, ShortToken, TokenError, TokenKind, TokenString, TokenStringError,
};
