//! A call of a tool: its arguments, checked against the schema of the tool, and its outcome.

use std::fmt;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use piton_core::{Code, Envelope};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::arguments::{check, typed};
use crate::catalogue::{Object, RUN, ToolCard};
use crate::person::Person;
use crate::sets::{ToolReply, ToolSet};

/// Calls a tool of `set`. Every failure, including a panic, becomes an envelope.
pub(crate) async fn call(
    set: &dyn ToolSet,
    tool: &ToolCard,
    arguments: Object,
    person: &dyn Person,
) -> Result<ToolReply, Envelope> {
    let work = async { set.call(CheckedCall::new(tool, set.aliases(), arguments, person)?).await };
    // The message of a panic may quote anything, so it stays in the log.
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        let message = format!("{} ended early because of a fault in Piton.", tool.name);
        Err(Envelope::new(Code::InternalError, message))
    })
}

/// A call whose arguments fit the schema of its tool.
pub struct CheckedCall<'a> {
    tool: &'a ToolCard,
    run: Option<String>,
    arguments: Object,
    person: &'a dyn Person,
}

impl fmt::Debug for CheckedCall<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CheckedCall").field("tool", &self.tool.name).finish_non_exhaustive()
    }
}

impl<'a> CheckedCall<'a> {
    fn new(
        tool: &'a ToolCard,
        aliases: &[(&str, &str)],
        arguments: Object,
        person: &'a dyn Person,
    ) -> Result<Self, Envelope> {
        let mut arguments = check(tool, aliases, arguments)?;
        let mut run = None;
        if tool.is_within_a_run()
            && let Some(Value::String(token)) = arguments.remove(RUN)
        {
            run = Some(token);
        }
        Ok(Self { tool, run, arguments, person })
    }

    /// Returns the name of the tool.
    pub const fn tool(&self) -> &'static str {
        self.tool.name
    }

    /// Returns the token of the pending step that the call belongs to, as it was sent. It has not been verified.
    pub fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// Returns the person beside the agent.
    pub const fn person(&self) -> &'a dyn Person {
        self.person
    }

    /// Returns the arguments, for a set that parses them itself.
    pub fn into_arguments(self) -> Object {
        self.arguments
    }

    /// Deserialises the request.
    pub fn request<T: DeserializeOwned>(self) -> Result<T, Envelope> {
        typed(self.tool, self.arguments)
    }
}
