//! Who reads what a client is answered: a model, or a program.
//!
//! An answer is a text for models, and structured content for programs. Many clients that put a model in front of the
//! tools hand it the structured content *instead of* the text: it is longer, has tokens in it that only programs need,
//! and hides the next call. Those get the text alone. A program gets both, and a client that is not known counts as one.

use piton_runtime::config::Answers;

/// Clients in which a model reads the answers, by the names that they give themselves.
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

/// Whether a client of this name gets structured content.
pub(crate) fn gets_structured(answers: Answers, client: Option<&str>) -> bool {
    match answers {
        Answers::Text => false,
        Answers::Both => true,
        Answers::Auto => client.is_none_or(|client| !CLIENTS_OF_MODELS.contains(&client)),
    }
}
