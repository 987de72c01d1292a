//! The wire format of Ollama.

use serde_json::{Value, json};

use super::reply::ReplyContent;

/// Ollama gives the same reason whether or not tools are called.
const REASONS: [&str; 3] = ["stop", "length", "stop"];

fn end(content: &ReplyContent) -> Value {
    json!({ "model": content.model, "done": true, "done_reason": content.reason(REASONS),
        "prompt_eval_count": 11, "eval_count": 7 })
}

fn calls(content: &ReplyContent) -> Value {
    let call = |(name, arguments): &(String, Value)| json!({ "function": { "name": name, "arguments": arguments } });
    content.calls.iter().map(call).collect()
}

/// Builds the answer in one piece.
pub(super) fn answer_body(content: &ReplyContent) -> Value {
    let mut body = end(content);
    body["message"] = json!({ "role": "assistant", "content": content.text() });
    if !content.calls.is_empty() {
        body["message"]["tool_calls"] = calls(content);
    }
    body
}

/// Builds the answer in pieces: lines of JSON.
pub(super) fn pieces(content: &ReplyContent) -> Vec<String> {
    let line = |message: Value| {
        format!("{}\n", json!({ "model": content.model, "message": message, "done": false }))
    };
    let mut pieces: Vec<String> = content
        .words
        .iter()
        .map(|word| line(json!({ "role": "assistant", "content": word })))
        .collect();
    if !content.calls.is_empty() {
        pieces.push(line(
            json!({ "role": "assistant", "content": "", "tool_calls": calls(content) }),
        ));
    }
    let mut last = end(content);
    last["message"] = json!({ "role": "assistant", "content": "" });
    pieces.push(format!("{last}\n"));
    pieces
}

/// Builds a failure inside a stream. This format has no types of failures.
pub(super) fn error_body() -> String {
    format!("{}\n", json!({ "error": "told in the stream" }))
}
