//! Leads an agent through a run: the use cases over the ports of the store.
//!
//! A call travels through the files in this order:
//!
//! | file | does |
//! |---|---|
//! | `request` | requests, as callers send them |
//! | `token_lookup` | verifies the tokens of a call and finds the node that they name |
//! | `session_cache` | keeps the folded state of a session current with its log |
//! | `content` | caches pinned workflows, snapshots and artifacts, which never change |
//! | `bounded_map` | the map with a size limit behind both caches |
//! | `start`, `advance`, `checkpoint`, `prefer`, `settle` | load, decide, append |
//! | `advance_draft`, `checked_output`, `artifact_events` | the events that record an output |
//! | `new_observations`, `merged_context` | the observations and the context that a call changes |
//! | `derive`, `plan_draft` | ids that derive from an attempt, and the plan |
//! | `reply_basis`, `counted_payload`, `reply_builder` | a reply from recorded facts alone |
//! | `question` | the question that a person is to be asked |
//! | `rehydrate` | the state of a run, for an agent that resumes it |
//! | `resume` | the token of a run that was found by other means |
//! | `step_grant` | the pending step that a call of another tool belongs to |
//! | `token_run` | the run that a token belongs to, and the calls that continue it |
//! | `reply`, `text` | the reply as data, and as an agent reads it |
//! | `error` | reasons for a call to fail |
//!
//! [`Reader`] has only the ports that read; [`Sessions`] adds those that write. Rehydration is a method of the
//! reader, so it cannot write.
//!
//! *Invariants*: every decision is appended in one plan, with its snapshot and artifacts, before any caller learns of
//! it. An attempt on record is answered from the record: nothing is judged, chosen or rendered again, and no lock is
//! taken. A reply never contains what the caller sent.
//!
//! *Limitations*: a session with a log that breaks a rule is refused as a whole, even if only another of its runs is
//! affected.

mod advance;
mod advance_draft;
mod artifact_events;
mod bounded_map;
mod checked_output;
mod checkpoint;
mod content;
mod counted_payload;
mod derive;
mod error;
mod merged_context;
mod new_observations;
mod plan_draft;
mod prefer;
mod question;
mod reader;
mod rehydrate;
mod reply;
mod reply_basis;
mod reply_builder;
mod request;
mod resume;
mod session_cache;
mod sessions;
mod settle;
mod start;
mod step_grant;
mod text;
mod token_lookup;
mod token_run;

pub use error::{CrossedTokens, Error, Refusal, RunPlace};
pub use question::Question;
pub use reader::Reader;
pub use reply::{
    CheckpointBody, CheckpointReply, DecisionLine, GapLine, NextCall, NextParams, PendingReply,
    Reply, ReplyBody, ReplyKind, ReplyNotice, RunLine, TOOL_CONTINUE,
};
pub use request::{
    Checkpoint, Continue, PersonVerdict, Prefer, SettleRequest, SourcedWorkflow, Start, StartKey,
    SubmittedOutput,
};
pub use resume::ResumedRun;
pub use sessions::Sessions;
pub use settle::SettledStep;
pub use step_grant::{PendingAccess, StepGrant};
pub use text::DECIDED;
pub use token_run::TokenRun;
