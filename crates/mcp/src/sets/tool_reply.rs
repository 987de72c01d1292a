//! What came of a call, without the protocol.

use std::fmt;

use piton_core::SessionId;
use serde::Serialize;
use serde_json::Value;

use crate::log::{CallOutcome, RunName};

/// What came of a call.
///
/// *Invariants*: the structured content, where there is any, is what is recorded, and the text says the same for a
/// model. What is true of one call only stands beside them.
#[derive(Clone, Debug)]
pub struct ToolReply {
    pub(crate) structured: Option<Value>,
    pub(crate) text: String,
    pub(crate) beside: Option<String>,
    pub(crate) run: Option<RunName>,
    pub(crate) outcome: CallOutcome,
}

impl ToolReply {
    /// A reply, as data and as text.
    pub fn new<T: Serialize>(structured: &T, text: String) -> Self {
        let structured =
            serde_json::to_value(structured).expect("replies have text keys and finite numbers");
        Self { structured: Some(structured), ..Self::text(text) }
    }

    /// A reply that is text alone: what it says is the content of a file or a list, and is not sent twice.
    pub fn text(text: String) -> Self {
        Self { structured: None, text, beside: None, run: None, outcome: CallOutcome::Done }
    }

    /// The same, with what is true of this call only.
    #[must_use]
    pub fn with_note(self, beside: Option<String>) -> Self {
        Self { beside, ..self }
    }

    /// The same, with the run that it is about, for the log.
    #[must_use]
    pub fn of_run(self, session: SessionId, label: &dyn fmt::Display) -> Self {
        Self { run: Some(RunName { session, label: label.to_string() }), ..self }
    }

    /// The same, which sends the agent back if `is_blocked`, for the log.
    #[must_use]
    pub fn blocked(self, is_blocked: bool) -> Self {
        let outcome = if is_blocked { CallOutcome::Blocked } else { CallOutcome::Done };
        Self { outcome, ..self }
    }
}
