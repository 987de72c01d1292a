//! Answers of a model.

use serde::{Deserialize, Serialize};

use crate::bounds::{ANSWER_BYTES_MAX, TOOL_CALLS_MAX};
use crate::error::Error;
use crate::message::ToolCall;
use crate::provider::ProviderName;

piton_core::closed_set! {
    /// Why an answer ends where it ends.
    pub enum Finish {
        /// The model was done, or met a text that stops it.
        Complete => "complete",
        /// The model waits for the tools that it called.
        ToolCalls => "tool_calls",
    }
}

/// The cost of an answer in tokens, as far as the provider reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_field_names, reason = "a number carries its unit")]
pub struct Usage {
    /// Tokens of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens of the request that the provider had cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
}

impl Usage {
    /// Returns the total. A count that the provider does not report is taken as zero.
    pub fn total(&self) -> u64 {
        self.input_tokens.unwrap_or(0).saturating_add(self.output_tokens.unwrap_or(0))
    }

    /// Adds two costs.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        Self {
            input_tokens: sum(self.input_tokens, other.input_tokens),
            output_tokens: sum(self.output_tokens, other.output_tokens),
            cached_tokens: sum(self.cached_tokens, other.cached_tokens),
        }
    }
}

/// A complete answer. One that was cut off, declined or left empty is an [`Error`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub provider: ProviderName,
    /// The model, as the provider names it, or else as it was requested.
    pub model: String,
    /// The text; empty if the model only called tools.
    pub text: String,
    /// The tool calls of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    pub finish: Finish,
    pub usage: Usage,
}

impl Answer {
    /// Returns the answer, or an error if it is larger than any sensible answer.
    pub fn bounded(self) -> Result<Self, Error> {
        let calls: usize = self.tool_calls.iter().map(ToolCall::bytes).sum();
        if self.text.len() + calls > ANSWER_BYTES_MAX || self.tool_calls.len() > TOOL_CALLS_MAX {
            return Err(Error::AnswerTooLong { provider: self.provider });
        }
        Ok(self)
    }
}
