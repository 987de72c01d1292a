//! Reading whole files, and small files that the kernel has in memory without waiting.
//!
//! Most files that an agent reads were read or written just before. Passing such a read to another thread costs more
//! than the read itself. So the kernel is asked for the file on condition that it need not wait: for names in its cache
//! (`RESOLVE_CACHED`), then for bytes in its cache (`RWF_NOWAIT`). Everything else is read on a thread that may block.
//!
//! *Invariants*: a cached read never waits for a disk or a network. The file is opened beneath the Mount by the same rules as
//! any other.

use std::fs::File;
#[cfg(target_os = "linux")]
use std::io::IoSliceMut;
use std::io::Read as _;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd as _;
use std::os::fd::OwnedFd;

use piton_core::{Digest, FileBytes};
use rustix::fs::Stat;
#[cfg(target_os = "linux")]
use rustix::fs::{Mode, OFlags, ResolveFlags};
#[cfg(target_os = "linux")]
use rustix::io::ReadWriteFlags;

use super::list::size;
#[cfg(target_os = "linux")]
use super::open::READ;
use super::open::Root;
#[cfg(target_os = "linux")]
use crate::bounds::AT_HAND_BYTES_MAX;
use crate::bounds::FILE_BYTES_MAX;
use crate::path::MountPath;
use crate::store::StoreFault;

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
        let resolve = super::open::resolving(self.follows_mounts) | ResolveFlags::CACHED;
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

/// Reads an open file of at most `bytes_max` bytes. A file that grows past the limit meanwhile is refused.
pub(super) fn read_all(file: File, stat: &Stat, bytes_max: u64) -> Result<Vec<u8>, StoreFault> {
    let bytes = size(stat);
    if bytes > bytes_max {
        return Err(StoreFault::TooLarge { bytes, max: bytes_max });
    }
    let room = usize::try_from(bytes).expect("the limit fits in memory") + 1;
    let mut content = Vec::with_capacity(room);
    // One byte past the limit is enough to notice that the file grew since its size was read.
    file.take(bytes_max + 1).read_to_end(&mut content).map_err(|_| StoreFault::Io)?;
    if content.len() as u64 > bytes_max {
        return Err(StoreFault::TooLarge { bytes: content.len() as u64, max: bytes_max });
    }
    Ok(content)
}

/// Returns the digest of a file in an open directory, or `None` if it cannot be read or is too large.
pub(super) fn digest_in(
    root: &Root,
    directory: &OwnedFd,
    name: &str,
) -> Result<Option<Digest>, StoreFault> {
    match root.file_in(directory, name) {
        Ok((file, stat)) => {
            let content = read_all(file, &stat, FILE_BYTES_MAX).ok();
            Ok(content.map(|content| Digest::of(&FileBytes(&content))))
        }
        Err(StoreFault::Permission) => Ok(None),
        Err(other) => Err(other),
    }
}
