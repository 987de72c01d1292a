//! Ignore files, from the Mount down to one directory.
//!
//! *Invariants*: only `.gitignore` files inside the Mount count; none above it is ever read.

use std::{path::Path, sync::Arc};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::path::MountPath;

/// The name of an ignore file.
pub const IGNORE_FILE: &str = ".gitignore";

/// The ignore files that count in a directory: its own and those above it.
#[derive(Clone, Debug, Default)]
pub struct Ignores(Option<Arc<Level>>);

#[derive(Debug)]
struct Level {
    rules: Gitignore,
    above: Ignores,
}

impl Ignores {
    /// The ignore files of a directory below, with the content of its own one.
    #[must_use]
    pub fn below(&self, directory: &MountPath, content: &str) -> Self {
        let mut builder = GitignoreBuilder::new(Path::new(directory.as_str()));
        for line in content.lines() {
            // A line that is no pattern is passed over, as git does.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(rules) if !rules.is_empty() => {
                Self(Some(Arc::new(Level { rules, above: self.clone() })))
            }
            _ => self.clone(),
        }
    }

    /// Whether an entry is ignored whose directory is not. The innermost file that says something
    /// about it decides.
    pub fn ignores(&self, path: &MountPath, is_directory: bool) -> bool {
        let mut level = self.0.as_ref();
        while let Some(here) = level {
            let matched = here.rules.matched(Path::new(path.as_str()), is_directory);
            if !matched.is_none() {
                return matched.is_ignore();
            }
            level = here.above.0.as_ref();
        }
        false
    }
}
