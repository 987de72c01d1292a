//! Tools as a model sees them, and the model's calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
