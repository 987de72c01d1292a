//! Converts the outcome of a call to the form of the protocol, as its client needs it.
//!
//! An answer is text for models, and structured content for programs. Many clients with a model in front of the tools
//! pass it the structured content *instead of* the text. That content is longer, has tokens in it that only programs
//! need, and hides the next call. Those clients get the text alone. A program gets both, and an unknown client counts
//! as one.

use piton_core::{Envelope, Retry};
use piton_runtime::config::Answers;
use rmcp::model::{CallToolResult, ContentBlock};

use crate::sets::ToolReply;

/// Converts the outcome of a call to its result, with structured content if the client gets that.
pub(crate) fn call_result(
    made: Result<ToolReply, Envelope>,
    gets_structured: bool,
) -> CallToolResult {
    match made {
        Ok(mut reply) => {
            let structured = gets_structured.then(|| reply.structured()).flatten();
            // A note about this call alone becomes a second text.
            let texts = [Some(reply.text), reply.beside].into_iter().flatten();
            let mut result = CallToolResult::success(texts.map(ContentBlock::text).collect());
            result.structured_content = structured;
            result
        }
        Err(envelope) => {
            let envelope = for_agent(&envelope);
            let text = ContentBlock::text(text_of(&envelope));
            let mut result = CallToolResult::error(vec![text]);
            let structured = || serde_json::to_value(&envelope).expect("an envelope is JSON");
            result.structured_content = gets_structured.then(structured);
            result
        }
    }
}

/// Added to advice that names a command or a setting. An agent has the tools and nothing else.
const ASK_THE_PERSON: &str = "No tool here does that: ask the person to do it.";

/// Returns the failure with advice that an agent can follow.
fn for_agent(envelope: &Envelope) -> Envelope {
    let Envelope { suggestion, .. } = envelope;
    let is_for_person = ["`piton", "`PITON_"].iter().any(|mark| suggestion.contains(mark));
    if !is_for_person || suggestion.contains("the person") {
        return envelope.clone();
    }
    envelope.clone().with_suggestion(format!("{suggestion} {ASK_THE_PERSON}"))
}

/// Formats a failure as text for an agent, with advice that it can follow.
pub fn failure_text(envelope: &Envelope) -> String {
    text_of(&for_agent(envelope))
}

fn text_of(envelope: &Envelope) -> String {
    let Envelope { code, message, suggestion, retry, .. } = envelope;
    let retry = match retry {
        Retry::NotRetryable => "The same call will fail again.".to_owned(),
        Retry::RetryableImmediate => "The same call may work at once.".to_owned(),
        Retry::RetryableAfterMs { after_ms } => {
            format!("The same call may work after {after_ms} ms.")
        }
    };
    format!("{code}: {message}\n\n{suggestion}\n{retry}")
}

/// Clients whose answers a model reads, by the names that they give themselves.
const CLIENTS_OF_MODELS: &[&str] = &[
    "claude-code",
    "claude-ai",
    "codex-mcp-client",
    "Codex",
    "cursor-vscode",
    "Visual Studio Code",
    "Visual-Studio-Code",
    "gemini-cli-mcp-client",
    "opencode",
    "amp-mcp-client",
    "antigravity-client",
    "Cline",
    "continue-cli-client",
    "crush",
    "factory-cli",
    "github-copilot-developer",
    "goose",
    "Kilo-Code",
    "Q-DEV-CLI",
    "Roo-Code",
    "Windsurf",
    "windsurf-client",
    "Zed",
];

/// True if a client with this name gets structured content.
pub(crate) fn gets_structured(answers: Answers, client: Option<&str>) -> bool {
    match answers {
        Answers::Text => false,
        Answers::Both => true,
        Answers::Auto => client.is_none_or(|client| !CLIENTS_OF_MODELS.contains(&client)),
    }
}
