//! Why a phase of a node failed.

use piton_backpack::Key;
use piton_core::{Code, Envelope};

piton_core::closed_set! {
    /// What a node was doing.
    pub enum Phase {
        /// Handing values on along the edge that leads to it.
        Mapping => "mapping",
        /// Looking at what it needs.
        Inputs => "inputs",
        /// Reading what it needs.
        Prep => "prep",
        /// Working on it.
        Exec => "exec",
        /// Writing what came of it.
        Post => "post",
        /// Looking at what it hands on.
        Outputs => "outputs",
    }
}

/// A failure of a node, with a code if it comes from a part that has one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NodeError {
    message: String,
    /// The code and the next action of the part that it comes from.
    cause: Option<(Code, String)>,
    missing: Option<Key>,
    wrong: Option<Key>,
}

impl NodeError {
    /// A failure in the node's own words.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: None, missing: None, wrong: None }
    }

    /// The value under a key has another form than the node takes.
    pub(crate) fn wrong_value(key: &str, message: impl Into<String>) -> Self {
        Self { wrong: Key::parse(key).ok(), ..Self::new(message) }
    }

    /// What happened.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The code of the part that it comes from.
    pub fn code(&self) -> Option<Code> {
        self.cause.as_ref().map(|(code, _)| *code)
    }

    /// What to do about it, if the part that it comes from says so.
    pub(crate) fn suggestion(&self) -> Option<&str> {
        self.cause.as_ref().map(|(_, suggestion)| suggestion.as_str())
    }

    /// The key that nobody packed, if that is why it failed.
    pub(crate) const fn missing(&self) -> Option<&Key> {
        self.missing.as_ref()
    }

    /// The key whose value has another form than the node takes, if that is why it failed.
    pub(crate) const fn wrong(&self) -> Option<&Key> {
        self.wrong.as_ref()
    }

    /// The same failure in other words.
    pub(crate) fn with_message(mut self, message: String) -> Self {
        self.message = message;
        self
    }
}

impl From<piton_backpack::Error> for NodeError {
    fn from(error: piton_backpack::Error) -> Self {
        let cause = (error.code(), error.envelope().suggestion);
        let message = error.to_string();
        let (missing, wrong) = match error {
            piton_backpack::Error::Missing { key } => (Some(key), None),
            piton_backpack::Error::WrongType { key, .. } => (None, Some(key)),
            _ => (None, None),
        };
        Self { message, cause: Some(cause), missing, wrong }
    }
}

impl From<piton_models::Error> for NodeError {
    fn from(error: piton_models::Error) -> Self {
        let cause = (error.code(), error.envelope().suggestion);
        Self { message: error.to_string(), cause: Some(cause), missing: None, wrong: None }
    }
}

impl From<&NodeError> for Envelope {
    fn from(error: &NodeError) -> Self {
        let code = error.code().unwrap_or(Code::FlowNodeFailed);
        let envelope = Self::new(code, &error.message);
        match error.suggestion() {
            Some(suggestion) => envelope.with_suggestion(suggestion),
            None => envelope,
        }
    }
}
