//! Small files that the kernel has in memory, read without a wait.
//!
//! Most of what an agent reads was just written or read by somebody. To hand such a read to another thread costs more
//! than the read. So the kernel is asked for the file on the condition that it need not wait: names that are in its
//! cache (`RESOLVE_CACHED`), then bytes that are (`RWF_NOWAIT`). Whatever is not there is read on a thread that may
//! block, as before.
//!
//! *Invariants*: nothing here waits for a disk or a network. The file is opened beneath the Mount by the same rules as
//! any other.

#[cfg(target_os = "linux")]
use std::{
    io::IoSliceMut,
    os::fd::{AsFd as _, OwnedFd},
};

use rustix::fs::Stat;
#[cfg(target_os = "linux")]
use rustix::{
    fs::{Mode, OFlags, ResolveFlags},
    io::ReadWriteFlags,
};

use super::open::Root;
#[cfg(target_os = "linux")]
use super::{list::size, open::READ};
#[cfg(target_os = "linux")]
use crate::bounds::AT_HAND_BYTES_MAX;
use crate::path::MountPath;

/// A file that was at hand.
pub(super) struct CachedFile {
    pub(super) stat: Stat,
    pub(super) bytes: Vec<u8>,
}

#[cfg(target_os = "linux")]
impl Root {
    /// The bytes of a regular file, if it is small and the kernel has it in memory. That there is nothing here says
    /// nothing about the file.
    pub(super) fn at_hand(&self, path: &MountPath) -> Option<CachedFile> {
        let (file, stat) = self.regular(self.open_at_hand(path, READ)?).ok()?;
        let bytes = usize::try_from(size(&stat)).ok()?;
        // A file without a size may have content all the same, as in `/proc`.
        if bytes == 0 || bytes > AT_HAND_BYTES_MAX {
            return None;
        }
        let mut content = vec![0; bytes];
        let mut whole = [IoSliceMut::new(&mut content)];
        let read = rustix::io::preadv2(file.as_fd(), &mut whole, 0, ReadWriteFlags::NOWAIT);
        (read == Ok(bytes)).then_some(CachedFile { stat, bytes: content })
    }

    /// What a path names, if the kernel knows it. Nothing is opened by that: a device would notice.
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
