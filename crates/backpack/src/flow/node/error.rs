//! Failures of a node.

use piton_core::{Code, Envelope};

use crate::Key;

piton_core::closed_set! {
    /// What a node was doing.
    pub enum Phase {
        /// Copying values along the edge that leads to it.
        Mapping => "mapping",
        /// Looking at what it needs.
        Inputs => "inputs",
        /// Reading what it needs.
        Prep => "prep",
        /// Working on it.
        Exec => "exec",
        /// Writing the result.
        Post => "post",
        /// Looking at what it hands on.
        Outputs => "outputs",
    }
}

/// A failure of a node, with a code if it comes from a component that has one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NodeError {
    message: String,
    /// The code and the suggestion of the component that failed.
    cause: Option<(Code, String)>,
    missing: Option<Key>,
    wrong: Option<Key>,
}

impl NodeError {
    /// Creates a failure with the node's own message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: None, missing: None, wrong: None }
    }

    /// Creates a failure for a key whose value does not fit the node.
    pub(crate) fn wrong_value(key: &str, message: impl Into<String>) -> Self {
        Self { wrong: Key::parse(key).ok(), ..Self::new(message) }
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the code of the component that failed.
    pub fn code(&self) -> Option<Code> {
        self.cause.as_ref().map(|(code, _)| *code)
    }

    /// Returns the suggestion of the component that failed, if it has one.
    pub(crate) fn suggestion(&self) -> Option<&str> {
        self.cause.as_ref().map(|(_, suggestion)| suggestion.as_str())
    }

    /// Returns the missing key, if that is the reason for the failure.
    pub(crate) const fn missing(&self) -> Option<&Key> {
        self.missing.as_ref()
    }

    /// Returns the key whose value does not fit the node, if that is the reason for the failure.
    pub(crate) const fn wrong(&self) -> Option<&Key> {
        self.wrong.as_ref()
    }

    /// Replaces the message.
    pub(crate) fn with_message(mut self, message: String) -> Self {
        self.message = message;
        self
    }
}

impl From<crate::Error> for NodeError {
    fn from(error: crate::Error) -> Self {
        let cause = (error.code(), error.envelope().suggestion);
        let message = error.to_string();
        let (missing, wrong) = match error {
            crate::Error::Missing { key } => (Some(key), None),
            crate::Error::WrongType { key, .. } => (None, Some(key)),
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
