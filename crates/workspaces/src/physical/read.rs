//! Small files that the kernel has in memory, read without waiting.
//!
//! Most files that an agent reads were read or written just before. Passing such a read to another thread costs more
//! than the read itself. So the kernel is asked for the file on condition that it need not wait: for names in its cache
//! (`RESOLVE_CACHED`), then for bytes in its cache (`RWF_NOWAIT`). Everything else is read on a thread that may block.
//!
//! *Invariants*: nothing here waits for a disk or a network. The file is opened beneath the Mount by the same rules as
//! any other.

#[cfg(target_os = "linux")]
use std::io::IoSliceMut;
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::Stat;
#[cfg(target_os = "linux")]
use rustix::fs::{Mode, OFlags, ResolveFlags};
#[cfg(target_os = "linux")]
use rustix::io::ReadWriteFlags;

#[cfg(target_os = "linux")]
use super::list::size;
#[cfg(target_os = "linux")]
use super::open::READ;
use super::open::Root;
#[cfg(target_os = "linux")]
use crate::bounds::AT_HAND_BYTES_MAX;
use crate::path::MountPath;

/// A file that was in memory.
pub(super) struct CachedFile {
    pub(super) stat: Stat,
    pub(super) bytes: Vec<u8>,
}

#[cfg(target_os = "linux")]
impl Root {
    /// Returns the content of a regular file if it is small and the kernel has it in memory. `None` says nothing about
    /// the file.
    pub(super) fn at_hand(&self, path: &MountPath) -> Option<CachedFile> {
        let (file, stat) = self.regular(self.open_at_hand(path, READ)?).ok()?;
        let bytes = usize::try_from(size(&stat)).ok()?;
        // A file of size zero may still have content, as in `/proc`.
        if bytes == 0 || bytes > AT_HAND_BYTES_MAX {
            return None;
        }
        let mut content = vec![0; bytes];
        let mut whole = [IoSliceMut::new(&mut content)];
        let read = rustix::io::preadv2(file.as_fd(), &mut whole, 0, ReadWriteFlags::NOWAIT);
        // A short read means that the rest is not cached or that the file shrank: leave both to the blocking path.
        (read == Ok(bytes)).then_some(CachedFile { stat, bytes: content })
    }

    /// Returns the metadata of a path if the kernel has it cached. The file is not opened, because a device would
    /// notice.
    pub(super) fn known(&self, path: &MountPath) -> Option<Stat> {
        let found = self.open_at_hand(path, OFlags::PATH | OFlags::NOFOLLOW)?;
        rustix::fs::fstat(found).ok()
    }

    fn open_at_hand(&self, path: &MountPath, flags: OFlags) -> Option<OwnedFd> {
        let resolve = super::open::resolving(self.follows_mounts()) | ResolveFlags::CACHED;
        let name = if path.is_root() { "." } else { path.as_str() };
        let opened = self.by_kernel.then(|| {
            rustix::fs::openat2(&self.fd, name, flags | OFlags::CLOEXEC, Mode::empty(), resolve)
        });
        opened?.ok()
    }
}

#[cfg(not(target_os = "linux"))]
impl Root {
    pub(super) fn at_hand(&self, _: &MountPath) -> Option<CachedFile> {
        None
    }

    pub(super) fn known(&self, _: &MountPath) -> Option<Stat> {
        None
    }
}
