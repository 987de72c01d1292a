//! The held root directory of a Mount, and opening paths beneath it.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::path::Arg;

use super::case_folding::folds;
use super::store::PhysicalOptions;
use crate::path::MountPath;
use crate::store::StoreFault;

/// Flags for opening a file to read: never blocks, never follows a link, never acquires a controlling terminal.
pub(super) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::NOFOLLOW);
const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);

/// The held directory of a Mount.
#[expect(clippy::struct_excessive_bools, reason = "each says something else about the file system")]
pub(super) struct Root {
    pub(super) fd: OwnedFd,
    pub(super) by_kernel: bool,
    /// Set when the file system ignores the case of letters in names.
    pub(super) folds: bool,
    deny_hard_links: bool,
    /// Identity of the Mount itself, which differs from that of anything mounted inside it. `None` if the system does
    /// not report one.
    mount: Option<MountId>,
    /// Set when file systems mounted inside the Mount are followed.
    pub(super) follows_mounts: bool,
}

impl Root {
    /// Opens a directory of the machine and holds it. Links on the way to it are followed, this once. With `by_name`,
    /// paths are walked name by name even where the kernel could resolve them in one call.
    pub(super) fn hold(directory: &Path, options: PhysicalOptions) -> Result<Self, StoreFault> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(directory, flags, Mode::empty())?;
        let folds = folds(&fd, directory);
        // On a file system that folds case, the kernel accepts any spelling of a name, so each name has to be checked
        // against its directory. The trial open finds out whether `openat2` exists here at all.
        let by_kernel = !options.by_name
            && !folds
            && beneath(fd.as_fd(), ".", DIRECTORY, options.mounts).is_ok();
        let mount = mount_id(fd.as_fd()).ok();
        let (deny_hard_links, follows_mounts) = (options.deny_hard_links, options.mounts);
        Ok(Self { fd, by_kernel, folds, deny_hard_links, mount, follows_mounts })
    }

    /// Opens a directory.
    pub(super) fn directory(&self, path: &MountPath) -> Result<OwnedFd, StoreFault> {
        self.open(path, DIRECTORY)
    }

    /// Opens a regular file for reading.
    pub(super) fn file(&self, path: &MountPath) -> Result<(File, Stat), StoreFault> {
        self.regular(self.open(path, READ)?)
    }

    /// Opens the directory that holds a path, and returns it with the last name of the path.
    pub(super) fn parent<'a>(&self, path: &'a MountPath) -> Result<(OwnedFd, &'a str), StoreFault> {
        let (parent, name) = path.split().ok_or(StoreFault::IsDirectory)?;
        let directory = self.directory(&parent)?;
        self.check_spelling(&directory, name)?;
        Ok((directory, name))
    }

    /// Opens a regular file in an open directory for reading.
    pub(super) fn file_in(
        &self,
        directory: &OwnedFd,
        name: &str,
    ) -> Result<(File, Stat), StoreFault> {
        self.check_spelling(directory, name)?;
        // A plain `openat` crosses mounts, so the check that `openat2` does has to be made here.
        let file = one(directory, name, READ)?;
        self.check_mount(file.as_fd())?;
        self.regular(file)
    }

    /// Opens a subdirectory of an open directory.
    pub(super) fn directory_in(
        &self,
        directory: &OwnedFd,
        name: &str,
    ) -> Result<OwnedFd, StoreFault> {
        self.check_spelling(directory, name)?;
        let below = one_directory(directory, name)?;
        self.check_mount(below.as_fd())?;
        Ok(below)
    }

    /// Refuses an entry on a file system mounted inside the Mount, unless those are followed.
    pub(super) fn check_mount(&self, opened: BorrowedFd<'_>) -> Result<(), Errno> {
        if self.follows_mounts { Ok(()) } else { self.check_same_mount(opened) }
    }

    /// Refuses an entry on another mount even if mounts are followed. A mounted file system is neither moved nor
    /// deleted together with the directory that holds it.
    pub(super) fn check_same_mount(&self, opened: BorrowedFd<'_>) -> Result<(), Errno> {
        match &self.mount {
            Some(mount) if mount_id(opened)? != *mount => Err(Errno::XDEV),
            _ => Ok(()),
        }
    }

    pub(super) fn regular(&self, fd: OwnedFd) -> Result<(File, Stat), StoreFault> {
        let stat = rustix::fs::fstat(&fd)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile if self.deny_hard_links && stat.st_nlink > 1 => {
                Err(StoreFault::Link)
            }
            FileType::RegularFile => Ok((File::from(fd), stat)),
            FileType::Directory => Err(StoreFault::IsDirectory),
            _ => Err(StoreFault::NotRegular),
        }
    }

    fn open(&self, path: &MountPath, flags: OFlags) -> Result<OwnedFd, StoreFault> {
        let text = if path.is_root() { "." } else { path.as_str() };
        if self.by_kernel {
            match beneath(self.fd.as_fd(), text, flags, self.follows_mounts) {
                // With `O_NOFOLLOW | O_DIRECTORY` the kernel reports a link as ENOTDIR. The walk finds out which it is.
                Err(Errno::NOTDIR) => {}
                opened => return Ok(opened?),
            }
        }
        Ok(self.walk(path, flags)?)
    }

    /// Opens a path name by name, without following any link.
    fn walk(&self, path: &MountPath, flags: OFlags) -> Result<OwnedFd, Errno> {
        // Every step opens relative to the descriptor of the step before, so replacing a directory that was already
        // passed cannot redirect the walk.
        let mut current = one_directory(&self.fd, ".")?;
        let Some((parent, last)) = path.split() else {
            return Ok(current);
        };
        for name in parent.names() {
            self.check_spelling(&current, name)?;
            current = one_directory(&current, name)?;
            self.check_mount(current.as_fd())?;
        }
        self.check_spelling(&current, last)?;
        let last = one(&current, last, flags)?;
        self.check_mount(last.as_fd())?;
        Ok(last)
    }
}

