//! The outcome of a call, independent of the protocol.

use std::fmt;

use piton_core::SessionId;
use serde::Serialize;
use serde_json::Value;

use crate::log::{CallOutcome, RunName};

/// The outcome of a call.
///
/// *Invariants*: the structured content, if any, is what is recorded, and the text says the same for a model.
/// Information about this call alone is kept apart from both.
#[derive(Clone, Debug)]
pub struct ToolReply {
    pub(crate) structured: Option<Value>,
    pub(crate) text: String,
    pub(crate) beside: Option<String>,
    pub(crate) run: Option<RunName>,
    pub(crate) outcome: CallOutcome,
}

impl ToolReply {
    /// Creates a reply with data and text.
    pub fn new<T: Serialize>(structured: &T, text: String) -> Self {
        let structured =
            serde_json::to_value(structured).expect("replies have text keys and finite numbers");
        Self { structured: Some(structured), ..Self::text(text) }
    }

    /// Creates a reply with text alone. It is the content of a file or a list, which is not sent twice.
    pub fn text(text: String) -> Self {
        Self { structured: None, text, beside: None, run: None, outcome: CallOutcome::Done }
    }

    /// Adds a note about this call alone.
    #[must_use]
    pub fn with_note(self, beside: Option<String>) -> Self {
        Self { beside, ..self }
    }

    /// Adds the run that the reply is about, for the log.
    #[must_use]
    pub fn of_run(self, session: SessionId, label: &dyn fmt::Display) -> Self {
        Self { run: Some(RunName { session, label: label.to_string() }), ..self }
    }

    /// Marks the reply as sending the agent back if `is_blocked`, for the log.
    #[must_use]
    pub fn blocked(self, is_blocked: bool) -> Self {
        let outcome = if is_blocked { CallOutcome::Blocked } else { CallOutcome::Done };
        Self { outcome, ..self }
    }
}
