//! One line for each call, for programs that keep a log.
//!
//! *Invariants*: a line names the tool, the run and the outcome of the call. It never holds a token, anything that a
//! person or agent wrote, or the text of a message.

use std::time::Duration;

use piton_core::{Code, SessionId};

piton_core::closed_set! {
    /// How a call ended.
    pub enum CallOutcome {
        /// With a reply.
        Done => "done",
        /// With a reply that sends the agent back.
        Blocked => "blocked",
        /// With a question to a person; its repetition brings the answer.
        Asked => "asked a person",
        /// With an envelope.
        Failed => "failed",
        /// Without anything: the client did not want it any more.
        Cancelled => "cancelled",
    }
}

/// A call that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    pub tool: &'static str,
    /// Run that the call was about, if it got that far.
    pub run: Option<RunName>,
    pub outcome: CallOutcome,
    /// Code of the failure, if it failed.
    pub code: Option<Code>,
    pub took: Duration,
}

/// The names of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunName {
    pub session: SessionId,
    /// The two words of the run.
    pub label: String,
}

/// A sink for the log of calls.
pub trait CallLog: Send + Sync {
    /// Records a call. Must return quickly and must not fail.
    fn called(&self, call: &Called);
}
