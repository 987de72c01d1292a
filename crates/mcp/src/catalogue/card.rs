//! Everything that is said about one tool.

use std::sync::Arc;

use super::schema::{Object, RUN, with_run};

/// What a client may know before it lets an agent call a tool. No tool reaches anything that Piton was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Whether it writes nothing.
    pub read_only: bool,
    /// Whether it may overwrite or remove what was there.
    pub destructive: bool,
    /// Whether the same call twice does no more than once.
    pub idempotent: bool,
}

/// Everything that is said about one tool.
#[derive(Clone, Debug)]
pub struct ToolCard {
    /// What agents call.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for agents.
    pub description: String,
    /// What a client may know about it.
    pub hints: Hints,
    /// The schema of what it takes.
    pub input: Arc<Object>,
    /// The schema of what it answers as structured content.
    pub output: Arc<Object>,
}

impl ToolCard {
    /// The same tool, with the argument by which a call says which pending step it belongs to.
    #[must_use]
    pub fn within_a_run(mut self) -> Self {
        self.input = Arc::new(with_run(Arc::unwrap_or_clone(self.input)));
        self
    }

    /// Whether its calls may say which pending step they belong to.
    pub fn is_within_a_run(&self) -> bool {
        self.input.get("properties").is_some_and(|fields| fields.get(RUN).is_some())
    }
}
