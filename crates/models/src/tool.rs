//! Tools as a model sees them, and its calls of them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`, as every provider takes it.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Value,
}

impl ToolSpec {
    /// Its size as limits count it.
    pub fn bytes(&self) -> usize {
        self.name.len() + self.description.len() + self.parameters.to_string().len()
    }
}

/// A model's call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// What the provider calls it; the tool's answer refers to it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments; a text if the model wrote something that is not JSON.
    pub arguments: Value,
}

impl ToolCall {
    /// Its size as limits count it.
    pub fn bytes(&self) -> usize {
        self.id.len() + self.name.len() + self.arguments.to_string().len()
    }
}

/// Whether the model calls tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it sees fit.
    #[default]
    Auto,
    /// Not in this answer.
    None,
    /// At least one.
    Required,
    /// This one.
    Named {
        /// Its name.
        name: String,
    },
}

impl ToolChoice {
    /// Whether it is left to the model.
    pub fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}
