//! The supported clients, and the locations of their configuration.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

/// An MCP client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum McpClient {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// VS Code
    Vscode,
}

/// Whose configuration of a client is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ClientScope {
    /// Yours, for every project
    User,
    /// The project's, for everybody who works in it
    Project,
}

/// Format of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigFormat {
    /// JSON, with the servers in an object of this name.
    Json(&'static str),
    /// TOML, with a table for each server.
    Toml,
}

impl McpClient {
    pub(crate) const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Cursor, Self::Vscode];

    /// Returns the product name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
        }
    }

    /// Returns the name on the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
        }
    }

    pub(super) const fn form(self) -> ConfigFormat {
        match self {
            Self::Claude | Self::Cursor => ConfigFormat::Json("mcpServers"),
            Self::Vscode => ConfigFormat::Json("servers"),
            Self::Codex => ConfigFormat::Toml,
        }
    }

    /// Returns the file that it reads: that of the project, or that of the user.
    pub(crate) fn file(self, scope: ClientScope, base: &Path, config: &Path) -> PathBuf {
        match (self, scope) {
            (Self::Claude, ClientScope::User) => base.join(".claude.json"),
            (Self::Claude, ClientScope::Project) => base.join(".mcp.json"),
            (Self::Codex, _) => base.join(".codex/config.toml"),
            (Self::Cursor, _) => base.join(".cursor/mcp.json"),
            (Self::Vscode, ClientScope::User) => config.join("Code/User/mcp.json"),
            (Self::Vscode, ClientScope::Project) => base.join(".vscode/mcp.json"),
        }
    }
}
