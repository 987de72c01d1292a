//! The wire format of Anthropic.

use serde_json::{Value, json};

use super::reply::ReplyContent;

const REASONS: [&str; 3] = ["end_turn", "max_tokens", "tool_use"];

/// Builds the answer in one piece.
pub(super) fn answer_body(content: &ReplyContent) -> Value {
    let mut blocks = Vec::new();
    if !content.words.is_empty() {
        blocks.push(json!({ "type": "text", "text": content.text() }));
    }
    for (index, (name, input)) in content.calls.iter().enumerate() {
        blocks.push(json!({ "type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": input }));
    }
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": content.model, "content": blocks,
        "stop_reason": content.reason(REASONS), "usage": { "input_tokens": 11, "output_tokens": 7 },
    })
}

fn event(kind: &str, mut body: Value) -> String {
    body["type"] = json!(kind);
    format!("event: {kind}\ndata: {body}\n\n")
}

/// Builds the answer in pieces: server-sent events with names.
pub(super) fn pieces(content: &ReplyContent) -> Vec<String> {
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
        let text = input.to_string();
        let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
        for half in [first, second] {
            let delta = json!({ "type": "input_json_delta", "partial_json": half });
            pieces.push(event("content_block_delta", json!({ "index": index, "delta": delta })));
        }
        pieces.push(event("content_block_stop", json!({ "index": index })));
        index += 1;
    }
    let delta = json!({ "stop_reason": content.reason(REASONS) });
    pieces.push(event("message_delta", json!({ "delta": delta, "usage": { "output_tokens": 7 } })));
    pieces.push(event("message_stop", json!({})));
    pieces
}

/// Builds a failure inside a stream.
pub(super) fn error_body(kind: &str) -> String {
    event("error", json!({ "error": { "type": kind, "message": "told in the stream" } }))
}
