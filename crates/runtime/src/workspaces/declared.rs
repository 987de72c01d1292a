//! Workspaces as one source declares them.

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

/// Workspaces as one source declares them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub by: DeclaredBy,
    /// Directory that relative paths are resolved against.
    pub base: PathBuf,
    pub workspaces: Vec<WorkspaceConfig>,
}

/// Refusal of a project that lets agents change `.git`. Any other name that it lists arrived with the project; `.git`
/// never does.
const GIT_WRITABLE: &str = "lists `.git` in `writable`, which a project may not: declare it in your own configuration file, or with --workspace";

fn is_git(name: &str) -> bool {
    protected_name(name.trim_end_matches('/')) == Some(".git")
}

impl Declared {
    /// Returns the Workspaces typed on the command line by a person whose directory is `base`.
    pub fn typed(mounts: &[Mount], base: PathBuf) -> Self {
        let workspaces = mounts.iter().map(|mount| mount.config().clone()).collect();
        Self { by: DeclaredBy::Command, base, workspaces }
    }

    /// Returns the Workspaces of a configuration file.
    pub fn found(found: FoundSection<WorkspacesSection>) -> Self {
        let by = match found.place {
            SettingSource::Project => DeclaredBy::Project,
            _ => DeclaredBy::User,
        };
        Self { by, base: found.directory().to_owned(), workspaces: found.value.0 }
    }

    /// Resolves the directory and namespace of a Workspace, or returns the reason that it is refused.
    pub(super) fn settled(
        &self,
        config: &WorkspaceConfig,
        home: Option<&std::path::Path>,
    ) -> Result<WorkspaceConfig, String> {
        let mut config = config.clone();
        if let Some(directory) = &config.directory {
            let directory = inside::absolute(directory, &self.base, home)?;
            // A project comes from others. It may not reach beyond its own directory.
            if self.by == DeclaredBy::Project {
                inside::check(&directory, &self.base)?;
            }
            config.directory = Some(directory);
        }
        // The directory check does not cover names opened by `writable`, so `.git` is refused here as well.
        if self.by == DeclaredBy::Project && config.writable.iter().any(|name| is_git(name)) {
            return Err(GIT_WRITABLE.to_owned());
        }
        if let Some(namespace) = &mut config.namespace {
            namespace.splice(0..0, self.declared_by());
        }
        Ok(config)
    }

    /// Returns the start of a namespace, which keeps one source from naming the files of another.
    fn declared_by(&self) -> Vec<String> {
        if self.by == DeclaredBy::User {
            return vec![self.by.to_string()];
        }
        // Links are resolved first, so that one directory has one namespace whichever path leads to it.
        let base = inside::real(&self.base);
        let digest = Digest::of(&FileBytes(base.as_os_str().as_encoded_bytes()));
        vec![self.by.to_string(), digest.to_string()]
    }
}
