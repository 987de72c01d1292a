//! Replies in each wire format, whole and in pieces.

use serde_json::{Value, json};

use super::reply::ReplyContent;
use crate::provider::WireFormat;

/// Builds the answer in one piece.
pub(super) fn answer_body(wire: WireFormat, content: &ReplyContent) -> Value {
    match wire {
        WireFormat::OpenAi => openai_body(content),
        WireFormat::Anthropic => anthropic_body(content),
        WireFormat::Ollama => ollama_body(content),
    }
}

/// Builds the answer in pieces.
pub(super) fn pieces(wire: WireFormat, content: &ReplyContent) -> Vec<String> {
    match wire {
        WireFormat::OpenAi => openai_pieces(content),
        WireFormat::Anthropic => anthropic_pieces(content),
        WireFormat::Ollama => ollama_pieces(content),
    }
}

/// Builds a failure inside a stream.
pub(super) fn error_piece(wire: WireFormat, kind: &str) -> String {
    let error = json!({ "error": { "type": kind, "message": "told in the stream" } });
    match wire {
        WireFormat::OpenAi => framed(wire, &error),
        WireFormat::Anthropic => event("error", error),
        // This format has no types of failures.
        WireFormat::Ollama => framed(wire, &json!({ "error": "told in the stream" })),
    }
}

/// Returns the type of a stream's content.
pub(super) const fn stream_type(wire: WireFormat) -> &'static str {
    match wire {
        WireFormat::OpenAi | WireFormat::Anthropic => "text/event-stream",
        WireFormat::Ollama => "application/x-ndjson",
    }
}

/// Frames one piece of a stream: a line of JSON, or a server-sent event without a name.
pub(super) fn framed(wire: WireFormat, piece: &dyn std::fmt::Display) -> String {
    match wire {
        WireFormat::OpenAi | WireFormat::Anthropic => format!("data: {piece}\n\n"),
        WireFormat::Ollama => format!("{piece}\n"),
    }
}

/// Splits the arguments of a tool call, which come in halves.
fn halves(arguments: &Value) -> [String; 2] {
    let text = arguments.to_string();
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    [first.to_owned(), second.to_owned()]
}

const OPENAI_REASONS: [&str; 3] = ["stop", "length", "tool_calls"];

fn openai_usage() -> Value {
    let details = json!({ "cached_tokens": 3 });
    json!({ "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, "prompt_tokens_details": details })
}

fn openai_body(content: &ReplyContent) -> Value {
    let calls: Vec<Value> = content
        .calls
        .iter()
        .enumerate()
        .map(|(index, (name, arguments))| {
            json!({ "id": format!("call_{index}"), "type": "function",
            "function": { "name": name, "arguments": arguments.to_string() } })
        })
        .collect();
    let mut message = json!({ "role": "assistant", "content": content.text() });
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
        message["content"] = Value::Null;
    }
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": content.model, "usage": openai_usage(),
        "choices": [{ "index": 0, "message": message, "finish_reason": content.reason(OPENAI_REASONS) }],
    })
}

/// Builds server-sent events.
fn openai_pieces(content: &ReplyContent) -> Vec<String> {
    let chunk = |delta: Value, reason: Value| {
        let choices = json!([{ "index": 0, "delta": delta, "finish_reason": reason }]);
        let body = json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": content.model, "choices": choices });
        framed(WireFormat::OpenAi, &body)
    };
    let mut pieces = vec![chunk(json!({ "role": "assistant", "content": "" }), Value::Null)];
    for word in &content.words {
        pieces.push(chunk(json!({ "content": word }), Value::Null));
    }
    for (index, (name, arguments)) in content.calls.iter().enumerate() {
        // Only the first half carries the name.
        let [first, second] = halves(arguments);
        let head = json!({ "index": index, "id": format!("call_{index}"), "type": "function",
            "function": { "name": name, "arguments": first } });
        let tail = json!({ "index": index, "function": { "arguments": second } });
        pieces.push(chunk(json!({ "tool_calls": [head] }), Value::Null));
        pieces.push(chunk(json!({ "tool_calls": [tail] }), Value::Null));
    }
    pieces.push(chunk(json!({}), json!(content.reason(OPENAI_REASONS))));
    pieces.push(format!("data: {}\n\n", json!({ "choices": [], "usage": openai_usage() })));
    pieces.push("data: [DONE]\n\n".to_owned());
    pieces
}

