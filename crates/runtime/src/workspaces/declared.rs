//! Workspaces as one place declares them.

use std::path::PathBuf;

use piton_core::{Digest, FileBytes};
use piton_workspaces::config::WorkspaceConfig;
use piton_workspaces::protected_name;

use super::inside;
use super::mount::Mount;
use crate::config::SettingSource;
use crate::config::section::{FoundSection, WorkspacesSection};

piton_core::closed_set! {
    /// Who declares a Workspace, weakest first.
    pub enum DeclaredBy {
        /// `piton.toml` of the project.
        Project => "project",
        /// `config.toml` in the user's configuration directory.
        User => "user",
        /// Whoever started the process.
        Command => "command line",
    }
}

/// Workspaces as one place declares them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Who.
    pub by: DeclaredBy,
    /// What relative directories are relative to.
    pub base: PathBuf,
    /// What.
    pub workspaces: Vec<WorkspaceConfig>,
}

/// What a project is told that lets agents change `.git`. Whatever else it lists came with it; `.git` never does.
const GIT_WRITABLE: &str = "lists `.git` in `writable`, which a project may not: declare it in your own configuration file, or with --workspace";

fn is_git(name: &str) -> bool {
    protected_name(name.trim_end_matches('/')) == Some(".git")
}

impl Declared {
    /// What somebody typed who is in `base`.
    pub fn typed(mounts: &[Mount], base: PathBuf) -> Self {
        let workspaces = mounts.iter().map(|mount| mount.config().clone()).collect();
        Self { by: DeclaredBy::Command, base, workspaces }
    }

    /// What a configuration file says.
    pub fn found(found: FoundSection<WorkspacesSection>) -> Self {
        let by = match found.place {
            SettingSource::Project => DeclaredBy::Project,
            _ => DeclaredBy::User,
        };
        Self { by, base: found.directory().to_owned(), workspaces: found.value.0 }
    }

    /// A Workspace with the directory and the namespace that it means, or why it is refused.
    pub(super) fn settled(
        &self,
        config: &WorkspaceConfig,
        home: Option<&std::path::Path>,
    ) -> Result<WorkspaceConfig, String> {
        let mut config = config.clone();
        if let Some(directory) = &config.directory {
            let directory = inside::absolute(directory, &self.base, home)?;
            if self.by == DeclaredBy::Project {
                inside::check(&directory, &self.base)?;
            }
            config.directory = Some(directory);
        }
        if self.by == DeclaredBy::Project && config.writable.iter().any(|name| is_git(name)) {
            return Err(GIT_WRITABLE.to_owned());
        }
        if let Some(namespace) = &mut config.namespace {
            namespace.splice(0..0, self.declared_by());
        }
        Ok(config)
    }

    /// What a namespace begins with, so that nobody names what belongs to somebody else.
    fn declared_by(&self) -> Vec<String> {
        if self.by == DeclaredBy::User {
            return vec![self.by.to_string()];
        }
        let base = inside::real(&self.base);
        let digest = Digest::of(&FileBytes(base.as_os_str().as_encoded_bytes()));
        vec![self.by.to_string(), digest.to_string()]
    }
}
