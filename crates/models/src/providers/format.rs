//! What the wire formats have in common, and which one is meant.

use piton_core::keep_numbers;
use serde_json::Value;

use super::draft::Draft;
use super::frames::Frame;
use super::{anthropic, ollama, openai};
use crate::provider::Wire;
use crate::request::Request;

/// What is wrong with something that a provider sent.
#[derive(Debug)]
pub(super) enum Flaw {
    /// It is not of the shape that the format has.
    Shape(&'static str),
    /// The provider tells of a failure.
    Told(Value),
}

impl Flaw {
    /// Something that every answer has is not there.
    pub(super) const FORM: Self = Self::Shape("it is not of the shape that the wire format has");
    /// There is no end of tool calls.
    pub(super) const CALLS: Self = Self::Shape("it calls more tools than any model does");
}

/// Where requests go, below the base URL.
pub(super) const fn path(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "chat/completions",
        Wire::Anthropic => "messages",
        Wire::Ollama => "api/chat",
    }
}

/// The headers that carry a key, and what else the format wants.
pub(super) fn headers(wire: Wire, key: Option<&str>) -> Vec<(&'static str, String)> {
    let bearer = |key: &str| ("authorization", format!("Bearer {key}"));
    match wire {
        Wire::OpenAi | Wire::Ollama => key.map(bearer).into_iter().collect(),
        Wire::Anthropic => {
            let key = key.map(|key| ("x-api-key", key.to_owned()));
            key.into_iter().chain([("anthropic-version", "2023-06-01".to_owned())]).collect()
        }
    }
}

/// The body of a request.
pub(super) fn body(wire: Wire, request: &Request, model: &str, stream: bool) -> Value {
    match wire {
        Wire::OpenAi => openai::body(request, model, stream),
        Wire::Anthropic => anthropic::body(request, model, stream),
        Wire::Ollama => ollama::body(request, model, stream),
    }
}

/// A whole answer.
pub(super) fn whole(wire: Wire, body: &Value) -> Result<Draft, Flaw> {
    match wire {
        Wire::OpenAi => openai::whole(body),
        Wire::Anthropic => anthropic::whole(body),
        Wire::Ollama => ollama::whole(body),
    }
}

/// Adds a piece of a stream to what was gathered; gives the words in it.
pub(super) fn piece(wire: Wire, frame: &Frame, draft: &mut Draft) -> Result<String, Flaw> {
    if wire == Wire::OpenAi && frame.data == "[DONE]" {
        draft.over = true;
        return Ok(String::new());
    }
    let data: Value = serde_json::from_str(&keep_numbers(&frame.data).0)
        .map_err(|_| Flaw::Shape("a piece of the stream is not JSON"))?;
    match wire {
        Wire::OpenAi => openai::piece(&data, draft),
        Wire::Anthropic => anthropic::piece(&data, draft),
        Wire::Ollama => ollama::piece(&data, draft),
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
