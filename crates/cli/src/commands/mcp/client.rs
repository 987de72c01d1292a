//! The supported clients, and the locations of their configuration.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use crate::app::App;
use crate::failure::Failure;

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

impl ClientScope {
    pub(super) const ALL: [Self; 2] = [Self::User, Self::Project];

    /// Returns the name on the command line.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// The directories that hold the configuration of clients in one scope.
pub(super) struct ClientDirectories {
    /// The home directory, or that of the project.
    pub(super) base: PathBuf,
    config: PathBuf,
}

impl ClientDirectories {
    pub(super) fn new(app: &App, scope: ClientScope) -> Result<Self, Failure> {
        let base = match scope {
            ClientScope::User => app.environment.home(),
            ClientScope::Project => app.environment.working_dir.as_deref(),
        };
        let base = base.ok_or_else(|| {
            let what = "There is no home directory with the configuration of the client.";
            Failure::refused(what, "Set HOME, or use --scope project.")
        })?;
        let user_dir = app.environment.user_dir();
        let config = user_dir.as_deref().and_then(Path::parent).unwrap_or(base);
        Ok(Self { base: base.to_path_buf(), config: config.to_path_buf() })
    }

    /// Returns the file that a client reads its servers from.
    pub(super) fn file(&self, client: McpClient, scope: ClientScope) -> PathBuf {
        client.file(scope, &self.base, &self.config)
    }
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

    /// Returns the command that configures it.
    pub(crate) fn install_command(self, scope: ClientScope) -> String {
        match scope {
            ClientScope::User => format!("piton mcp install --client {}", self.word()),
            ClientScope::Project => {
                format!("piton mcp install --client {} --scope project", self.word())
            }
        }
    }

    /// Returns what a person does before the client follows the files of a project, if that is known.
    pub(super) const fn project_condition(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some(
                "Claude Code follows it once you trust the project: start `claude` in it once, and accept.",
            ),
            Self::Codex => {
                Some("Codex follows it once you trust the project: start `codex` in it once.")
            }
            Self::Cursor | Self::Vscode => None,
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
