//! One line for each call, for whoever keeps a log.
//!
//! *Invariants*: a line names the tool, the run and how the call ended. It never holds a token, what somebody wrote, or
//! the words of a message.

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
    /// The tool.
    pub tool: &'static str,
    /// The run that it was about, if it got that far.
    pub run: Option<RunName>,
    /// How it ended.
    pub outcome: CallOutcome,
    /// By which code it failed.
    pub code: Option<Code>,
    /// How long it took.
    pub took: Duration,
}

/// The names of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunName {
    /// Its session.
    pub session: SessionId,
    /// Its two words.
    pub label: String,
}

/// Who keeps a log of calls.
pub trait CallLog: Send + Sync {
    /// Takes note. Must return quickly and must not fail.
    fn called(&self, call: &Called);
}
