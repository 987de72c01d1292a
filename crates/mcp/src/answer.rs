//! Converts the outcome of a call to the form of the protocol.

use piton_core::{Envelope, Retry};
use rmcp::model::{CallToolResult, ContentBlock};

use crate::sets::ToolReply;

/// Converts a reply to the result of a successful call. A note about this call alone becomes a second text.
pub(crate) fn call_result(told: ToolReply) -> CallToolResult {
    let ToolReply { structured, text, beside, .. } = told;
    let texts = [Some(text), beside].into_iter().flatten();
    let mut result = CallToolResult::success(texts.map(ContentBlock::text).collect());
    result.structured_content = structured;
    result
}

/// Added to advice that names a command or a setting. An agent has the tools and nothing else.
const ASK_THE_PERSON: &str = "No tool here does that: ask the person to do it.";

/// Returns the failure with advice that an agent can follow.
fn for_agent(envelope: &Envelope) -> Envelope {
    let Envelope { suggestion, .. } = envelope;
    let is_for_person = ["`piton", "`PITON_"].iter().any(|of| suggestion.contains(of));
    if !is_for_person || suggestion.contains("the person") {
        return envelope.clone();
    }
    envelope.clone().with_suggestion(format!("{suggestion} {ASK_THE_PERSON}"))
}

/// Formats a failure as text for an agent.
pub fn failure_text(envelope: &Envelope) -> String {
    let Envelope { code, message, suggestion, retry, .. } = &for_agent(envelope);
    let retry = match retry {
        Retry::NotRetryable => "The same call will fail again.".to_owned(),
        Retry::RetryableImmediate => "The same call may work at once.".to_owned(),
        Retry::RetryableAfterMs { after_ms } => {
            format!("The same call may work after {after_ms} ms.")
        }
    };
    format!("{code}: {message}\n\n{suggestion}\n{retry}")
}

/// Converts a failure to the result of a failed call, with advice.
pub(crate) fn failed(envelope: &Envelope) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(failure_text(envelope))]);
    let envelope = serde_json::to_value(for_agent(envelope)).expect("an envelope is JSON");
    result.structured_content = Some(envelope);
    result
}
