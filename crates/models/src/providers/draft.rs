//! An answer as it comes together.

use serde_json::{Value, json};

use crate::answer::{Answer, Finish, Usage};
use crate::bounds::TOOL_CALLS_MAX;
use crate::error::Error;
use crate::provider::ProviderName;
use crate::tool::ToolCall;

/// A call of a tool whose arguments may still be coming.
#[derive(Debug, Default)]
pub(super) struct DraftCall {
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments as text.
    pub(super) arguments: String,
}

/// What was received so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) model: Option<String>,
    pub(super) text: String,
    pub(super) calls: Vec<DraftCall>,
    pub(super) finish: Option<Finish>,
    pub(super) usage: Usage,
    /// Whether the format said that the answer is complete.
    pub(super) over: bool,
}

impl Draft {
    /// How much was gathered, as the limit of an answer counts it.
    pub(super) fn bytes(&self) -> usize {
        let call = |call: &DraftCall| call.id.len() + call.name.len() + call.arguments.len();
        self.text.len() + self.calls.iter().map(call).sum::<usize>()
    }

    /// The call with a number, made if need be.
    pub(super) fn call(&mut self, index: usize) -> Option<&mut DraftCall> {
        // One more than the limit is enough for the answer to be refused.
        if index > TOOL_CALLS_MAX {
            return None;
        }
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, DraftCall::default);
        }
        self.calls.get_mut(index)
    }

    /// The answer, if it is one. Without words, tool calls and a reason for its end it is something else.
    pub(super) fn answer(self, provider: ProviderName, model: String) -> Result<Answer, Error> {
        if self.text.is_empty() && self.calls.is_empty() && self.finish.is_none() {
            let problem = "it holds no words, no tool call and no reason for its end".to_owned();
            return Err(Error::BadAnswer { provider, problem });
        }
        let tool_calls: Vec<ToolCall> = self.calls.into_iter().enumerate().map(finished).collect();
        let finish = match self.finish {
            // Some say the same whether tools are called or not.
            Some(Finish::Complete) | None if !tool_calls.is_empty() => Finish::ToolCalls,
            finish => finish.unwrap_or(Finish::Other),
        };
        let model = self.model.unwrap_or(model);
        Answer { provider, model, text: self.text, tool_calls, finish, usage: self.usage }.bounded()
    }
}

/// A call with its arguments read: none at all means an empty object, and what is not JSON stays a text.
fn finished((index, call): (usize, DraftCall)) -> ToolCall {
    let arguments = match call.arguments.trim() {
        "" => json!({}),
        text => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    };
    let id = if call.id.is_empty() { format!("call-{index}") } else { call.id };
    ToolCall { id, name: call.name, arguments }
}
