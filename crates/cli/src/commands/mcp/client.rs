//! Which clients there are, and where they keep their configuration.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

/// An MCP client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Client {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// VS Code
    Vscode,
}

/// For whom a client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// For you, in every project
    User,
    /// For everybody who works in this project
    Project,
}

/// How a configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON, with the servers in an object of this name.
    Json(&'static str),
    /// TOML, with a table for each server.
    Toml,
}

impl Client {
    pub(crate) const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Cursor, Self::Vscode];

    /// What people call it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
        }
    }

    /// What it is called on the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
        }
    }

    pub(super) const fn form(self) -> Form {
        match self {
            Self::Claude | Self::Cursor => Form::Json("mcpServers"),
            Self::Vscode => Form::Json("servers"),
            Self::Codex => Form::Toml,
        }
    }

    /// The file that it reads: below the project, or of the user.
    pub(crate) fn file(self, scope: Scope, base: &Path, config: &Path) -> PathBuf {
        match (self, scope) {
            (Self::Claude, Scope::User) => base.join(".claude.json"),
            (Self::Claude, Scope::Project) => base.join(".mcp.json"),
            (Self::Codex, _) => base.join(".codex/config.toml"),
            (Self::Cursor, _) => base.join(".cursor/mcp.json"),
            (Self::Vscode, Scope::User) => config.join("Code/User/mcp.json"),
            (Self::Vscode, Scope::Project) => base.join(".vscode/mcp.json"),
        }
    }
}
