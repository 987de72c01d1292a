//! From our shapes to the library's; pure.

use std::time::Duration;

use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ContentPart, MessageContent, Tool,
    ToolCall as TheirCall, ToolChoice as TheirChoice, ToolResponse,
};

use crate::bounds::ANSWER_TOKENS_DEFAULT;
use crate::message::Message;
use crate::provider::Wire;
use crate::request::Request;
use crate::tool::{ToolCall, ToolChoice, ToolSpec};

/// The library's name for a wire format.
pub(super) const fn adapter(wire: Wire) -> AdapterKind {
    match wire {
        Wire::OpenAi => AdapterKind::OpenAI,
        Wire::Anthropic => AdapterKind::Anthropic,
        Wire::Ollama => AdapterKind::Ollama,
    }
}

/// The conversation and the tools.
pub(super) fn chat(request: &Request) -> ChatRequest {
    let messages = request.messages.iter().map(message).collect();
    let chat = ChatRequest::new(messages);
    if request.tools.is_empty() { chat } else { chat.with_tools(request.tools.iter().map(tool)) }
}

/// How the answer is to be made, and how long its pieces may take.
pub(super) fn options(request: &Request, timeout: Duration) -> ChatOptions {
    let asked = &request.options;
    let mut options = ChatOptions::default()
        .with_max_tokens(asked.max_tokens.unwrap_or(ANSWER_TOKENS_DEFAULT))
        .with_stop_sequences(asked.stop.clone())
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_stream_header_timeout(timeout)
        .with_stream_read_timeout(timeout);
    options.temperature = asked.temperature;
    options.top_p = asked.top_p;
    options.tool_choice = choice(&request.tool_choice);
    options
}

fn message(message: &Message) -> ChatMessage {
    match message {
        Message::System { text } => ChatMessage::system(text.as_str()),
        Message::User { text } => ChatMessage::user(text.as_str()),
        Message::Assistant { text, tool_calls } => {
            let words = (!text.is_empty()).then(|| ContentPart::Text(text.clone()));
            let calls = tool_calls.iter().map(|call| ContentPart::ToolCall(their_call(call)));
            ChatMessage::assistant(MessageContent::from_parts(
                words.into_iter().chain(calls).collect::<Vec<_>>(),
            ))
        }
        Message::Tool { call_id, name, text } => {
            ToolResponse::new(call_id.as_str(), text.as_str()).with_fn_name(name.as_str()).into()
        }
    }
}

fn their_call(call: &ToolCall) -> TheirCall {
    TheirCall {
        call_id: call.id.clone(),
        fn_name: call.name.clone(),
        fn_arguments: call.arguments.clone(),
        thought_signatures: None,
    }
}

fn tool(tool: &ToolSpec) -> Tool {
    Tool::new(tool.name.as_str())
        .with_description(tool.description.as_str())
        .with_schema(tool.parameters.clone())
}

fn choice(choice: &ToolChoice) -> Option<TheirChoice> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(TheirChoice::None),
        ToolChoice::Required => Some(TheirChoice::Required),
        ToolChoice::Named { name } => Some(TheirChoice::tool(name.as_str())),
    }
}
