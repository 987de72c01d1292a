//! What the wire formats share: the dispatch between them, and the answer that they put together.

use piton_core::keep_numbers;
use serde_json::{Value, json};

use super::client::ProviderCall;
use super::streaming::StreamFrame;
use super::{anthropic, ollama, openai};
use crate::answer::{Answer, Finish, Usage};
use crate::bounds::TOOL_CALLS_MAX;
use crate::error::Error;
use crate::message::ToolCall;
use crate::provider::WireFormat;
use crate::request::Request;

/// A flaw in something that a provider sent.
#[derive(Debug)]
pub(super) enum FormatFlaw {
    /// It does not have the shape of the format.
    Shape(&'static str),
    /// The provider reports a failure.
    Told(Value),
}

impl FormatFlaw {
    /// A required part of an answer is missing.
    pub(super) const FORM: Self = Self::Shape("it is not of the shape that the wire format has");
    /// There are too many tool calls.
    pub(super) const CALLS: Self = Self::Shape("it calls more tools than any model does");
}

/// Returns the path for requests, below the base URL.
pub(super) const fn path(wire: WireFormat) -> &'static str {
    match wire {
        WireFormat::OpenAi => "chat/completions",
        WireFormat::Anthropic => "messages",
        WireFormat::Ollama => "api/chat",
    }
}

/// Returns the headers that carry the key, and others that the format requires.
pub(super) fn headers(wire: WireFormat, key: Option<&str>) -> Vec<(&'static str, String)> {
    let bearer = |key: &str| ("authorization", format!("Bearer {key}"));
    match wire {
        WireFormat::OpenAi | WireFormat::Ollama => key.map(bearer).into_iter().collect(),
        WireFormat::Anthropic => {
            let key = key.map(|key| ("x-api-key", key.to_owned()));
            key.into_iter().chain([("anthropic-version", "2023-06-01".to_owned())]).collect()
        }
    }
}

/// Builds the body of a request.
pub(super) fn body(wire: WireFormat, request: &Request, model: &str, stream: bool) -> Value {
    match wire {
        WireFormat::OpenAi => openai::body(request, model, stream),
        WireFormat::Anthropic => anthropic::body(request, model, stream),
        WireFormat::Ollama => ollama::body(request, model, stream),
    }
}

/// Parses a whole answer.
pub(super) fn parse_answer(wire: WireFormat, body: &Value) -> Result<AnswerDraft, FormatFlaw> {
    match wire {
        WireFormat::OpenAi => openai::parse_answer(body),
        WireFormat::Anthropic => anthropic::parse_answer(body),
        WireFormat::Ollama => ollama::parse_answer(body),
    }
}

/// Adds a piece of a stream to the draft. Returns the text in it.
pub(super) fn piece(
    wire: WireFormat,
    frame: &StreamFrame,
    draft: &mut AnswerDraft,
) -> Result<String, FormatFlaw> {
    if wire == WireFormat::OpenAi && frame.data == "[DONE]" {
        draft.over = true;
        return Ok(String::new());
    }
    // Saves the digits of large numbers before parsing would round them.
    let data: Value = serde_json::from_str(&keep_numbers(&frame.data).0)
        .map_err(|_| FormatFlaw::Shape("a piece of the stream is not JSON"))?;
    match wire {
        WireFormat::OpenAi => openai::piece(&data, draft),
        WireFormat::Anthropic => anthropic::piece(&data, draft),
        WireFormat::Ollama => ollama::piece(&data, draft),
    }
}

/// Sets the fields that have a value.
pub(super) fn put<const N: usize>(object: &mut Value, fields: [(&str, Option<Value>); N]) {
    for (name, value) in fields {
        if let Some(value) = value {
            object[name] = value;
        }
    }
}

/// The reason that a provider gives for the end of an answer.
///
/// Each wire format lists the reasons that it knows, and only a listed one makes an answer complete. An unknown reason
/// may mean that half of the answer is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FinishReason {
    Complete,
    ToolCalls,
    /// The limit of tokens, or of the model's context, was reached.
    Truncated,
    /// The model declined, or the provider withheld its output.
    Declined,
    /// The provider stopped in the middle of work of its own, and expects the turn to be sent again.
    Paused,
    /// A reason that is not listed, as it was sent.
    Other(String),
}

