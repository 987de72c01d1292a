//! Moving files and directories inside a Mount.

use std::os::fd::{AsFd as _, OwnedFd};

use piton_core::Digest;
use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::directories::Made;
use super::errno::fault;
use super::list::kind_of;
use super::lock::lock_both;
use super::no_replace::rename_no_replace;
use super::open::{Root, one_directory};
use super::prepared::{Ready, digest_in};
use crate::mask::Mask;
use crate::path::MountPath;
use crate::store::{Before, EntryKind, StoreFault};

/// A prepared move.
pub(super) struct Renaming {
    from: (OwnedFd, String),
    to: (OwnedFd, String),
    made: Made,
    before: Before,
    _lock: Option<OwnedFd>,
}

impl Root {
    /// Prepares a move. The target must not exist; missing directories above it are created.
    pub(super) fn prepare_move(
        &self,
        from: &MountPath,
        to: &MountPath,
        mask: &Mask,
        lock: Option<OwnedFd>,
    ) -> Result<Renaming, StoreFault> {
        let (source, name) = self.parent(from)?;
        let stat = rustix::fs::statat(&source, name, AtFlags::SYMLINK_NOFOLLOW).map_err(fault)?;
        let kind = kind_of(&stat);
        match kind {
            EntryKind::Link => return Err(StoreFault::Link),
            EntryKind::Other => return Err(StoreFault::NotRegular),
            EntryKind::File | EntryKind::Directory => {}
        }
        let (parent, target_name) = to.split().ok_or(StoreFault::Exists)?;
        let (target, made) = self.make(&parent)?;
        // An early answer only: the rename itself refuses a target that appears after this.
        match rustix::fs::statat(&target, target_name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => {}
            Ok(_) => return Err(StoreFault::Exists),
            Err(errno) => return Err(fault(errno)),
        }
        if lock.is_none() {
            lock_both(&source, &target)?;
        }
        // Inspected under the lock: no writer that takes the lock changes the source before it is moved.
        let before = if kind == EntryKind::File {
            Before::File(digest_in(self, &source, name)?)
        } else {
            let directory = one_directory(&source, name)?;
            // Whatever is mounted in the tree must not be moved along with it.
            self.check_same_mount(directory.as_fd()).map_err(fault)?;
            self.check_tree(&directory, from, mask)?;
            Before::Directory
        };
        Ok(Renaming {
            from: (source, name.to_owned()),
            to: (target, target_name.to_owned()),
            made,
            before,
            _lock: lock,
        })
    }
}

impl Ready for Renaming {
    fn before(&self) -> Before {
        self.before.clone()
    }

    fn after(&self) -> Option<Digest> {
        match self.before {
            Before::File(digest) => digest,
            _ => None,
        }
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        let (from, to) = (&self.from, &self.to);
        rename_no_replace(&from.0, &from.1, &to.0, &to.1)?;
        // The directories that were created have to be durable too, or the moved file could be lost with them.
        self.made.keep()?;
        // The target first: a crash between the two syncs may leave both names, but never neither.
        rustix::fs::fsync(&to.0).map_err(fault)?;
        rustix::fs::fsync(&from.0).map_err(fault)
    }
}
