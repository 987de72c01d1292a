//! The held directory of a Mount, and opening beneath it.

use std::{
    fs::File,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, Stat},
    io::Errno,
};

use super::{errno::fault, folding::folds};
use crate::{path::MountPath, store::Fault};

/// How a file is opened that is read: never blocking, never becoming a terminal.
pub(super) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::NOFOLLOW);
const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);

/// The held directory of a Mount.
pub(super) struct Root {
    pub(super) fd: OwnedFd,
    pub(super) by_kernel: bool,
    /// Whether capital letters are not told from small ones.
    pub(super) folds: bool,
    deny_hard_links: bool,
}

impl Root {
    /// Opens a directory of the machine and holds it. Links on the way to it are followed, this once.
    /// With `by_name`, paths are walked name by name even where the kernel could do it.
    pub(super) fn hold(
        directory: &Path,
        by_name: bool,
        no_hard_links: bool,
    ) -> Result<Self, Fault> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(directory, flags, Mode::empty()).map_err(fault)?;
        let folds = folds(&fd, directory);
        // The kernel would take any spelling for a name.
        let by_kernel = !by_name && !folds && beneath(fd.as_fd(), ".", DIRECTORY).is_ok();
        Ok(Self { fd, by_kernel, folds, deny_hard_links: no_hard_links })
    }

    /// Opens a directory.
    pub(super) fn directory(&self, path: &MountPath) -> Result<OwnedFd, Fault> {
        self.open(path, DIRECTORY)
    }

    /// Opens a regular file to be read.
    pub(super) fn file(&self, path: &MountPath) -> Result<(File, Stat), Fault> {
        self.regular(self.open(path, READ)?)
    }

    /// Opens the directory that holds a path.
    pub(super) fn parent<'a>(&self, path: &'a MountPath) -> Result<(OwnedFd, &'a str), Fault> {
        let (parent, name) = path.split().ok_or(Fault::IsDirectory)?;
        let directory = self.directory(&parent)?;
        self.check_spelling(&directory, name).map_err(fault)?;
        Ok((directory, name))
    }

    /// Opens a regular file of an open directory to be read.
    pub(super) fn file_in(&self, directory: &OwnedFd, name: &str) -> Result<(File, Stat), Fault> {
        self.check_spelling(directory, name).map_err(fault)?;
        self.regular(one(directory.as_fd(), name, READ).map_err(fault)?)
    }

    /// Opens a directory of an open directory.
    pub(super) fn directory_in(&self, directory: &OwnedFd, name: &str) -> Result<OwnedFd, Fault> {
        self.check_spelling(directory, name).map_err(fault)?;
        one_directory(directory, name)
    }

    pub(super) fn regular(&self, fd: OwnedFd) -> Result<(File, Stat), Fault> {
        let stat = rustix::fs::fstat(&fd).map_err(fault)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile if self.deny_hard_links && stat.st_nlink > 1 => Err(Fault::Link),
            FileType::RegularFile => Ok((File::from(fd), stat)),
            FileType::Directory => Err(Fault::IsDirectory),
            _ => Err(Fault::NotRegular),
        }
    }

    fn open(&self, path: &MountPath, flags: OFlags) -> Result<OwnedFd, Fault> {
        let text = if path.is_root() { "." } else { path.as_str() };
        let opened = match self.by_kernel.then(|| beneath(self.fd.as_fd(), text, flags)) {
            // A link that should be a directory is told as no directory; the walk asks what it is.
            Some(Err(Errno::NOTDIR)) | None => self.walk(path, flags),
            Some(opened) => opened,
        };
        opened.map_err(fault)
    }

    /// Opens name by name; no link is followed.
    fn walk(&self, path: &MountPath, flags: OFlags) -> Result<OwnedFd, Errno> {
        let mut current = one(self.fd.as_fd(), ".", DIRECTORY)?;
        let Some((parent, last)) = path.split() else {
            return Ok(current);
        };
        for name in parent.names() {
            self.check_spelling(&current, name)?;
            current = one(current.as_fd(), name, DIRECTORY)?;
        }
        self.check_spelling(&current, last)?;
        one(current.as_fd(), last, flags)
    }
}

/// Opens one entry of an open directory without following it.
pub(super) fn one(directory: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(directory, name, flags, Mode::empty()) {
        // A link that should be a directory is told as no directory: ask what it is.
        Err(Errno::NOTDIR) => {
            match rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_symlink() => Err(Errno::LOOP),
                _ => Err(Errno::NOTDIR),
            }
        }
        opened => opened,
    }
}

/// Opens one directory of an open directory without following it.
pub(super) fn one_directory(directory: &OwnedFd, name: &str) -> Result<OwnedFd, Fault> {
    one(directory.as_fd(), name, DIRECTORY).map_err(fault)
}

/// How the kernel looks for a path: not outside the Mount, and over no link.
#[cfg(target_os = "linux")]
pub(super) const RESOLVE: rustix::fs::ResolveFlags = rustix::fs::ResolveFlags::BENEATH
    .union(rustix::fs::ResolveFlags::NO_SYMLINKS)
    .union(rustix::fs::ResolveFlags::NO_MAGICLINKS);

#[cfg(target_os = "linux")]
fn beneath(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    rustix::fs::openat2(root, path, flags | OFlags::CLOEXEC, Mode::empty(), RESOLVE)
}

#[cfg(not(target_os = "linux"))]
fn beneath(_: BorrowedFd<'_>, _: &str, _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}
