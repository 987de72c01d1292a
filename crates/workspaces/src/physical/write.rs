//! Writing files: a new file beside the old one, under a temporary name, then one rename. Missing directories above it
//! are created, and removed again if the change that needed them is not made.
//!
//! Nothing is written before the commit. By then the caller has recorded its intent, so the name of an unfinished write
//! that a dead process left behind is always known.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use piton_core::{Digest, Entropy, FileBytes};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::list::size;
use super::lock::lock;
use super::open::Root;
use super::permissions::{Permissions, make_executable};
use super::read::read_all;
use super::remove::remove_tree;
use super::rename::rename_no_replace;
use super::store::prepare_blocking;
use crate::bounds::FILE_BYTES_MAX;
use crate::path::{MountPath, temp_name};
use crate::store::{Before, Expected, Prepared, StoreFault};

/// A write that is ready to be committed.
struct PendingWrite {
    directory: OwnedFd,
    name: String,
    bytes: Arc<[u8]>,
    /// Permissions of the file that is replaced.
    permissions: Option<Permissions>,
    /// New state of the executable bits, if the write changes them.
    executable: Option<bool>,
    /// Name under which the bytes are written before they become the file.
    temp: String,
    made: Made,
    must_be_new: bool,
    _lock: Option<OwnedFd>,
}

/// New content of a file.
pub(super) enum WriteBody<'a> {
    /// Replaces the whole content and, optionally, sets or clears the executable bits.
    Whole(&'a Arc<[u8]>, Option<bool>),
    /// Appends to the current content.
    Added(&'a [u8]),
}

impl Root {
    /// Prepares a write.
    pub(super) fn prepare_write(
        &self,
        path: &MountPath,
        body: &WriteBody<'_>,
        expected: &Expected,
        held: Option<OwnedFd>,
        entropy: &dyn Entropy,
    ) -> Result<Prepared, StoreFault> {
        let (parent, name) = path.split().ok_or(StoreFault::IsDirectory)?;
        // Missing directories are created now, but removed again if the prepared write is dropped without a commit.
        let (directory, made) = self.make(&parent)?;
        // With a quota the caller already holds the lock of the whole Mount.
        if held.is_none() {
            lock(&directory)?;
        }
        let old = self.old(&directory, name)?;
        // A file too large to be hashed may be overwritten blindly, but never compared with an expectation.
        let found = match &old {
            Some(Old { content: Some(content), .. }) => Some(Digest::of(&FileBytes(content))),
            Some(old) if !matches!(expected, Expected::Anything) => {
                return Err(StoreFault::TooLarge { bytes: old.bytes, max: FILE_BYTES_MAX });
            }
            _ => None,
        };
        expected.check(found.as_ref())?;
        let bytes: Arc<[u8]> = match (body, &old) {
            (WriteBody::Whole(bytes, _), _) => Arc::clone(bytes),
            (WriteBody::Added(bytes), None) => Arc::from(*bytes),
            (WriteBody::Added(added), Some(Old { content: Some(content), .. })) => {
                [content, *added].concat().into()
            }
            (WriteBody::Added(_), Some(old)) => {
                return Err(StoreFault::TooLarge { bytes: old.bytes, max: FILE_BYTES_MAX });
            }
        };
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(StoreFault::TooLarge { bytes: bytes.len() as u64, max: FILE_BYTES_MAX });
        }
        let before = if old.is_some() { Before::File(found) } else { Before::Nothing };
        let (after, temp) = (Digest::of(&FileBytes(&bytes)), random_name(entropy));
        let write = PendingWrite {
            directory,
            name: name.to_owned(),
            temp: temp.clone(),
            made,
            permissions: old.map(|old| old.permissions),
            executable: match body {
                WriteBody::Whole(_, executable) => *executable,
                WriteBody::Added(_) => None,
            },
            bytes,
            must_be_new: *expected == Expected::Nothing,
            _lock: held,
        };
        let prepared = prepare_blocking(before, Some(after), move || write.commit());
        Ok(Prepared { temp: Some(temp), ..prepared })
    }

    /// Reads the current state of a file before a write. `None` if it does not exist.
    fn old(&self, directory: &OwnedFd, name: &str) -> Result<Option<Old>, StoreFault> {
        let (file, stat) = match self.file_in(directory, name) {
            Ok(opened) => opened,
            // The name exists in another spelling; writing to it would replace that file.
            Err(StoreFault::NotFound) if self.is_taken(directory, name) => {
                return Err(StoreFault::Exists);
            }
            Err(StoreFault::NotFound) => return Ok(None),
            Err(other) => return Err(other),
        };
        let bytes = size(&stat);
        let permissions = Permissions::of(&file, &stat)?;
        let content = match read_all(file, &stat, FILE_BYTES_MAX) {
            Err(StoreFault::TooLarge { .. }) => None,
            read => Some(read?),
        };
        Ok(Some(Old { content, bytes, permissions }))
    }
}

