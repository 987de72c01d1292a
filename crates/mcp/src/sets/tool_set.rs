//! The interface between a set of tools and the server, independent of the protocol.

use std::fmt;

use futures_util::future::BoxFuture;
use piton_core::{Envelope, SessionId};
use piton_runtime::StepAccess;
use serde::Serialize;
use serde_json::Value;

use crate::call::CheckedCall;
use crate::catalogue::{Catalogue, ToolCard};
use crate::log::{CallOutcome, RunName};

/// The tools of one set that one connection has.
pub trait ToolSet: Send + Sync {
    /// Returns the catalogue that its agent reads.
    fn catalogue(&self) -> &Catalogue;

    /// Returns other names that models use for fields of its tools, each with the field that it means.
    fn aliases(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Calls one of its tools. A cancelled call stops at its next await.
    fn call<'a>(&'a self, call: CheckedCall<'a>) -> BoxFuture<'a, Result<ToolReply, Envelope>>;

    /// Returns the tools that can succeed in some way with at least one of the given accesses.
    fn tools_left(&self, _left: &[Option<StepAccess>]) -> Vec<&ToolCard> {
        self.catalogue().tools.iter().collect()
    }

    /// Describes to an agent what a step leaves it, if the set has something to say about that.
    fn map(&self, _access: Option<&StepAccess>) -> Option<String> {
        None
    }

    /// True if its calls move runs from step to step, which may change the access that steps leave.
    fn moves_runs(&self) -> bool {
        false
    }

    /// Finishes deferred work, now that the agent is gone.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// The outcome of a call.
///
/// *Invariants*: the structured content, if any, is what is recorded, and the text says the same for a model.
/// Information about this call alone is kept apart from both.
pub struct ToolReply {
    structured: Option<Box<dyn FnOnce() -> Value + Send>>,
    pub(crate) text: String,
    pub(crate) beside: Option<String>,
    pub(crate) run: Option<RunName>,
    pub(crate) outcome: CallOutcome,
}

impl fmt::Debug for ToolReply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ToolReply").field("text", &self.text).finish_non_exhaustive()
    }
}

impl ToolReply {
    /// Creates a reply with data and with the text that `text` renders of it.
    pub fn new<T: Serialize + Send + 'static>(reply: T, text: impl FnOnce(&T) -> String) -> Self {
        let text = Self::text(text(&reply));
        // Clients with a model in front of the tools get the text alone, so the JSON is made only where it is sent.
        let structured =
            move || serde_json::to_value(reply).expect("replies have text keys and finite numbers");
        Self { structured: Some(Box::new(structured)), ..text }
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

    /// Returns the structured content.
    pub(crate) fn structured(&mut self) -> Option<Value> {
        self.structured.take().map(|make| make())
    }
}
