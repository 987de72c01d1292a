//! A call that reached its tool.

use std::fmt;

use piton_core::Envelope;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::person::Person;
use crate::arguments::{check, typed};
use crate::catalogue::{Object, RUN, ToolCard};

/// A call whose arguments fit the schema of its tool.
pub struct CheckedCall<'a> {
    tool: &'a ToolCard,
    run: Option<String>,
    arguments: Object,
    person: &'a dyn Person,
}

impl fmt::Debug for CheckedCall<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Call").field("tool", &self.tool.name).finish_non_exhaustive()
    }
}

impl<'a> CheckedCall<'a> {
    pub(crate) fn new(
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

    /// The name of its tool.
    pub const fn tool(&self) -> &'static str {
        self.tool.name
    }

    /// The token of the pending step that it belongs to, as it was sent: nobody has looked at it yet.
    pub fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// The person beside the agent.
    pub const fn person(&self) -> &'a dyn Person {
        self.person
    }

    /// What was sent, for a set that reads it itself.
    pub fn into_arguments(self) -> Object {
        self.arguments
    }

    /// What is asked for.
    pub fn request<T: DeserializeOwned>(self) -> Result<T, Envelope> {
        typed(self.tool, self.arguments)
    }
}
