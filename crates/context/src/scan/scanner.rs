//! The scanner of one project directory.

use std::{
    collections::BTreeSet,
    ops::Bound,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{CWD, Mode, OFlags, openat},
    time::{ClockId, clock_gettime},
};

use super::{report::ScanReport, stamp_cache::Remembered, stamps_file, walk::walk};
use crate::{
    Error,
    bounds::SCAN_THREADS_MAX,
    tree::{Directory, Time, TreePath},
};

/// Which directories are listed again.
#[derive(Clone, Debug, Default)]
pub enum ScanScope {
    /// All of them.
    #[default]
    Everything,
    /// These, and whatever is new in them. The rest of the tree is taken from the last scan.
    Only(Arc<BTreeSet<TreePath>>),
}

impl ScanScope {
    /// Whether the directory at `path` is listed.
    pub(super) fn is_dirty(&self, path: &[u8]) -> bool {
        match self {
            Self::Everything => true,
            Self::Only(paths) => paths.contains(path),
        }
    }

    /// Whether a directory at `path` or below is listed.
    pub(super) fn touches(&self, path: &[u8]) -> bool {
        let Self::Only(paths) = self else {
            return true;
        };
        if path.is_empty() || paths.contains(path) {
            return !paths.is_empty();
        }
        let below = [path, b"/"].concat();
        let next = paths.range::<[u8], _>((Bound::Included(&*below), Bound::Unbounded)).next();
        next.is_some_and(|dirty| dirty.as_bytes().starts_with(&below))
    }
}

/// Scans one project directory, and remembers what it saw.
#[derive(Debug)]
pub struct Scanner {
    root: PathBuf,
    stamps: Option<PathBuf>,
    threads: usize,
    last: Option<Remembered>,
}

/// A scan.
#[derive(Clone, Debug)]
pub struct Scanned {
    /// The tree that was found.
    pub tree: Arc<Directory>,
    /// What was done for it.
    pub report: ScanReport,
}

impl Scanner {
    /// A scanner of the directory `root` that remembers nothing beyond its own life.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { root: root.into(), stamps: None, threads: threads.min(SCAN_THREADS_MAX), last: None }
    }

    /// The same scanner, which keeps what it remembers in the file `path`. The directory of that file must exist.
    #[must_use]
    pub fn with_stamps(mut self, path: impl Into<PathBuf>) -> Self {
        self.stamps = Some(path.into());
        self
    }

    /// The directory that it scans.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Scans the directory. With `force` every file is read, whatever is remembered. Blocks.
    pub fn scan(&mut self, force: bool) -> Result<Scanned, Error> {
        self.scan_only(&ScanScope::Everything, force)
    }

    /// Scans the directories of `scope`, and takes the rest from the last scan. Blocks.
    pub fn scan_only(&mut self, scope: &ScanScope, force: bool) -> Result<Scanned, Error> {
        let remembered = match self.last.take() {
            Some(last) => last,
            None => self.stamps.as_deref().and_then(stamps_file::read).unwrap_or_default(),
        };
        let remembered = Remembered { distrust: force, ..remembered };
        let scope = if remembered.root.is_some() { scope.clone() } else { ScanScope::Everything };
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
        // Stamps that were not looked at are as old as they were.
        let began = if partial_scope { remembered.began } else { began };
        let mut written = remembered.written;
        if !partial_scope
            && (!same || report.hashed_files > 0)
            && let Some(path) = &self.stamps
        {
            // What is not remembered is only read again.
            written = stamps_file::write(path, written.as_ref(), &tree, began).ok();
        }
        self.last =
            Some(Remembered { root: Some(Arc::clone(&tree)), began, distrust: false, written });
        Ok(Scanned { tree, report })
    }
}

/// The time as file systems write it: the clock that only moves with the ticks of the kernel.
fn now() -> Time {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    Time { seconds: now.tv_sec, nanoseconds: u32::try_from(now.tv_nsec).unwrap_or(0) }
}
