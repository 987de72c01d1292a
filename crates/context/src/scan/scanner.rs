//! Scanner of one project directory.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::time::{ClockId, clock_gettime};

use super::scan_report::ScanReport;
use super::stamp_file;
use super::stamp_file::Remembered;
use super::walk::walk;
use crate::Error;
use crate::bounds::SCAN_THREADS_MAX;
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
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let walked = openat(CWD, &self.root, flags, Mode::empty())
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
