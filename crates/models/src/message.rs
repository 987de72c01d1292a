//! Messages: the conversation that a model goes on with.

use serde::{Deserialize, Serialize};

use crate::tool::ToolCall;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Message {
    /// What the model is and how it behaves.
    System {
        /// The text.
        text: String,
    },
    /// What it is told or asked.
    User {
        /// The text.
        text: String,
    },
    /// What it answered before.
    Assistant {
        /// The text; empty if it only called tools.
        text: String,
        /// The tools that it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    /// What a tool gave back.
    Tool {
        /// The call that this answers.
        call_id: String,
        /// The tool's name.
        name: String,
        /// What it gave back, as text.
        text: String,
    },
}

impl Message {
    /// What the model is and how it behaves.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    /// What it is told or asked.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// What it answered before, in words alone.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), tool_calls: Vec::new() }
    }

    /// What the tool of `call` gave back.
    pub fn tool(call: &ToolCall, text: impl Into<String>) -> Self {
        Self::Tool { call_id: call.id.clone(), name: call.name.clone(), text: text.into() }
    }

    /// The text of the message.
    pub fn text(&self) -> &str {
        match self {
            Self::System { text }
            | Self::User { text }
            | Self::Assistant { text, .. }
            | Self::Tool { text, .. } => text,
        }
    }

    /// Its size as limits count it: the text, and the arguments of tool calls.
    pub fn bytes(&self) -> usize {
        let calls = match self {
            Self::Assistant { tool_calls, .. } => tool_calls.iter().map(ToolCall::bytes).sum(),
            _ => 0,
        };
        self.text().len() + calls
    }
}
