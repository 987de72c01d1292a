//! The wire format of OpenAI.

use serde_json::{Value, json};

use super::format::{AnswerDraft, DraftCall, FinishReason, FormatFlaw, put};
use crate::answer::Usage;
use crate::bounds::ANSWER_TOKENS_DEFAULT;
use crate::message::{Message, ToolChoice, ToolSpec};
use crate::request::Request;

/// Models that count their reasoning, and expect the limit under another name.
const THINKING: [&str; 4] = ["gpt-5", "o1", "o3", "o4"];

pub(super) fn body(request: &Request, model: &str, stream: bool) -> Value {
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    let mut body = json!({ "model": model, "messages": messages, "stream": stream });
    let options = &request.options;
    let thinking = THINKING.iter().any(|name| model.starts_with(name));
    let limit = if thinking { "max_completion_tokens" } else { "max_tokens" };
    let choice = match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Named { name } => {
            Some(json!({ "type": "function", "function": { "name": name } }))
        }
    };
    put(
        &mut body,
        [
            (limit, Some(json!(options.max_tokens.unwrap_or(ANSWER_TOKENS_DEFAULT)))),
            ("temperature", options.temperature.map(Value::from)),
            ("top_p", options.top_p.map(Value::from)),
            ("stop", (!options.stop.is_empty()).then(|| json!(options.stop))),
            ("tools", tools(&request.tools)),
            ("tool_choice", choice),
            // Without this option a stream carries no token counts.
            ("stream_options", stream.then(|| json!({ "include_usage": true }))),
        ],
    );
    body
}

/// Converts tools to the form that this format shares with Ollama's.
pub(super) fn tools(tools: &[ToolSpec]) -> Option<Value> {
    let tool = |tool: &ToolSpec| {
        json!({ "type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters } })
    };
    (!tools.is_empty()).then(|| tools.iter().map(tool).collect())
}

pub(super) fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({ "role": "system", "content": text }),
        Message::User { text } => json!({ "role": "user", "content": text }),
        Message::Assistant { text, tool_calls } if tool_calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Message::Assistant { text, tool_calls } => {
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            let calls: Vec<Value> = tool_calls
                .iter()
                .map(|call| {
                    let function =
                        json!({ "name": call.name, "arguments": call.arguments.to_string() });
                    json!({ "id": call.id, "type": "function", "function": function })
                })
                .collect();
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Message::Tool { call_id, text, .. } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": text })
        }
    }
}

pub(super) fn parse_answer(body: &Value) -> Result<AnswerDraft, FormatFlaw> {
    if !body["error"].is_null() {
        return Err(FormatFlaw::Told(body.clone()));
    }
    let choice = &body["choices"][0];
    let message = choice["message"].as_object();
    let message = message.ok_or(FormatFlaw::FORM)?;
    let (text, mut refusal) = content(message.get("content").unwrap_or(&Value::Null));
    refusal.push_str(message.get("refusal").and_then(Value::as_str).unwrap_or_default());
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let call = |call: &Value| DraftCall {
        id: text_of(&call["id"]),
        name: text_of(&call["function"]["name"]),
        arguments: arguments(&call["function"]["arguments"]),
    };
    Ok(AnswerDraft {
        model: body["model"].as_str().map(ToOwned::to_owned),
        text,
        refusal,
        calls: calls.into_iter().flatten().map(call).collect(),
        ending: ending(&choice["finish_reason"]),
        usage: usage(&body["usage"]),
        over: true,
    })
}

pub(super) fn piece(data: &Value, draft: &mut AnswerDraft) -> Result<String, FormatFlaw> {
    if !data["error"].is_null() {
        return Err(FormatFlaw::Told(data.clone()));
    }
    // Most pieces have null here, which must not erase the counts.
    if data["usage"].is_object() {
        draft.usage = usage(&data["usage"]);
    }
    let choice = &data["choices"][0];
    // Later pieces have no reason, and must not erase the one that came before.
    draft.ending = ending(&choice["finish_reason"]).or(draft.ending.take());
    for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
        // Pieces of several calls may interleave; the index says which call each belongs to.
        let index = call["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let Some(draft) = draft.call(index.ok_or(FormatFlaw::FORM)?) else {
            return Err(FormatFlaw::CALLS);
        };
        // The id and the name come once; the arguments may come in several pieces.
        draft.id.push_str(call["id"].as_str().unwrap_or_default());
        draft.name.push_str(call["function"]["name"].as_str().unwrap_or_default());
        draft.arguments.push_str(&arguments(&call["function"]["arguments"]));
    }
    let (words, refusal) = content(&choice["delta"]["content"]);
    draft.text.push_str(&words);
    draft.refusal.push_str(&refusal);
    draft.refusal.push_str(choice["delta"]["refusal"].as_str().unwrap_or_default());
    Ok(words)
}

/// Returns the text of a message and of its refusal. The content is a text, or a list of parts as some servers send it.
fn content(value: &Value) -> (String, String) {
    let Some(parts) = value.as_array() else { return (text_of(value), String::new()) };
    let words = |name: &str| parts.iter().filter_map(|part| part[name].as_str()).collect();
    (words("text"), words("refusal"))
}

/// Returns the arguments as text. Some servers send the object itself.
fn arguments(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

pub(super) fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Reads the reason in a whole answer or in a piece of one. Null, absence and an empty text mean none.
///
/// Pieces before the last have none, and some servers write that as an empty text. A whole answer always has one, and
/// so does the last piece of a stream: servers that left it out treated that as a bug and fixed it, and today it is
/// left out by gateways that lost the model behind them. So an answer without a reason is not taken as complete.
///
/// Besides OpenAI's own reasons, these are those of servers that use its format: xAI (`end_turn`), Together (`eos`),
/// text-generation-inference (`eos_token`, `stop_sequence`), Mistral (`model_length`), Zhipu (`sensitive`), and
/// gateways that pass on the reasons of Anthropic.
fn ending(reason: &Value) -> Option<FinishReason> {
    Some(match reason.as_str()? {
        "" => return None,
        "stop" | "end_turn" | "eos" | "eos_token" | "stop_sequence" => FinishReason::Complete,
        "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" => {
            FinishReason::Truncated
        }
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "content_filter" | "refusal" | "sensitive" => FinishReason::Declined,
        other => FinishReason::Other(other.to_owned()),
    })
}

fn usage(value: &Value) -> Usage {
    Usage {
        input_tokens: value["prompt_tokens"].as_u64(),
        output_tokens: value["completion_tokens"].as_u64(),
        cached_tokens: value["prompt_tokens_details"]["cached_tokens"].as_u64(),
    }
}
