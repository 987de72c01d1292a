//! Selection of the files to search: by path, by type, and by the ignore files from the root of the Mount down.
//!
//! *Invariants*: only `.gitignore` files inside the Mount count; none above it is ever read.

use std::path::Path;
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::bounds::PATTERN_BYTES_MAX;
use crate::error::Error;
use crate::path::MountPath;

/// Selects the files to search.
#[derive(Debug)]
pub struct Selection {
    glob: Option<GlobMatcher>,
    types: Option<Types>,
    hidden: bool,
    ignored: bool,
}

impl Selection {
    /// Selects by a glob and a file type. With `all`, hidden and ignored files are selected too. A glob that names a
    /// hidden file also selects hidden ones.
    pub fn new(glob: Option<&str>, file_type: Option<&str>, all: bool) -> Result<Self, Error> {
        let hidden = glob.is_some_and(|glob| glob.starts_with('.') || glob.contains("/."));
        Ok(Self {
            glob: glob.map(compile).transpose()?,
            types: file_type.map(select_type).transpose()?,
            hidden: hidden || all,
            ignored: all,
        })
    }

    /// True if the path of a file, as the agent sees it, is selected.
    pub fn selects(&self, path: &MountPath) -> bool {
        let text = path.as_str();
        self.glob.as_ref().is_none_or(|glob| glob.is_match(text))
            && self.types.as_ref().is_none_or(|types| !types.matched(text, false).is_ignore())
    }

    /// True if an entry with this name is skipped because it is hidden.
    pub fn skips_name(&self, name: &str) -> bool {
        !self.hidden && name.starts_with('.')
    }

    /// True if ignore files are followed.
    pub fn follows_ignores(&self) -> bool {
        !self.ignored
    }
}

/// Compiles a glob over paths relative to the start of the search. Without `/` it matches a name at any depth.
fn compile(pattern: &str) -> Result<GlobMatcher, Error> {
    if pattern.is_empty() || pattern.len() > PATTERN_BYTES_MAX {
        return Err(glob_length());
    }
    let anywhere = !pattern.contains('/');
    let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
    let full = if anywhere { format!("**/{pattern}") } else { pattern.to_owned() };
    let glob = GlobBuilder::new(&full).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| Error::BadArgument(format!("the glob is not valid: {}", error.kind())))
}

fn select_type(name: &str) -> Result<Types, Error> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder.select(name);
    builder.build().map_err(|_| {
        let name = crate::error::quote(name);
        Error::BadArgument(format!("`{name}` is not a known file type; use `glob`, such as `*.rs`"))
    })
}

/// Returns the refusal of a glob that is empty or too long.
pub(crate) fn glob_length() -> Error {
    Error::Limit(format!("a glob has 1 to {PATTERN_BYTES_MAX} bytes"))
}

/// Name of an ignore file.
pub const IGNORE_FILE: &str = ".gitignore";

/// The ignore files in effect in a directory: its own and those above it.
#[derive(Clone, Debug, Default)]
pub struct Ignores(Option<Arc<Level>>);

#[derive(Debug)]
struct Level {
    rules: Gitignore,
    above: Ignores,
}

impl Ignores {
    /// Adds the ignore file of a deeper directory, given its content.
    #[must_use]
    pub fn below(&self, directory: &MountPath, content: &str) -> Self {
        let mut builder = GitignoreBuilder::new(Path::new(directory.as_str()));
        for line in content.lines() {
            // A malformed line is skipped, as in git.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(rules) if !rules.is_empty() => {
                Self(Some(Arc::new(Level { rules, above: self.clone() })))
            }
            _ => self.clone(),
        }
    }

    /// True if an entry is ignored, given that its directory is not. The innermost file with a matching rule decides.
    pub fn ignores(&self, path: &MountPath, is_directory: bool) -> bool {
        let mut level = self.0.as_ref();
        while let Some(here) = level {
            let matched = here.rules.matched(Path::new(path.as_str()), is_directory);
            // A rule that re-includes the entry is a match too, and ends the search.
            if !matched.is_none() {
                return matched.is_ignore();
            }
            level = here.above.0.as_ref();
        }
        false
    }
}
