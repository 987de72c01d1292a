//! The wire format of Anthropic.

use serde_json::{Value, json};

use super::format::{AnswerDraft, DraftCall, FinishReason, FormatFlaw, put};
use super::openai::text_of;
use crate::bounds::ANSWER_TOKENS_DEFAULT;
use crate::message::{Message, ToolChoice, ToolSpec};
use crate::request::Request;

pub(super) fn body(request: &Request, model: &str, stream: bool) -> Value {
    let options = &request.options;
    // This format requires a limit.
    let max_tokens = options.max_tokens.unwrap_or(ANSWER_TOKENS_DEFAULT);
    let messages = messages(&request.messages);
    let mut body =
        json!({ "model": model, "max_tokens": max_tokens, "messages": messages, "stream": stream });
    let system: Vec<&str> = request
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::System { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let choice = match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!({ "type": "none" })),
        ToolChoice::Required => Some(json!({ "type": "any" })),
        ToolChoice::Named { name } => Some(json!({ "type": "tool", "name": name })),
    };
    let tool = |tool: &ToolSpec| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters });
    let tools = (!request.tools.is_empty()).then(|| request.tools.iter().map(tool).collect());
    put(
        &mut body,
        [
            ("system", (!system.is_empty()).then(|| json!(system.join("\n\n")))),
            ("temperature", options.temperature.map(Value::from)),
            ("top_p", options.top_p.map(Value::from)),
            ("stop_sequences", (!options.stop.is_empty()).then(|| json!(options.stop))),
            ("tools", tools),
            ("tool_choice", choice),
        ],
    );
    body
}

/// Converts messages. Tool results are blocks of a user message, and results that belong together share one message.
fn messages(messages: &[Message]) -> Vec<Value> {
    let mut written: Vec<Value> = Vec::new();
    for message in messages {
        match message {
            // System texts stand outside of the conversation in this format, in a field of their own.
            Message::System { .. } => {}
            Message::User { text } => written.push(json!({ "role": "user", "content": text })),
            Message::Assistant { text, tool_calls } => {
                let words = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
                let calls = tool_calls.iter().map(|call| {
                    json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments })
                });
                let blocks: Vec<Value> = words.into_iter().chain(calls).collect();
                written.push(json!({ "role": "assistant", "content": blocks }));
            }
            Message::Tool { call_id, text, .. } => {
                let block =
                    json!({ "type": "tool_result", "tool_use_id": call_id, "content": text });
                // Append to the previous message if it consists of tool results only.
                match written.last_mut().and_then(|last| last["content"].as_array_mut()) {
                    Some(blocks) if blocks.iter().all(|block| block["type"] == "tool_result") => {
                        blocks.push(block);
                    }
                    _ => written.push(json!({ "role": "user", "content": [block] })),
                }
            }
        }
    }
    written
}

pub(super) fn parse_answer(body: &Value) -> Result<AnswerDraft, FormatFlaw> {
    if body["type"] == "error" || !body["error"].is_null() {
        return Err(FormatFlaw::Told(body.clone()));
    }
    let blocks = body["content"].as_array();
    let blocks = blocks.ok_or(FormatFlaw::FORM)?;
    let mut draft = AnswerDraft {
        model: body["model"].as_str().map(ToOwned::to_owned),
        ending: ending(&body["stop_reason"]),
        over: true,
        ..AnswerDraft::default()
    };
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => draft.text.push_str(block["text"].as_str().unwrap_or_default()),
            Some("tool_use") => draft.calls.push(DraftCall {
                id: text_of(&block["id"]),
                name: text_of(&block["name"]),
                arguments: block["input"].to_string(),
            }),
            // Other blocks, such as thinking, are not part of the answer.
            _ => {}
        }
    }
    count(&body["usage"], &mut draft);
    Ok(draft)
}

pub(super) fn piece(data: &Value, draft: &mut AnswerDraft) -> Result<String, FormatFlaw> {
    match data["type"].as_str() {
        Some("error") => return Err(FormatFlaw::Told(data.clone())),
        Some("message_start") => {
            draft.model = data["message"]["model"].as_str().map(ToOwned::to_owned);
            count(&data["message"]["usage"], draft);
        }
        Some("content_block_start") if data["content_block"]["type"] == "tool_use" => {
            let block = &data["content_block"];
            let (id, name) = (text_of(&block["id"]), text_of(&block["name"]));
            // Blocks arrive one after the other, so a new one is the next call.
            let Some(call) = draft.call(draft.calls.len()) else {
                return Err(FormatFlaw::CALLS);
            };
            (call.id, call.name) = (id, name);
        }
        Some("content_block_delta") => {
            let delta = &data["delta"];
            // Deltas belong to the block that started last.
            if let (Some(json), Some(call)) =
                (delta["partial_json"].as_str(), draft.calls.last_mut())
            {
                call.arguments.push_str(json);
            }
            let words = text_of(&delta["text"]);
            draft.text.push_str(&words);
            return Ok(words);
        }
        Some("message_delta") => {
            // A later delta without a reason must not erase one that came before.
            draft.ending = ending(&data["delta"]["stop_reason"]).or(draft.ending.take());
            count(&data["usage"], draft);
        }
        Some("message_stop") => draft.over = true,
        _ => {}
    }
    Ok(String::new())
}

/// Reads the stop reason of a message. Only the event that starts a stream has none; every finished message has one.
fn ending(reason: &Value) -> Option<FinishReason> {
    Some(match reason.as_str()? {
        "end_turn" | "stop_sequence" => FinishReason::Complete,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Truncated,
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::Declined,
        // A provider pauses only for tools that it runs itself, and none of those is offered here.
        "pause_turn" => FinishReason::Paused,
        other => FinishReason::Other(other.to_owned()),
    })
}

/// Reads token counts. They come in several places, and the last one counts.
fn count(value: &Value, draft: &mut AnswerDraft) {
    let usage = &mut draft.usage;
    usage.input_tokens = value["input_tokens"].as_u64().or(usage.input_tokens);
    usage.output_tokens = value["output_tokens"].as_u64().or(usage.output_tokens);
    usage.cached_tokens = value["cache_read_input_tokens"].as_u64().or(usage.cached_tokens);
}
