//! Creating directories, and removing them again if the change that needed them is not made.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;

use super::errno::fault;
use super::open::Root;
use crate::path::MountPath;
use crate::store::StoreFault;

/// Directories created on the way to a change, outermost first. Dropping this removes those that are still empty.
#[derive(Default)]
pub(super) struct Made(Vec<(OwnedFd, String)>);

impl Made {
    /// Makes the directories durable and keeps them.
    pub(super) fn keep(&mut self) -> Result<(), StoreFault> {
        for (parent, _) in self.0.drain(..) {
            rustix::fs::fsync(&parent).map_err(fault)?;
        }
        Ok(())
    }

    /// Removes the directories that are still empty.
    pub(super) fn undo(&mut self) {
        // Innermost first, because a directory has to be empty to be removed.
        for (parent, name) in self.0.drain(..).rev() {
            let _ = rustix::fs::unlinkat(&parent, &*name, AtFlags::REMOVEDIR);
        }
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        self.undo();
    }
}

impl Root {
    /// Opens a directory; creates it and its missing ancestors first.
    pub(super) fn make(&self, path: &MountPath) -> Result<(OwnedFd, Made), StoreFault> {
        match self.directory(path) {
            Err(StoreFault::NotFound) => {}
            opened => return Ok((opened?, Made::default())),
        }
        // Rebuild the path from the Mount downwards; each step opens relative to the previous descriptor.
        let mut made = Made::default();
        let mut current = self.directory(&MountPath::root())?;
        for name in path.names() {
            let below = match self.directory_in(&current, name) {
                Err(StoreFault::NotFound) => {
                    match rustix::fs::mkdirat(&current, name, Mode::from_raw_mode(0o777)) {
                        Ok(()) => {
                            let parent = current.try_clone().map_err(|_| StoreFault::Busy)?;
                            made.0.push((parent, name.to_owned()));
                        }
                        // Another writer created it first: use it, but leave its removal to that writer.
                        Err(Errno::EXIST) => {}
                        Err(errno) => return Err(fault(errno)),
                    }
                    self.directory_in(&current, name)?
                }
                opened => opened?,
            };
            current = below;
        }
        Ok((current, made))
    }
}
