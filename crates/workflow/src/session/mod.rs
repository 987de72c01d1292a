//! Leading an agent through a run: the use cases over the ports of the store.
//!
//! A call travels through the files in this order:
//!
//! | file | does |
//! |---|---|
//! | `request` | what a caller sends |
//! | `token_lookup` | verifies the tokens of a call and finds the node that they name |
//! | `session_cache` | keeps the folded state of a session current with its log |
//! | `content` | keeps pinned workflows and snapshots, which never change |
//! | `bounded_map` | what both of them keep, up to a limit |
//! | `start`, `advance`, `checkpoint`, `prefer`, `settle` | load, decide, append |
//! | `advance_draft`, `checked_output`, `artifact_events`, `new_observations`, `merged_context` | what is recorded of a call |
//! | `derive`, `plan_draft` | ids that follow from an attempt, and the plan |
//! | `reply_basis`, `counted_payload`, `reply_builder` | a reply from recorded facts alone |
//! | `question` | what a person is to be asked |
//! | `rehydrate` | where a run stands, for an agent that takes it up |
//! | `resume` | the token of a run that was found by other means |
//! | `step_grant` | the pending step that a call of another tool belongs to |
//! | `token_run` | the run that a token belongs to, and the calls that continue it |
//! | `reply`, `text` | the reply as data, and as an agent reads it |
//! | `error` | why a call fails |
//!
//! [`Reader`] has the ports that read and nothing else; [`Sessions`] adds those that write. A rehydration is a
//! method of the reader, so it cannot write.
//!
//! *Invariants*: whatever was decided is appended in one plan, with its snapshot and artifacts, before anybody
//! is told of it. An attempt that was recorded is answered from the record: nothing is judged or chosen or
//! rendered again, and no lock is taken. What a caller sent is never part of a reply.
//!
//! *Limitations*: a session whose log breaks a rule is refused as a whole, also where only another of its runs
//! is concerned.

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