const ANTHROPIC_REASONS: [&str; 3] = ["end_turn", "max_tokens", "tool_use"];

fn anthropic_body(content: &ReplyContent) -> Value {
    let mut blocks = Vec::new();
    if !content.words.is_empty() {
        blocks.push(json!({ "type": "text", "text": content.text() }));
    }
    for (index, (name, input)) in content.calls.iter().enumerate() {
        blocks.push(json!({ "type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": input }));
    }
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": content.model, "content": blocks,
        "stop_reason": content.reason(ANTHROPIC_REASONS), "usage": { "input_tokens": 11, "output_tokens": 7 },
    })
}

fn event(kind: &str, mut body: Value) -> String {
    body["type"] = json!(kind);
    format!("event: {kind}\ndata: {body}\n\n")
}

/// Builds server-sent events with names.
fn anthropic_pieces(content: &ReplyContent) -> Vec<String> {
    let begin = json!({ "message": { "id": "msg_1", "role": "assistant", "model": content.model,
        "content": [], "usage": { "input_tokens": 11, "output_tokens": 1 } } });
    let mut pieces = vec![event("message_start", begin), event("ping", json!({}))];
    let mut index = 0;
    if !content.words.is_empty() {
        let block = json!({ "index": 0, "content_block": { "type": "text", "text": "" } });
        pieces.push(event("content_block_start", block));
        for word in &content.words {
            let delta = json!({ "index": 0, "delta": { "type": "text_delta", "text": word } });
            pieces.push(event("content_block_delta", delta));
        }
        pieces.push(event("content_block_stop", json!({ "index": 0 })));
        index = 1;
    }
    for (name, input) in &content.calls {
        let block = json!({ "type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": {} });
        pieces
            .push(event("content_block_start", json!({ "index": index, "content_block": block })));
        for half in halves(input) {
            let delta = json!({ "type": "input_json_delta", "partial_json": half });
            pieces.push(event("content_block_delta", json!({ "index": index, "delta": delta })));
        }
        pieces.push(event("content_block_stop", json!({ "index": index })));
        index += 1;
    }
    let delta = json!({ "stop_reason": content.reason(ANTHROPIC_REASONS) });
    pieces.push(event("message_delta", json!({ "delta": delta, "usage": { "output_tokens": 7 } })));
    pieces.push(event("message_stop", json!({})));
    pieces
}

/// Ollama gives the same reason whether or not tools are called.
const OLLAMA_REASONS: [&str; 3] = ["stop", "length", "stop"];

fn ollama_end(content: &ReplyContent) -> Value {
    json!({ "model": content.model, "done": true, "done_reason": content.reason(OLLAMA_REASONS),
        "prompt_eval_count": 11, "eval_count": 7 })
}

fn ollama_calls(content: &ReplyContent) -> Value {
    let call = |(name, arguments): &(String, Value)| json!({ "function": { "name": name, "arguments": arguments } });
    content.calls.iter().map(call).collect()
}

fn ollama_body(content: &ReplyContent) -> Value {
    let mut body = ollama_end(content);
    body["message"] = json!({ "role": "assistant", "content": content.text() });
    if !content.calls.is_empty() {
        body["message"]["tool_calls"] = ollama_calls(content);
    }
    body
}

/// Builds lines of JSON.
fn ollama_pieces(content: &ReplyContent) -> Vec<String> {
    let line = |message: Value| {
        let body = json!({ "model": content.model, "message": message, "done": false });
        framed(WireFormat::Ollama, &body)
    };
    let mut pieces: Vec<String> = content
        .words
        .iter()
        .map(|word| line(json!({ "role": "assistant", "content": word })))
        .collect();
    if !content.calls.is_empty() {
        pieces.push(line(
            json!({ "role": "assistant", "content": "", "tool_calls": ollama_calls(content) }),
        ));
    }
    let mut last = ollama_end(content);
    last["message"] = json!({ "role": "assistant", "content": "" });
    pieces.push(framed(WireFormat::Ollama, &last));
    pieces
}
