//! From the library's shapes to ours; pure.

use genai::chat::{MessageContent, StopReason, ToolCall as TheirCall, Usage as TheirUsage};
use serde_json::{Value, json};

use crate::answer::{Answer, Finish, Usage};
use crate::error::Error;
use crate::provider::ProviderName;
use crate::tool::ToolCall;

/// The pieces of an answer as the library gives them.
pub(super) struct Received {
    pub(super) provider: ProviderName,
    pub(super) model: String,
    pub(super) content: Option<MessageContent>,
    pub(super) stop: Option<StopReason>,
    pub(super) usage: Option<TheirUsage>,
}

/// The answer, if it is one. One without words, tool calls and reason is something else in the right wrapping.
pub(super) fn answer(received: Received) -> Result<Answer, Error> {
    let Received { provider, model, content, stop, usage } = received;
    let content = content.unwrap_or_default();
    let text = content.texts().concat();
    let tool_calls: Vec<ToolCall> = content.into_tool_calls().into_iter().map(call).collect();
    if text.is_empty() && tool_calls.is_empty() && stop.is_none() {
        let problem = "it holds no words, no tool call and no reason for its end".to_owned();
        return Err(Error::BadAnswer { provider, problem });
    }
    let finish = finish(stop.as_ref(), !tool_calls.is_empty());
    let usage = usage.map(tokens).unwrap_or_default();
    Answer { provider, model, text, tool_calls, finish, usage }.bounded()
}

/// Ollama says `stop` also when it calls tools.
fn finish(stop: Option<&StopReason>, calls_tools: bool) -> Finish {
    match stop {
        Some(StopReason::Completed(_)) if calls_tools => Finish::ToolCalls,
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => Finish::Complete,
        Some(StopReason::MaxTokens(_)) => Finish::Length,
        Some(StopReason::ToolCall(_)) => Finish::ToolCalls,
        Some(StopReason::ContentFilter(_)) => Finish::Filtered,
        Some(StopReason::Other(_)) | None => Finish::Other,
    }
}

fn tokens(usage: TheirUsage) -> Usage {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok());
    Usage {
        input_tokens: count(usage.prompt_tokens),
        output_tokens: count(usage.completion_tokens),
        cached_tokens: count(usage.prompt_tokens_details.and_then(|details| details.cached_tokens)),
    }
}

/// Arguments come as a text where the library could not read them; none at all means an empty object.
fn call(call: TheirCall) -> ToolCall {
    let arguments = match call.fn_arguments {
        Value::Null => json!({}),
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    };
    ToolCall { id: call.call_id, name: call.fn_name, arguments }
}
