//! Messages: the conversation that a model continues, with the tools that it is offered and calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Message {
    /// Instructions about the role and behavior of the model.
    System { text: String },
    /// A statement or question to the model.
    User { text: String },
    /// An earlier answer of the model.
    Assistant {
        /// The text; empty if the model only called tools.
        text: String,
        /// The tool calls of the model.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    /// The result of a tool.
    Tool {
        /// The id of the call that this answers.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// The result as text.
        text: String,
    },
}

impl Message {
    /// Creates a message with instructions for the model.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    /// Creates a message to the model.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// Creates an earlier answer of the model that consists of text only.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), tool_calls: Vec::new() }
    }

    /// Creates the result of the tool in `call`.
    pub fn tool(call: &ToolCall, text: impl Into<String>) -> Self {
        Self::Tool { call_id: call.id.clone(), name: call.name.clone(), text: text.into() }
    }

    /// Returns the text of the message.
    pub fn text(&self) -> &str {
        match self {
            Self::System { text }
            | Self::User { text }
            | Self::Assistant { text, .. }
            | Self::Tool { text, .. } => text,
        }
    }

    /// Returns the size that counts towards limits: the text, and the arguments of tool calls.
    pub fn bytes(&self) -> usize {
        let calls = match self {
            Self::Assistant { tool_calls, .. } => tool_calls.iter().map(ToolCall::bytes).sum(),
            _ => 0,
        };
        self.text().len() + calls
    }
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// The name: letters, digits, `_` and `-`, which every provider accepts.
    pub name: String,
    /// A description of what the tool does and when to use it.
    pub description: String,
    /// The JSON Schema of the arguments, which are an object.
    pub parameters: Value,
}

impl ToolSpec {
    /// Returns the size that counts towards limits.
    pub fn bytes(&self) -> usize {
        self.name.len() + self.description.len() + self.parameters.to_string().len()
    }
}

/// A call of a tool by a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The provider's id of the call, to which the result refers.
    pub id: String,
    pub name: String,
    /// The arguments; a text if the model wrote something that is not JSON.
    pub arguments: Value,
}

impl ToolCall {
    /// Returns the size that counts towards limits.
    pub fn bytes(&self) -> usize {
        self.id.len() + self.name.len() + self.arguments.to_string().len()
    }
}

/// The constraint on tool calls in an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The model calls no tool.
    None,
    /// The model calls at least one tool.
    Required,
    /// The model calls this tool.
    Named { name: String },
}

impl ToolChoice {
    /// True if the model decides.
    pub fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}
