//! Report of a scan: the work that it did, and the problems that it met.

use serde::Serialize;

use crate::bounds::PROBLEMS_MAX;
use crate::tree::TreePath;

piton_core::closed_set! {
    /// Why something is not in the tree although it should be.
    pub enum ProblemKind {
        /// It may not be read, or reading failed.
        Unreadable => "unreadable",
        /// It disappeared while the scan ran.
        Vanished => "vanished",
        /// Its name or path is longer than a tree takes.
        TooLong => "too_long",
        /// An ignore file is too large to be read.
        IgnoreFileTooLarge => "ignore_file_too_large",
    }
}

/// An entry that could not be added to the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ScanProblem {
    pub path: TreePath,
    pub kind: ProblemKind,
    /// Message of the operating system, for example `Permission denied (os error 13)`.
    pub detail: String,
}

/// Counters and problems of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScanReport {
    pub hashed_files: u64,
    pub hashed_bytes: u64,
    /// Files that were recognised by their stamp and not read.
    pub reused_files: u64,
    pub listed_directories: u64,
    /// Entries that the ignore rules left out. Entries below an ignored directory are not counted.
    pub ignored_entries: u64,
    /// Sockets, pipes and devices.
    pub special_files: u64,
    /// The first problems in order of path.
    pub problems: Vec<ScanProblem>,
    /// Number of all problems, including those that are not listed.
    pub problem_count: u64,
}

impl ScanReport {
    /// True if something that should be in the tree is missing.
    pub fn is_partial(&self) -> bool {
        self.problem_count > 0
    }

    /// Records a problem.
    pub(super) fn problem(&mut self, problem: ScanProblem) {
        self.problem_count += 1;
        self.problems.push(problem);
        self.keep_first();
    }

    /// Merges the report of another thread.
    pub(super) fn absorb(&mut self, other: Self) {
        self.hashed_files += other.hashed_files;
        self.hashed_bytes += other.hashed_bytes;
        self.reused_files += other.reused_files;
        self.listed_directories += other.listed_directories;
        self.ignored_entries += other.ignored_entries;
        self.special_files += other.special_files;
        self.problem_count += other.problem_count;
        self.problems.extend(other.problems);
        self.keep_first();
    }

    /// Keeps the first problems by path, so that the selection does not depend on the timing of the threads.
    fn keep_first(&mut self) {
        self.problems.sort_unstable();
        self.problems.truncate(PROBLEMS_MAX);
    }
}
