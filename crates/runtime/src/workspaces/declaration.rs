//! Workspaces as each source declares them, also as a person types one (`/docs=./docs:ro`), and the set that the declarations of all sources result in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use piton_core::{Digest, FileBytes};
#[cfg(feature = "flow")]
use piton_workspaces::Tool;
use piton_workspaces::config::WorkspaceConfig;
use piton_workspaces::path::LogicalPath;
use piton_workspaces::{AccessScope, protected_name};

use super::directory;
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
        let workspaces = mounts.iter().map(|mount| mount.0.clone()).collect();
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
    fn resolve(
        &self,
        config: &WorkspaceConfig,
        home: Option<&Path>,
    ) -> Result<WorkspaceConfig, String> {
        let mut config = config.clone();
        if let Some(directory) = &config.directory {
            let absolute = directory::absolute(directory, &self.base, home)?;
            // A project comes from others. It may not reach beyond its own directory.
            if self.by == DeclaredBy::Project {
                directory::check_inside(&absolute, &self.base)?;
            }
            config.directory = Some(absolute);
        }
        // The directory check does not cover names opened by `writable`, so `.git` is refused here as well.
        if self.by == DeclaredBy::Project && config.writable.iter().any(|name| is_git(name)) {
            return Err(GIT_WRITABLE.to_owned());
        }
        if let Some(namespace) = &mut config.namespace {
            namespace.splice(0..0, self.namespace_start());
        }
        Ok(config)
    }

    /// Returns the start of a namespace, which keeps one source from naming the files of another.
    fn namespace_start(&self) -> Vec<String> {
        if self.by == DeclaredBy::User {
            return vec![self.by.to_string()];
        }
        // Links are resolved first, so that one directory has one namespace whichever path leads to it.
        let base = directory::real(&self.base);
        let digest = Digest::of(&FileBytes(base.as_os_str().as_encoded_bytes()));
        vec![self.by.to_string(), digest.to_string()]
    }
}

/// The Workspaces to be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinedWorkspaces {
    /// Workspaces with absolute directories and full namespaces, by prefix.
    pub workspaces: Vec<(WorkspaceConfig, DeclaredBy)>,
    /// Declarations that do not count, with the reason.
    pub notes: Vec<String>,
    /// Problems, each beginning with the prefix that it is about.
    pub problems: Vec<String>,
}

impl JoinedWorkspaces {
    /// True if nothing was declared.
    pub fn is_empty(&self) -> bool {
        self.workspaces.is_empty() && self.problems.is_empty()
    }

    /// Returns the tools that can succeed at least once, once the Workspaces are open.
    #[cfg(feature = "flow")]
    pub(super) fn tools(&self) -> Vec<Tool> {
        let scopes = self.workspaces.iter().filter_map(|(config, _)| config.scope.parse().ok());
        Tool::offered(&scopes.collect::<Vec<_>>())
    }
}

/// Joins the declarations. If several sources name a prefix, the strongest counts: the command line, then the user,
/// then the project.
pub fn join(mut places: Vec<Declared>, home: Option<&Path>) -> JoinedWorkspaces {
    // Weakest first, so that a stronger source overwrites the entry of a weaker one.
    places.sort_by_key(|place| place.by);
    let mut joined = JoinedWorkspaces::default();
    let mut held: BTreeMap<String, (WorkspaceConfig, DeclaredBy)> = BTreeMap::new();
    for place in &places {
        for config in &place.workspaces {
            // A problem does not end the loop: all of them are reported together.
            let resolved = match place.resolve(config, home) {
                Ok(resolved) => resolved,
                Err(why) => {
                    joined.problems.push(format!("{} {why}", config.prefix));
                    continue;
                }
            };
            let prefix = resolved.prefix.clone();
            match held.insert(prefix.clone(), (resolved, place.by)) {
                Some((_, by)) if by == place.by => {
                    joined.problems.push(format!("the prefix {prefix} is given twice"));
                }
                Some((_, by)) => joined.notes.push(format!(
                    "{prefix} is declared by the {by} and by the {}; what the {} says counts",
                    place.by, place.by
                )),
                None => {}
            }
        }
    }
    joined.workspaces = held.into_values().collect();
    joined
}

/// A Workspace as a person types it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount(pub WorkspaceConfig);

impl Mount {
    /// The form in which it is typed. Every error ends with it.
    pub const FORM: &str = "write PREFIX=STORE:SCOPE, as in `/docs=./docs:ro`, `/scratch=virtual:rw` or `/draft=over/docs:rw`; SCOPE is ro, rw or wo, and `,writable=.vscode` after it lets agents change a protected name";
}

impl FromStr for Mount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: String| format!("{what}; {}", Self::FORM);
        let (prefix, rest) = text
            .split_once('=')
            .ok_or_else(|| wrong("there is no `=` after the prefix".to_owned()))?;
        let (store, scope) = rest
            // From the right, because a directory may contain a colon.
            .rsplit_once(':')
            .ok_or_else(|| wrong("there is no `:` before the scope".to_owned()))?;
        let parsed: LogicalPath = prefix
            .parse()
            .map_err(|why| wrong(format!("the prefix `{prefix}` is refused: {why}")))?;
        let mut options = scope.split(',');
        let scope = match options.next().unwrap_or_default() {
            "ro" => AccessScope::ReadOnly,
            "rw" => AccessScope::ReadWrite,
            "wo" => AccessScope::WriteOnly,
            other => return Err(wrong(format!("`{other}` is no scope"))),
        };
        let mut config = WorkspaceConfig {
            prefix: parsed.to_string(),
            scope: scope.to_string(),
            ..WorkspaceConfig::default()
        };
        for option in options {
            match option.split_once('=') {
                None if option == "mounts" => config.mounts = true,
                Some(("writable", name)) => config.writable.push(name.to_owned()),
                _ => return Err(wrong(format!("`{option}` is no option of a Workspace"))),
            }
        }
        let own = || vec![parsed.to_string()];
        match store {
            "virtual" => config.namespace = Some(own()),
            "memory" => config.memory = Some(own()),
            named if named.strip_prefix("virtual/").is_some_and(|name| !name.is_empty()) => {
                let parts = named.split('/').skip(1);
                config.namespace = Some(parts.map(str::to_owned).collect());
            }
            over if over.starts_with("over/") => {
                config.over = Some(over["over".len()..].to_owned());
                config.namespace = Some(own());
            }
            path if path.starts_with(['.', '/', '~']) => {
                config.directory = Some(PathBuf::from(path));
            }
            other => {
                let what = format!(
                    "`{other}` is no Store: write a directory as ./{other}, or virtual, virtual/NAME, memory, over/PREFIX"
                );
                return Err(wrong(what));
            }
        }
        Ok(Self(config))
    }
}
