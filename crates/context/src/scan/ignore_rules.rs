//! Ignore rules: git's syntax, read from three kinds of files.
//!
//! Every rule of `.pitonignore` takes precedence over every rule of `.ignore`, and those over every rule of
//! `.gitignore`. Within one kind, a file nearer to the entry takes precedence over files further up; within a file, a
//! later line takes precedence over an earlier one. The first rule in this order that matches decides.
//!
//! *Invariants*: nothing outside the tree decides: no global excludes, no `.git/info/exclude`, no git index. The same
//! tree therefore has the same rules everywhere. Everything named `.git` is left out.

use std::sync::Arc;

use gix_ignore::glob::wildmatch::Mode;
use gix_ignore::glob::{Pattern, wildmatch};

/// Names of the rule files, strongest first.
pub(super) const RULE_FILES: [&[u8]; 3] = [b".pitonignore", b".ignore", b".gitignore"];

/// Name of git's own directory or file.
const GIT: &[u8] = b".git";

/// The rules that apply in a directory: for each kind of file, the nearest file and those above it.
#[derive(Clone, Default)]
pub(super) struct Rules([Option<Arc<RuleFile>>; 3]);

/// The rules of one file, linked to the file of the same kind further up.
struct RuleFile {
    /// Length of the path of the file's directory, including the `/` after it.
    base: usize,
    patterns: Vec<Pattern>,
    above: Option<Arc<RuleFile>>,
}

impl Rules {
    /// Adds the rules of a file of the kind `kind` in the directory at `path`.
    pub(super) fn add(&mut self, kind: usize, path: &[u8], text: &[u8]) {
        let patterns: Vec<Pattern> =
            gix_ignore::parse(text, false).map(|(pattern, _, _)| pattern).collect();
        // A file without rules would only lengthen the chain.
        if patterns.is_empty() {
            return;
        }
        let base = if path.is_empty() { 0 } else { path.len() + 1 };
        let above = self.0[kind].take();
        self.0[kind] = Some(Arc::new(RuleFile { base, patterns, above }));
    }

    /// True if the entry at `path`, whose name begins at `name_at`, is left out.
    pub(super) fn ignores(&self, path: &[u8], name_at: usize, is_directory: bool) -> bool {
        if &path[name_at..] == GIT {
            return true;
        }
        for files in &self.0 {
            // From the nearest file upwards; the first match decides.
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
        // Patterns are relative to the directory of their file.
        let below = &path[self.base..];
        let name = &path[name_at..];
        let found =
            self.patterns.iter().rev().find(|pattern| matches(pattern, below, name, is_directory));
        found.map(|pattern| !pattern.is_negative())
    }
}

/// True if a pattern matches an entry, with git's semantics.
///
/// Git compares the part before the first wildcard byte by byte, and treats only the rest as a pattern. In `a**/b` the
/// stars therefore begin a pattern and match any number of directories.
fn matches(pattern: &Pattern, below: &[u8], name: &[u8], is_directory: bool) -> bool {
    use gix_ignore::glob::pattern::Mode as Kind;
    if pattern.mode.contains(Kind::MUST_BE_DIR) && !is_directory {
        return false;
    }
    // A pattern without a slash matches the name at any depth; every other pattern matches the whole path below its
    // file.
    let by_name = pattern.mode.contains(Kind::NO_SUB_DIR) && !pattern.mode.contains(Kind::ABSOLUTE);
    let (value, mode) =
        if by_name { (name, Mode::empty()) } else { (below, Mode::NO_MATCH_SLASH_LITERAL) };
    let Some(literal) = pattern.first_wildcard_pos else {
        return pattern.text.as_slice() == value;
    };
    if pattern.mode.contains(Kind::ENDS_WITH) && by_name {
        return name.ends_with(&pattern.text[1..]);
    }
    if by_name {
        return wildmatch(pattern.text.as_ref(), value.into(), mode);
    }
    let (literal, wild) = pattern.text.split_at(literal);
    value.strip_prefix(literal).is_some_and(|rest| wildmatch(wild.into(), rest.into(), mode))
}
