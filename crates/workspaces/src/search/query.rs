//! The query that a Store receives, and its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{ContentMatcher, Selection};
use crate::mask::Mask;
use crate::path::MountPath;

/// Level of detail that is wanted for a matching file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only the fact that it matches.
    File,
    /// The number of its matching lines.
    Count,
    Lines,
}

/// A query for a Store.
#[derive(Clone, Debug)]
pub struct Search {
    /// Start of the search: a directory or one file.
    pub start: MountPath,
    /// Path from the start of the agent's search to `start`. Patterns see paths with it in front.
    pub lead: MountPath,
    pub selection: Arc<Selection>,
    /// Pattern for lines. Without it, files are found by name alone.
    pub content: Option<Arc<ContentMatcher>>,
    /// Paths that are hidden.
    pub mask: Arc<Mask>,
    pub depth: Depth,
    /// Number of results to keep: lines with [`Depth::Lines`], files otherwise. The rest is only counted.
    pub results_max: usize,
    /// Signal that the caller no longer waits.
    pub cancel: Cancel,
}

impl Search {
    /// True if a file is selected by its path.
    pub fn selects(&self, path: &MountPath) -> bool {
        let below = path.below(&self.start).unwrap_or_else(|| path.clone());
        let seen = if below.is_root() { self.lead.clone() } else { self.lead.join(&below) };
        self.selection.selects(&seen)
    }
}

/// A signal that stops a search.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests that the search stop soon.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True if the search should stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A matching line, or a line of context around one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// Line number, starting at one.
    pub number: u64,
    /// Text, shortened if it is long.
    pub text: String,
    /// True for a matching line, false for context.
    pub is_match: bool,
}

/// A selected file that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    pub path: MountPath,
    /// Number of matching lines. At most one if only the fact that the file matches was wanted.
    pub matches: u64,
    /// Lines, if they were requested.
    pub lines: Vec<FoundLine>,
}

/// Entries that a search skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Files that are not text.
    pub binary: u64,
    /// Files and directories that could not be read.
    pub unreadable: u64,
    /// Files that are too large, or contain a line that is.
    pub large: u64,
    /// Directories with more entries than a search inspects.
    pub crowded: u64,
    /// Files and directories deeper than a path can express.
    pub deep: u64,
    /// Files and directories with unusable names: with control characters, or not UTF-8.
    pub unusable: u64,
    /// Mounted directories, if mounts are not followed.
    pub mounted: u64,
    /// Set when there were more files than a search inspects.
    pub incomplete: bool,
}

impl Skipped {
    /// True if matching files may have been missed because there are too many, they lie too deep or they cannot be
    /// named.
    pub fn is_cut(&self) -> bool {
        self.incomplete || self.crowded > 0 || self.deep > 0 || self.unusable > 0
    }

    /// Adds the counts of another part of the search.
    pub fn add(&mut self, other: Self) {
        self.binary += other.binary;
        self.unreadable += other.unreadable;
        self.large += other.large;
        self.crowded += other.crowded;
        self.deep += other.deep;
        self.unusable += other.unusable;
        self.mounted += other.mounted;
        self.incomplete |= other.incomplete;
    }
}

/// The result of a search, in path order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// Files that are kept.
    pub files: Vec<FoundFile>,
    /// Number of matching files, kept or not.
    pub files_total: u64,
    /// Number of matching lines, kept or not.
    pub matches_total: u64,
    pub skipped: Skipped,
    kept: usize,
}

impl SearchResult {
    /// Creates an empty result with these skipped entries.
    pub fn new(skipped: Skipped) -> Self {
        Self { skipped, ..Self::default() }
    }

    /// Adds the next file in path order; keeps it while there is room.
    pub fn push(&mut self, file: FoundFile, search: &Search) {
        self.files_total += 1;
        self.matches_total += file.matches;
        if self.kept < search.results_max {
            self.kept += if search.depth == Depth::Lines { file.lines.len() } else { 1 };
            self.files.push(file);
        }
    }

    /// Adds the next file that was selected by its path alone.
    pub fn push_path(&mut self, path: MountPath, search: &Search) {
        self.push(FoundFile { path, matches: 0, lines: Vec::new() }, search);
    }

    /// Adds the next file that was searched, if a line of it matches.
    pub fn push_searched(&mut self, searched: Result<FoundFile, Skipped>, search: &Search) {
        match searched {
            Ok(file) if file.matches > 0 => self.push(file, search),
            Ok(_) => {}
            Err(skipped) => self.skipped.add(skipped),
        }
    }
}
