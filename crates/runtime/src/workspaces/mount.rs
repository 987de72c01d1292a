//! A Workspace as a person types it: `/docs=./docs:ro`.

use std::path::PathBuf;
use std::str::FromStr;

use piton_workspaces::AccessScope;
use piton_workspaces::config::WorkspaceConfig;
use piton_workspaces::path::LogicalPath;

/// Explanation of the form, added to every error.
const FORM: &str = "write PREFIX=STORE:SCOPE, as in `/docs=./docs:ro`, `/scratch=virtual:rw` or `/draft=over/docs:rw`; SCOPE is ro, rw or wo, and `,writable=.vscode` after it lets agents change a protected name";

/// A Workspace as a person types it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    config: WorkspaceConfig,
}

impl Mount {
    /// The form in which it is typed.
    pub const FORM: &str = FORM;

    /// Returns the configuration that was typed.
    pub fn config(&self) -> &WorkspaceConfig {
        &self.config
    }
}

impl FromStr for Mount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: String| format!("{what}; {FORM}");
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
        Ok(Self { config })
    }
}
