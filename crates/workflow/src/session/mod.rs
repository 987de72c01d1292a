//! Leads an agent through a run: the use cases over the ports of the store.
//!
//! A call travels through the files in this order:
//!
//! | file | does |
//! |---|---|
//! | `request` | requests, as callers send them |
//! | `token_lookup` | verifies the tokens of a call and finds the node, the run or the pending step that they name |
//! | `loader` | loads and folds sessions, loads their content, and caches both up to a limit |
//! | `reader`, `sessions` | the reading half; the writing half with the lease and the plan |
//! | `start`, `advance`, `checkpoint`, `prefer`, `prefer_branch`, `settle` | load, decide, append |
//! | `refusals` | the refusals of a step so far, and the question to the person that follows from too many |
//! | `checked_output`, `advance_draft` | the events that record an output |
//! | `derive` | ids that derive from an attempt |
//! | `reply_basis`, `reply_builder` | a reply from recorded facts alone |
//! | `guidance` | the guidance for a whole workflow in a reply: in full, or a reminder |
//! | `rehydrate` | the state of a run, for an agent that resumes it |
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
mod checked_output;
mod checkpoint;
mod derive;
mod error;
mod guidance;
mod inspect;
mod loader;
mod prefer;
mod prefer_branch;
mod reader;
mod refusals;
mod rehydrate;
mod reply;
mod reply_basis;
mod reply_builder;
mod request;
mod sessions;
mod settle;
mod start;
mod text;
mod token_lookup;

pub use error::{CrossedTokens, Error, Refusal, RunPlace, SettledQuestion};
pub use inspect::InspectedSession;
pub(crate) use loader::SharedSession;
pub use loader::{FoldedSession, PinnedWorkflow, SessionLoader};
pub use prefer_branch::PreferredBranch;
pub use reader::Reader;
pub use reply::{
    CheckpointBody, CheckpointReply, DecisionLine, GapLine, LoopTurn, NextCall, NextParams,
    PendingReply, Reply, ReplyBody, ReplyKind, ReplyNotice, RunLine, TOOL_CONTINUE,
};
pub use request::{
    Checkpoint, Continue, PersonVerdict, Prefer, PreferBranch, SettleRequest, SourcedWorkflow,
    Start, StartKey, SubmittedOutput,
};
pub use sessions::Sessions;
pub use settle::{Question, SettledStep};
pub use text::DECIDED;
pub use token_lookup::{PendingAccess, ResumedRun, StepGrant, TokenRun};
