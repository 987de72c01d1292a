//! Decides who reads the answers of a client: a model or a program.
//!
//! An answer is text for models, and structured content for programs. Many clients with a model in front of the tools
//! pass it the structured content *instead of* the text. That content is longer, has tokens in it that only programs
//! need, and hides the next call. Those clients get the text alone. A program gets both, and an unknown client counts
//! as one.

use piton_runtime::config::Answers;

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
