//! Which entries of a directory are left out: git's rules, read from three kinds of files.
//!
//! A rule of `.pitonignore` stands above every rule of `.ignore`, and that above every rule of `.gitignore`; within one
//! kind the file that is nearer to the entry stands above those further up, and within a file a later line above an
//! earlier one. The first rule in this order that matches decides.
//!
//! *Invariants*: nothing outside the tree decides: no global excludes, no `.git/info/exclude`, no index of git; so the
//! same tree has the same rules everywhere. Everything called `.git` is left out.

use std::sync::Arc;

use gix_ignore::glob::{Pattern, pattern::Case, wildmatch::Mode};

/// The files with rules, the strongest first.
pub(super) const RULE_FILES: [&[u8]; 3] = [b".pitonignore", b".ignore", b".gitignore"];

/// What git keeps its own data in.
const GIT: &[u8] = b".git";

/// The rules that hold in a directory: for each kind of file, the nearest file and those above it.
#[derive(Clone, Default)]
pub(super) struct Rules([Option<Arc<RuleFile>>; 3]);

/// The rules of one file, and of the files of its kind further up.
struct RuleFile {
    /// Length of the path of its directory, with the `/` after it.
    base: usize,
    patterns: Vec<Pattern>,
    above: Option<Arc<RuleFile>>,
}

impl Rules {
    /// These rules and those of a file of the kind `kind` in the directory at `path`.
    pub(super) fn add(&mut self, kind: usize, path: &[u8], text: &[u8]) {
        let patterns: Vec<Pattern> =
            gix_ignore::parse(text, false).map(|(pattern, _, _)| pattern).collect();
        if patterns.is_empty() {
            return;
        }
        let base = if path.is_empty() { 0 } else { path.len() + 1 };
        let above = self.0[kind].take();
        self.0[kind] = Some(Arc::new(RuleFile { base, patterns, above }));
    }

    /// Whether the entry at `path`, whose name begins at `name_at`, is left out.
    pub(super) fn ignores(&self, path: &[u8], name_at: usize, is_directory: bool) -> bool {
        if &path[name_at..] == GIT {
            return true;
        }
        for files in &self.0 {
            let mut file = files.as_ref();
            while let Some(rules) = file {
                if let Some(ignored) = rules.decide(path, name_at, is_directory) {
                    return ignored;
                }
                file = rules.above.as_ref();
            }
        }
        false
    }
}

impl RuleFile {
    fn decide(&self, path: &[u8], name_at: usize, is_directory: bool) -> Option<bool> {
        let below = &path[self.base..];
        let name_at = Some(name_at - self.base).filter(|at| *at > 0);
        let matches = |pattern: &&Pattern| {
            pattern.matches_repo_relative_path(
                below.into(),
                name_at,
                Some(is_directory),
                Case::Sensitive,
                Mode::NO_MATCH_SLASH_LITERAL,
            )
        };
        let found = self.patterns.iter().rev().find(matches);
        found.map(|pattern| !pattern.is_negative())
    }
}
