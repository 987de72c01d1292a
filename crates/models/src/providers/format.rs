//! The interface shared by all wire formats, and the dispatch between them.

use piton_core::keep_numbers;
use serde_json::Value;

use super::draft::AnswerDraft;
use super::streaming::StreamFrame;
use super::{anthropic, ollama, openai};
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
