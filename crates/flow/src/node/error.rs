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
    code: Option<Code>,
    missing: Option<Key>,
}

impl NodeError {
    /// A failure in the node's own words.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: None, missing: None }
    }

    /// What happened.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The code of the part that it comes from.
    pub const fn code(&self) -> Option<Code> {
        self.code
    }

    /// The key that nobody packed, if that is why it failed.
    pub(crate) const fn missing(&self) -> Option<&Key> {
        self.missing.as_ref()
    }

    /// The same failure in other words.
    pub(crate) fn with_message(mut self, message: String) -> Self {
        self.message = message;
        self
    }
}

impl From<piton_backpack::Error> for NodeError {
    fn from(error: piton_backpack::Error) -> Self {
        let missing = match &error {
            piton_backpack::Error::Missing { key } => Some(key.clone()),
            _ => None,
        };
        Self { message: error.to_string(), code: Some(error.code()), missing }
    }
}

impl From<piton_models::Error> for NodeError {
    fn from(error: piton_models::Error) -> Self {
        Self { message: error.to_string(), code: Some(error.code()), missing: None }
    }
}

impl From<&NodeError> for Envelope {
    fn from(error: &NodeError) -> Self {
        Self::new(error.code.unwrap_or(Code::FlowNodeFailed), &error.message)
    }
}
