//! The wire format of OpenAI.

use serde_json::{Value, json};

use super::reply::ReplyContent;

const REASONS: [&str; 3] = ["stop", "length", "tool_calls"];

fn usage() -> Value {
    let details = json!({ "cached_tokens": 3 });
    json!({ "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, "prompt_tokens_details": details })
}

/// Builds the answer in one piece.
pub(super) fn answer_body(content: &ReplyContent) -> Value {
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
        "id": "chatcmpl-1", "object": "chat.completion", "model": content.model, "usage": usage(),
        "choices": [{ "index": 0, "message": message, "finish_reason": content.reason(REASONS) }],
    })
}

/// Builds the answer in pieces: server-sent events.
pub(super) fn pieces(content: &ReplyContent) -> Vec<String> {
    let chunk = |delta: Value, reason: Value| {
        let choices = json!([{ "index": 0, "delta": delta, "finish_reason": reason }]);
        let body = json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": content.model, "choices": choices });
        format!("data: {body}\n\n")
    };
    let mut pieces = vec![chunk(json!({ "role": "assistant", "content": "" }), Value::Null)];
    for word in &content.words {
        pieces.push(chunk(json!({ "content": word }), Value::Null));
    }
    for (index, (name, arguments)) in content.calls.iter().enumerate() {
        // Arguments come in halves, and only the first carries the name.
        let text = arguments.to_string();
        let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
        let head = json!({ "index": index, "id": format!("call_{index}"), "type": "function",
            "function": { "name": name, "arguments": first } });
        let tail = json!({ "index": index, "function": { "arguments": second } });
        pieces.push(chunk(json!({ "tool_calls": [head] }), Value::Null));
        pieces.push(chunk(json!({ "tool_calls": [tail] }), Value::Null));
    }
    pieces.push(chunk(json!({}), json!(content.reason(REASONS))));
    pieces.push(format!("data: {}\n\n", json!({ "choices": [], "usage": usage() })));
    pieces.push("data: [DONE]\n\n".to_owned());
    pieces
}

/// Builds a failure inside a stream.
pub(super) fn error_body(kind: &str) -> String {
    format!("data: {}\n\n", json!({ "error": { "type": kind, "message": "told in the stream" } }))
}
