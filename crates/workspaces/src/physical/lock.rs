//! One writer at a time per directory, across threads and processes.
//!
//! The lock is the operating system's advisory lock on the directory itself. It leaves nothing behind and is released
//! when its holder dies.
#![expect(clippy::disallowed_methods, reason = "waiting for another process is this module's job")]

use std::os::fd::OwnedFd;
use std::thread;
use std::time::Instant;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::bounds::{LOCK_PAUSE, LOCK_WAIT};
use crate::store::StoreFault;

/// Locks an open directory until its descriptor is closed. Fails as busy after `LOCK_WAIT`.
pub(super) fn lock(directory: &OwnedFd) -> Result<(), StoreFault> {
    let start = Instant::now();
    loop {
        match rustix::fs::flock(directory, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK) if start.elapsed() < LOCK_WAIT => thread::sleep(LOCK_PAUSE),
            Err(Errno::WOULDBLOCK) => return Err(StoreFault::Busy),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Locks two open directories, in an order that all writers share.
pub(super) fn lock_both(first: &OwnedFd, second: &OwnedFd) -> Result<(), StoreFault> {
    let place = |fd: &OwnedFd| rustix::fs::fstat(fd).map(|stat| (stat.st_dev, stat.st_ino));
    let (one, other) = (place(first)?, place(second)?);
    // A second `flock` through another descriptor of the same directory would wait for the first until it times out.
    if one == other {
        return lock(first);
    }
    // The order by device and inode keeps two writers that move in opposite directions from a deadlock.
    let (before, after) = if one < other { (first, second) } else { (second, first) };
    lock(before)?;
    lock(after)
}
