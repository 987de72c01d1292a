//! The description of a tool.

use std::sync::Arc;

use super::schema::{Object, RUN, with_run};

/// Hints for a client before it lets an agent call a tool. No tool reaches anything that Piton was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Set when the tool writes nothing.
    pub read_only: bool,
    /// Set when the tool may overwrite or remove something.
    pub destructive: bool,
    /// Set when repeating the same call has no further effect.
    pub idempotent: bool,
}

/// The complete description of a tool.
#[derive(Clone, Debug)]
pub struct ToolCard {
    /// Name that agents call.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Description for agents.
    pub description: String,
    pub hints: Hints,
    /// Schema of the arguments.
    pub input: Arc<Object>,
    /// Schema of the structured content of its replies.
    pub output: Arc<Object>,
}

impl ToolCard {
    /// Adds the argument by which a call names the pending step that it belongs to.
    #[must_use]
    pub fn within_a_run(mut self) -> Self {
        self.input = Arc::new(with_run(Arc::unwrap_or_clone(self.input)));
        self
    }

    /// True if its calls may name the pending step that they belong to.
    pub fn is_within_a_run(&self) -> bool {
        self.input.get("properties").is_some_and(|fields| fields.get(RUN).is_some())
    }
}
