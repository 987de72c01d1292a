//! Walks a directory on several threads.

use std::{
    os::fd::OwnedFd,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use rustix::io::Errno;

use super::{
    listing::Listed, open_directory::OpenDirectory, queue::TaskQueue, report::ScanReport,
    rules::Rules, scanner::ScanScope, stamp_cache::Remembered, walker::Walker,
};
use crate::tree::{Directory, Name};

/// A unit of work of a scan.
pub(super) enum ScanTask {
    /// Starts with the topmost directory.
    Root(OwnedFd),
    /// Opens a directory below another one and lists it.
    Enter(Arc<OpenDirectory>, Name, ScanScope),
    /// Examines some entries of a directory.
    Examine(Arc<OpenDirectory>, Vec<Listed>),
}

/// Walks the directory `root` and returns its tree and a report.
///
/// Fails only if the topmost directory cannot be listed. Everything else that cannot be read is in the report.
pub(super) fn walk(
    root: OwnedFd,
    remembered: &Remembered,
    scope: &ScanScope,
    threads: usize,
) -> Result<(Arc<Directory>, ScanReport), Errno> {
    let queue = TaskQueue::new(ScanTask::Root(root));
    let outcome = Mutex::new((None, ScanReport::default(), None));
    let work = || {
        let mut walker = Walker::new(remembered);
        queue.work(|task, more| match task {
            ScanTask::Root(fd) => {
                let known = remembered.root.clone();
                walker.root(fd, known, &Rules::default(), scope.clone(), more);
            }
            ScanTask::Enter(above, name, scope) => walker.enter(&above, &name, scope, more),
            ScanTask::Examine(site, listed) => walker.examine(&site, listed, more),
        });
        // Each thread merges its results once at the end, so the lock is never contended during the walk.
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        outcome.0 = outcome.0.take().or(walker.finished);
        outcome.1.absorb(walker.report);
        outcome.2 = outcome.2.or(walker.failed);
    };
    thread::scope(|scope| {
        // This thread works as well.
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let (tree, report, failed) = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failed {
        Some(error) => Err(error),
        None => Ok((tree.expect("every task was done, so the topmost directory is"), report)),
    }
}
