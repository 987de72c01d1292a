//! What a scan did, and what it could not do.

use serde::Serialize;

use crate::{bounds::PROBLEMS_MAX, tree::TreePath};

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

/// Something that could not be taken into the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ScanProblem {
    /// Where.
    pub path: TreePath,
    /// Why.
    pub kind: ProblemKind,
    /// What the operating system said, for example `Permission denied (os error 13)`.
    pub detail: String,
}

/// What a scan did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScanReport {
    /// Files whose content was read.
    pub hashed_files: u64,
    /// Bytes that were read for it.
    pub hashed_bytes: u64,
    /// Files that were recognised by their stamp.
    pub reused_files: u64,
    /// Directories that were listed.
    pub listed_directories: u64,
    /// Entries that the ignore rules left out; what is below an ignored directory is not counted.
    pub ignored_entries: u64,
    /// Sockets, pipes and devices.
    pub special_files: u64,
    /// The first problems, by path.
    pub problems: Vec<ScanProblem>,
    /// All problems.
    pub problem_count: u64,
}

impl ScanReport {
    /// Whether something that should be in the tree is not.
    pub fn is_partial(&self) -> bool {
        self.problem_count > 0
    }

    /// Takes note of a problem.
    pub(super) fn problem(&mut self, problem: ScanProblem) {
        self.problem_count += 1;
        self.problems.push(problem);
        self.keep_first();
    }

    /// Takes in what another thread did.
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

    /// The first by path, so that which ones are told does not depend on the threads.
    fn keep_first(&mut self) {
        self.problems.sort_unstable();
        self.problems.truncate(PROBLEMS_MAX);
    }
}