/// Opens one entry of an open directory without following links.
pub(super) fn one(
    directory: impl AsFd,
    name: impl Arg + Copy,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(&directory, name, flags, Mode::empty()) {
        // A link opened as a directory is reported as ENOTDIR. Stat the name to report it as a link.
        Err(Errno::NOTDIR) => match stat_in(directory, name) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_symlink() => Err(Errno::LOOP),
            _ => Err(Errno::NOTDIR),
        },
        opened => opened,
    }
}

/// Opens a subdirectory of an open directory without following links.
pub(super) fn one_directory(directory: impl AsFd, name: impl Arg + Copy) -> Result<OwnedFd, Errno> {
    one(directory, name, DIRECTORY)
}

/// Returns the metadata of one entry of an open directory without following links.
pub(super) fn stat_in(directory: impl AsFd, name: impl Arg) -> Result<Stat, Errno> {
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
}

impl From<Errno> for StoreFault {
    /// Returns the fault for an error. The text of the error is dropped, because it may name a path.
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT | Errno::NAMETOOLONG => Self::NotFound,
            Errno::LOOP => Self::Link,
            Errno::XDEV => Self::OtherMount,
            Errno::NOTDIR => Self::NotDirectory,
            Errno::ISDIR => Self::IsDirectory,
            Errno::EXIST => Self::Exists,
            Errno::NOTEMPTY => Self::NotEmpty,
            Errno::NXIO | Errno::NODEV => Self::NotRegular,
            Errno::ACCESS | Errno::PERM | Errno::ROFS => Self::Permission,
            Errno::NOSPC | Errno::DQUOT => Self::Full,
            Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::BUSY => Self::Busy,
            _ => Self::Io,
        }
    }
}

/// Resolution rules for the kernel: stay beneath the Mount and cross no links.
#[cfg(target_os = "linux")]
const RESOLVE: rustix::fs::ResolveFlags = rustix::fs::ResolveFlags::BENEATH
    .union(rustix::fs::ResolveFlags::NO_SYMLINKS)
    .union(rustix::fs::ResolveFlags::NO_MAGICLINKS);

/// Returns the resolution rules, which also forbid crossing mounts unless those are followed.
#[cfg(target_os = "linux")]
pub(super) fn resolving(mounts: bool) -> rustix::fs::ResolveFlags {
    if mounts { RESOLVE } else { RESOLVE | rustix::fs::ResolveFlags::NO_XDEV }
}

#[cfg(target_os = "linux")]
fn beneath(
    root: BorrowedFd<'_>,
    path: &str,
    flags: OFlags,
    mounts: bool,
) -> Result<OwnedFd, Errno> {
    rustix::fs::openat2(root, path, flags | OFlags::CLOEXEC, Mode::empty(), resolving(mounts))
}

#[cfg(not(target_os = "linux"))]
fn beneath(_: BorrowedFd<'_>, _: &str, _: OFlags, _: bool) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Identity of a mount: its id where the kernel reports one, otherwise its device. By device, a second mount of the
/// same file system cannot be distinguished from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MountId(u64);

#[cfg(target_os = "linux")]
fn mount_id(opened: BorrowedFd<'_>) -> Result<MountId, Errno> {
    use rustix::fs::StatxFlags;
    match rustix::fs::statx(opened, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID) {
        Ok(stat) if stat.stx_mask & StatxFlags::MNT_ID.bits() != 0 => Ok(MountId(stat.stx_mnt_id)),
        // Linux before 5.8 does not report mount ids.
        _ => rustix::fs::fstat(opened).map(|stat| MountId(stat.st_dev)),
    }
}

#[cfg(not(target_os = "linux"))]
fn mount_id(opened: BorrowedFd<'_>) -> Result<MountId, Errno> {
    rustix::fs::fstat(opened).map(|stat| MountId(stat.st_dev as u64))
}