struct Old {
    content: Option<Vec<u8>>,
    bytes: u64,
    permissions: Permissions,
}

impl PendingWrite {
    fn commit(mut self) -> Result<(), StoreFault> {
        let (directory, temp) = (&self.directory, &*self.temp);
        let (permissions, executable) = (self.permissions.as_ref(), self.executable);
        // First the bytes, durable under a temporary name; then one atomic rename. A crash at any point leaves either
        // the old file or the new one.
        write_temp(directory, temp, &self.bytes, permissions, executable)?;
        // The expectation was checked in preparation, but a program that ignores the lock may have made the file since.
        let renamed = if self.must_be_new {
            rename_no_replace((directory, temp), (directory, &self.name))
        } else {
            rustix::fs::renameat(directory, temp, directory, &*self.name).map_err(Into::into)
        };
        if renamed.is_err() {
            discard(directory, temp);
            return renamed;
        }
        self.made.keep()?;
        // The rename is durable only once the directory is.
        Ok(rustix::fs::fsync(&self.directory)?)
    }
}

/// Returns a random temporary name that, in all likelihood, nothing else has.
pub(super) fn random_name(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    temp_name(u64::from_le_bytes(bytes))
}

/// Writes a new file beside the target and makes it durable. It gets `permissions`, or the defaults of a new file, and
/// its executable bits are set or cleared if `executable` says so.
pub(super) fn write_temp(
    directory: &OwnedFd,
    name: &str,
    bytes: &[u8],
    permissions: Option<&Permissions>,
    executable: Option<bool>,
) -> Result<(), StoreFault> {
    // `O_EXCL` never reuses an existing file, and `O_NOFOLLOW` never writes through a planted link.
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // A replacement may hold private content: it is readable by its owner alone until it has the permissions of the
    // file that it replaces.
    let initial =
        if permissions.is_some() { Mode::RUSR | Mode::WUSR } else { Mode::from_raw_mode(0o666) };
    let fd = rustix::fs::openat(directory, name, flags, initial)?;
    let written = fill(File::from(fd), bytes, permissions, executable);
    if written.is_err() {
        discard(directory, name);
    }
    written
}

fn fill(
    mut file: File,
    bytes: &[u8],
    permissions: Option<&Permissions>,
    executable: Option<bool>,
) -> Result<(), StoreFault> {
    let fault =
        |error: std::io::Error| Errno::from_io_error(&error).map_or(StoreFault::Io, Into::into);
    file.write_all(bytes).map_err(fault)?;
    if let Some(permissions) = permissions {
        permissions.give(&file)?;
    }
    if let Some(executable) = executable {
        make_executable(&file, executable)?;
    }
    // The content has to be on disk before a rename makes the file visible. Otherwise a crash could leave an empty file
    // under the final name.
    file.sync_all().map_err(fault)
}

/// Removes an unfinished write or an unfinished removal, if it exists.
pub(super) fn discard(directory: &OwnedFd, name: &str) {
    // An unfinished removal leaves a directory, which `unlinkat` refuses without `AT_REMOVEDIR`.
    if rustix::fs::unlinkat(directory, name, AtFlags::empty()).is_err() {
        let _ = remove_tree(directory, name);
    }
}

/// Directories created on the way to a change, outermost first. Dropping this removes those that are still empty.
#[derive(Default)]
pub(super) struct Made(Vec<(OwnedFd, String)>);

impl Made {
    /// Makes the directories durable and keeps them.
    pub(super) fn keep(&mut self) -> Result<(), StoreFault> {
        for (parent, _) in self.0.drain(..) {
            rustix::fs::fsync(&parent)?;
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
                        Err(errno) => return Err(errno.into()),
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
