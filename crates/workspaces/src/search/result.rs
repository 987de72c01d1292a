//! What a search found.

use crate::path::MountPath;

/// A line of a file, or of the context around a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// Its number, counted from one.
    pub number: u64,
    /// Its text, cut if it is long.
    pub text: String,
    /// Whether it matches, or stands around a match.
    pub is_match: bool,
}

/// A file that is selected and matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Its path.
    pub path: MountPath,
    /// How many of its lines match; counted to the first one only if no more was asked for.
    pub matches: u64,
    /// Its lines, if they were asked for.
    pub lines: Vec<FoundLine>,
}

/// What a search passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Files that are not text.
    pub binary: u64,
    /// Files and directories that could not be read.
    pub unreadable: u64,
    /// Files that are too large, or have a line that is.
    pub large: u64,
    /// Directories with more entries than a search looks at.
    pub crowded: u64,
    /// Files and directories that lie deeper than a path can say.
    pub deep: u64,
    /// Files and directories whose names cannot be said here: with control characters, or not UTF-8.
    pub unusable: u64,
    /// Directories that are mounted there, where that is not followed.
    pub mounted: u64,
    /// Whether there were more files than a search looks at.
    pub incomplete: bool,
}

impl Skipped {
    /// Whether files may match that were not looked at, because there are too many, or they lie too deep or
    /// cannot be named.
    pub fn is_cut(&self) -> bool {
        self.incomplete || self.crowded > 0 || self.deep > 0 || self.unusable > 0
    }

    /// Adds what another part of the search passed over.
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

/// What a search found, in the order of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The files that are kept.
    pub files: Vec<FoundFile>,
    /// How many files match, kept or not.
    pub files_total: u64,
    /// How many lines match, kept or not.
    pub matches_total: u64,
    /// What was passed over.
    pub skipped: Skipped,
    kept: usize,
}

impl SearchResult {
    /// Nothing yet, but for what was passed over.
    pub fn new(skipped: Skipped) -> Self {
        Self { skipped, ..Self::default() }
    }

    /// Takes in the next file, in the order of paths; keeps it while there is room.
    pub fn push(&mut self, file: FoundFile, by_lines: bool, results_max: usize) {
        self.files_total += 1;
        self.matches_total += file.matches;
        if self.kept < results_max {
            self.kept += if by_lines { file.lines.len() } else { 1 };
            self.files.push(file);
        }
    }
}