/// A tool call whose arguments may still be arriving.
#[derive(Debug, Default)]
pub(super) struct DraftCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// The parts of an answer received so far.
#[derive(Debug, Default)]
pub(super) struct AnswerDraft {
    pub(super) model: Option<String>,
    pub(super) text: String,
    pub(super) calls: Vec<DraftCall>,
    /// The text with which the model declined.
    pub(super) refusal: String,
    pub(super) ending: Option<FinishReason>,
    pub(super) usage: Usage,
    /// Set when the format marked the answer as complete.
    pub(super) over: bool,
}

impl AnswerDraft {
    /// Returns the size received so far, as it counts towards the limit of an answer.
    pub(super) fn bytes(&self) -> usize {
        let call = |call: &DraftCall| call.id.len() + call.name.len() + call.arguments.len();
        self.text.len() + self.refusal.len() + self.calls.iter().map(call).sum::<usize>()
    }

    /// Returns the call with an index, and creates it if necessary.
    pub(super) fn call(&mut self, index: usize) -> Option<&mut DraftCall> {
        // One call more than the limit is enough to refuse the answer. Beyond that, an index must not allocate memory.
        if index > TOOL_CALLS_MAX {
            return None;
        }
        // A piece may name a call beyond the next one; the calls in between stay empty until theirs arrive.
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, DraftCall::default);
        }
        self.calls.get_mut(index)
    }

    /// Returns the reason that this is not a complete answer, if it is not.
    fn unfinished(&self, offers_tools: bool) -> Option<String> {
        // A model that makes up a tool call cannot be answered.
        if let Some(call) = self.calls.first().filter(|_| !offers_tools) {
            return Some(format!("it calls the tool `{}`, but no tool was offered", call.name));
        }
        match &self.ending {
            Some(FinishReason::ToolCalls) if self.calls.is_empty() => {
                Some("it ends in order to call a tool, but calls none".to_owned())
            }
            Some(FinishReason::Paused) => Some(
                "the provider paused the turn (`pause_turn`) to continue it in another request, which is not \
                 supported"
                    .to_owned(),
            ),
            Some(FinishReason::Other(reason)) => {
                Some(format!("it ends for the reason `{reason}`, which is not one of a complete answer"))
            }
            None => Some("it does not say why it ends".to_owned()),
            Some(_) => None,
        }
    }

    /// Returns the answer if it is complete: with text or tool calls, not cut off, and not declined.
    pub(super) fn answer(self, call: &ProviderCall) -> Result<Answer, Error> {
        // The order matters: a declined or truncated answer is reported as such even if it is also empty.
        if self.ending == Some(FinishReason::Declined) || !self.refusal.is_empty() {
            let words = if self.refusal.is_empty() { &self.text } else { &self.refusal };
            return Err(call.declined_error(words, self.usage));
        }
        if self.ending == Some(FinishReason::Truncated) {
            return Err(Error::Truncated { provider: call.provider(), usage: self.usage });
        }
        if let Some(problem) = self.unfinished(call.offers_tools) {
            return Err(call.unfinished_error(&problem, self.usage));
        }
        if self.text.trim().is_empty() && self.calls.is_empty() {
            return Err(Error::Empty { provider: call.provider(), usage: self.usage });
        }
        let tool_calls: Vec<ToolCall> = self.calls.into_iter().enumerate().map(finished).collect();
        // Some providers give the same reason whether or not tools are called, so the calls decide.
        let finish = if tool_calls.is_empty() { Finish::Complete } else { Finish::ToolCalls };
        let model = self.model.unwrap_or_else(|| call.model.clone());
        let (provider, text, usage) = (call.provider(), self.text, self.usage);
        Answer { provider, model, text, tool_calls, finish, usage }.bounded()
    }
}

/// Parses the arguments of a call. No arguments mean an empty object, and text that is not JSON stays a text.
fn finished((index, call): (usize, DraftCall)) -> ToolCall {
    let arguments = match call.arguments.trim() {
        "" => json!({}),
        // A number that no JSON reader preserves becomes a text here, so that its digits reach the tool.
        text => serde_json::from_str(&keep_numbers(text).0).unwrap_or_else(|_| Value::from(text)),
    };
    // Some servers send no id, but the result of the tool has to refer to one.
    let id = if call.id.is_empty() { format!("call-{index}") } else { call.id };
    ToolCall { id, name: call.name, arguments }
}
