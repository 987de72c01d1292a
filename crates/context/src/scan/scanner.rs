//! Scanner of one project directory, the scope of a scan, and its report: the work that it did, and the problems that
//! it met.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use super::stamp_file::Remembered;
use super::walk::walk;
use super::{disk, stamp_file};
use crate::Error;
use crate::bounds::{PROBLEMS_MAX, SCAN_THREADS_MAX};
use crate::tree::{Directory, Time, TreePath};

/// The set of directories that a scan lists again.
#[derive(Clone, Debug, Default)]
pub enum ScanScope {
    #[default]
    Everything,
    /// These directories, and everything new in them. The rest of the tree is taken from the last scan.
    Only(Arc<BTreeSet<TreePath>>),
}

impl ScanScope {
    /// True if the directory at `path` is listed.
    pub(super) fn is_dirty(&self, path: &[u8]) -> bool {
        match self {
            Self::Everything => true,
            Self::Only(paths) => paths.contains(path),
        }
    }

    /// True if the directory at `path`, or one below it, is listed.
    pub(super) fn touches(&self, path: &[u8]) -> bool {
        let Self::Only(paths) = self else {
            return true;
        };
        if path.is_empty() || paths.contains(path) {
            return !paths.is_empty();
        }
        // Paths are sorted, so everything below `path` directly follows `path/`.
        let below = [path, b"/"].concat();
        let next = paths.range::<[u8], _>((Bound::Included(&*below), Bound::Unbounded)).next();
        next.is_some_and(|dirty| dirty.as_bytes().starts_with(&below))
    }
}

/// Scans one project directory and remembers the result.
#[derive(Debug)]
pub struct Scanner {
    root: PathBuf,
    stamps: Option<PathBuf>,
    threads: usize,
    last: Option<Remembered>,
}

/// Result of a scan.
#[derive(Clone, Debug)]
pub struct Scanned {
    pub tree: Arc<Directory>,
    pub report: ScanReport,
}

impl Scanner {
    /// Creates a scanner of the directory `root` that keeps its memory only as long as it lives.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { root: root.into(), stamps: None, threads: threads.min(SCAN_THREADS_MAX), last: None }
    }

    /// Keeps the remembered scan in the file `path`, whose directory must exist.
    #[must_use]
    pub fn with_stamps(mut self, path: impl Into<PathBuf>) -> Self {
        self.stamps = Some(path.into());
        self
    }

    /// Returns the directory that is scanned.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Scans the directory. With `force`, reads every file whatever is remembered. Blocks.
    pub fn scan(&mut self, force: bool) -> Result<Scanned, Error> {
        self.scan_only(&ScanScope::Everything, force)
    }

    /// Scans the directories in `scope` and takes the rest from the last scan. Blocks.
    pub fn scan_only(&mut self, scope: &ScanScope, force: bool) -> Result<Scanned, Error> {
        let remembered = match self.last.take() {
            Some(last) => last,
            None => self.stamps.as_deref().and_then(stamp_file::read).unwrap_or_default(),
        };
        let remembered = Remembered { distrust: force, ..remembered };
        // Without a remembered tree there is nothing to take the rest from.
        let scope = if remembered.root.is_some() { scope.clone() } else { ScanScope::Everything };
        // Read the clock before the first file: a file that changes during the scan must count as too recent to trust.
        let began = now();
        let walked = disk::open_root(&self.root)
            .and_then(|root| walk(root, &remembered, &scope, self.threads));
        let (tree, report) = walked.map_err(|error| Error::Unscannable {
            path: self.root.display().to_string(),
            reason: std::io::Error::from(error).to_string(),
        })?;
        let same = remembered.root.as_ref().is_some_and(|known| Arc::ptr_eq(known, &tree));
        let partial_scope = matches!(scope, ScanScope::Only(_));
        // Stamps that were not checked are as old as before.
        let began = if partial_scope { remembered.began } else { began };
        let mut written = remembered.written;
        if !partial_scope
            && (!same || report.hashed_files > 0)
            && let Some(path) = &self.stamps
        {
            // Ignore a failed write: files that are not remembered are simply read again.
            written = stamp_file::write(path, written.as_ref(), &tree, began).ok();
        }
        self.last =
            Some(Remembered { root: Some(Arc::clone(&tree)), began, distrust: false, written });
        Ok(Scanned { tree, report })
    }
}

/// Current time as file systems record it: the coarse clock, which advances only with kernel ticks.
fn now() -> Time {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    Time { seconds: now.tv_sec, nanoseconds: u32::try_from(now.tv_nsec).unwrap_or(0) }
}

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
