//! The wire format of Ollama.

use serde_json::{Value, json};

use super::format::{AnswerDraft, FinishReason, FormatFlaw, put};
use super::openai::{self, text_of, tools};
use crate::bounds::ANSWER_TOKENS_DEFAULT;
use crate::message::{Message, ToolChoice};
use crate::request::Request;

/// Builds the body of a request. This format cannot make a model call a tool; it can only withhold the tools.
pub(super) fn body(request: &Request, model: &str, stream: bool) -> Value {
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    let asked = &request.options;
    let mut options = json!({ "num_predict": asked.max_tokens.unwrap_or(ANSWER_TOKENS_DEFAULT) });
    put(
        &mut options,
        [
            ("temperature", asked.temperature.map(Value::from)),
            ("top_p", asked.top_p.map(Value::from)),
            ("stop", (!asked.stop.is_empty()).then(|| json!(asked.stop))),
        ],
    );
    let mut body =
        json!({ "model": model, "messages": messages, "options": options, "stream": stream });
    let offered = tools(&request.tools).filter(|_| request.tool_choice != ToolChoice::None);
    put(&mut body, [("tools", offered)]);
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { .. } | Message::User { .. } => openai::message(message),
        Message::Assistant { text, tool_calls } => {
            let mut message = json!({ "role": "assistant", "content": text });
            let calls = tool_calls.iter().map(
                |call| json!({ "function": { "name": call.name, "arguments": call.arguments } }),
            );
            let calls: Vec<Value> = calls.collect();
            put(&mut message, [("tool_calls", (!calls.is_empty()).then(|| json!(calls)))]);
            message
        }
        Message::Tool { name, text, .. } => {
            json!({ "role": "tool", "tool_name": name, "content": text })
        }
    }
}

pub(super) fn parse_answer(body: &Value) -> Result<AnswerDraft, FormatFlaw> {
    // A whole answer has the form of a stream's last piece.
    let mut draft = AnswerDraft::default();
    piece(body, &mut draft)?;
    match (body["message"].is_object(), draft.over) {
        (false, _) => Err(FormatFlaw::FORM),
        (true, false) => Err(FormatFlaw::Shape("it is not complete: `done` is not true")),
        (true, true) => Ok(draft),
    }
}

pub(super) fn piece(data: &Value, draft: &mut AnswerDraft) -> Result<String, FormatFlaw> {
    if !data["error"].is_null() {
        return Err(FormatFlaw::Told(data.clone()));
    }
    if let Some(model) = data["model"].as_str() {
        draft.model = Some(model.to_owned());
    }
    for call in data["message"]["tool_calls"].as_array().into_iter().flatten() {
        // This format sends calls whole and without an index, so each one is new.
        let next = draft.call(draft.calls.len()).ok_or(FormatFlaw::CALLS)?;
        next.id = text_of(&call["id"]);
        next.name = text_of(&call["function"]["name"]);
        // In this format the arguments are a JSON value. The draft keeps them as text.
        next.arguments = call["function"]["arguments"].to_string();
    }
    if data["done"] == true {
        draft.over = true;
        draft.ending = Some(ending(&data["done_reason"]));
        draft.usage.input_tokens = data["prompt_eval_count"].as_u64();
        draft.usage.output_tokens = data["eval_count"].as_u64();
    }
    let words = text_of(&data["message"]["content"]);
    draft.text.push_str(&words);
    Ok(words)
}

/// Reads the reason of an answer that is done. In this format `done` marks an answer as complete; versions before
/// 0.1.38 sent no reason with it.
fn ending(reason: &Value) -> FinishReason {
    match reason.as_str() {
        None | Some("" | "stop") => FinishReason::Complete,
        Some("length") => FinishReason::Truncated,
        Some(other) => FinishReason::Other(other.to_owned()),
    }
}
