//! Ignore files, from the root of the Mount down to a directory.
//!
//! *Invariants*: only `.gitignore` files inside the Mount count; none above it is ever read.

use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::path::MountPath;

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
