//! The permission by which a client calls Piton's tools without asking a person.
//!
//! *Invariants*: it covers Piton's tools and nothing else. What is removed is exactly what is written.
//!
//! *Limitations*: it is recognised by its text, so one that a person wrote in the same words counts as ours. Wider
//! permissions and prohibitions that a person wrote are not read.

use std::path::{Path, PathBuf};

use super::client::{ClientScope, McpClient};
use super::entry::has_setting;
use super::json::{self, ListPath};
use crate::bounds::CLIENT_FILE_BYTES_MAX;
use crate::failure::Failure;
use crate::files;

/// Where a client keeps the permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    /// An item of a list in a JSON file.
    Item { file: PathBuf, list: ListPath, item: &'static str },
    /// A setting of the server's entry, and the value that allows the tools.
    Setting(&'static str, &'static str),
    /// No file can say it in this scope; what a person does instead.
    ByHand(&'static str),
}

/// Setting in an entry of Codex, with the value that runs every tool of the server without asking.
pub(super) const CODEX: (&str, &str) = ("default_tools_approval_mode", "approve");

impl Permission {
    /// Returns where a client keeps the permission of a scope; `base` is the home directory or that of the project.
    pub(super) fn new(client: McpClient, scope: ClientScope, base: &Path) -> Self {
        match (client, scope) {
            (McpClient::Claude, _) => Self::Item {
                file: base.join(".claude/settings.json"),
                list: ListPath { section: Some("permissions"), key: "allow" },
                item: "mcp__piton",
            },
            (McpClient::Codex, _) => Self::Setting(CODEX.0, CODEX.1),
            (McpClient::Cursor, ClientScope::User) => Self::Item {
                file: base.join(".cursor/permissions.json"),
                list: ListPath { section: None, key: "mcpAllowlist" },
                item: "piton:*",
            },
            (McpClient::Cursor, ClientScope::Project) => {
                Self::ByHand("each person runs piton mcp install --client cursor --allow")
            }
            (McpClient::Vscode, _) => {
                Self::ByHand("choose to always allow the tools of `piton` when it first asks")
            }
        }
    }

    /// True if it is given. `file` is the client's configuration, with this text.
    pub(super) fn is_given(&self, file: &Path, text: &str) -> Result<bool, Failure> {
        match self {
            Self::Item { file, list, item } => {
                let text = files::read_if_there(file, CLIENT_FILE_BYTES_MAX)?.unwrap_or_default();
                json::has_item(&text, *list, item).map_err(|wrong| json::refusal(file, wrong))
            }
            Self::Setting(name, value) => has_setting(file, text, (*name, *value)),
            Self::ByHand(_) => Ok(false),
        }
    }
}

/// Returns the text of a file with the permission.
pub(super) fn with_item(
    file: &Path,
    text: &str,
    list: ListPath,
    item: &str,
) -> Result<String, Failure> {
    json::add_item(text, list, item).map_err(|wrong| json::refusal(file, wrong))
}

/// Returns the text of a file without the permission; `None` if it has none.
pub(super) fn without_item(
    file: &Path,
    text: &str,
    list: ListPath,
    item: &str,
) -> Result<Option<String>, Failure> {
    json::remove_item(text, list, item).map_err(|wrong| json::refusal(file, wrong))
}
