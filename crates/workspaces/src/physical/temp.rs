//! Unfinished writes: a file beside its target under a name of its own.

use std::{
    fs::File,
    io::Write as _,
    os::fd::{AsFd, OwnedFd},
};

use piton_core::Entropy;
use rustix::{
    fs::{AtFlags, Gid, Mode, OFlags, Stat, Uid, XattrFlags},
    io::Errno,
};

use super::{errno::fault, remove::remove_tree};
use crate::{bounds::ACCESS_LIST_BYTES_MAX, path::temp_name, store::Fault};

/// A name that nothing has, as far as chance goes.
pub(super) fn random_name(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    temp_name(u64::from_le_bytes(bytes))
}

/// Who may do what with a file.
pub(super) struct Permissions {
    owner: Uid,
    group: Gid,
    mode: Mode,
    /// The list for single users and groups, where the file has one. With one, the mode has the rights of the owning
    /// group no more: without it they would become others.
    list: Option<Vec<u8>>,
}

const ACCESS_LIST: &str = "system.posix_acl_access";

impl Permissions {
    /// Those of an open file. The right to run as somebody else is not among them.
    pub(super) fn of(file: &File, stat: &Stat) -> Result<Self, Fault> {
        let mode = Mode::from_raw_mode(stat.st_mode & 0o777);
        let (owner, group) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
        let mut list = vec![0; ACCESS_LIST_BYTES_MAX];
        let list = match rustix::fs::fgetxattr(file, ACCESS_LIST, &mut list) {
            Ok(bytes) => Some(list[..bytes].to_vec()),
            Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => None,
            // Other systems keep such lists elsewhere, and Piton does not carry them over.
            Err(_) if cfg!(not(target_os = "linux")) => None,
            Err(errno) => return Err(fault(errno)),
        };
        Ok(Self { owner, group, mode, list })
    }

    fn give(&self, file: &File) -> Result<(), Fault> {
        let mode = if self.give_to_group(file)? { self.mode } else { for_no_group(self.mode) };
        rustix::fs::fchmod(file, mode).map_err(fault)?;
        let Some(list) = &self.list else { return Ok(()) };
        rustix::fs::fsetxattr(file, ACCESS_LIST, list, XattrFlags::empty()).map_err(fault)
    }

    /// Gives the file to whom it belonged, as far as this process may; says whether the group got it. Only root can
    /// give a file to another user, and others give it to a group that they are in.
    fn give_to_group(&self, file: &File) -> Result<bool, Fault> {
        let made = rustix::fs::fstat(file).map_err(fault)?;
        let give =
            |owner: Option<Uid>, group: Option<Gid>| match rustix::fs::fchown(file, owner, group) {
                Ok(()) => Ok(true),
                Err(Errno::PERM | Errno::INVAL) => Ok(false),
                Err(errno) => Err(fault(errno)),
            };
        let has_group = made.st_gid == self.group.as_raw() || give(None, Some(self.group))?;
        if made.st_uid != self.owner.as_raw() {
            give(Some(self.owner), None)?;
        }
        Ok(has_group)
    }
}

/// A mode for a file that its group could not keep: the group that has it now is nobody in particular.
fn for_no_group(mode: Mode) -> Mode {
    let others = mode & Mode::RWXO;
    (mode - Mode::RWXG) | Mode::from_raw_mode(others.as_raw_mode() << 3)
}

/// Writes a new file beside the target and makes it durable: with these permissions, or with those of any new file.
pub(super) fn write_temp(
    directory: &OwnedFd,
    name: &str,
    bytes: &[u8],
    permissions: Option<&Permissions>,
) -> Result<(), Fault> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let initial =
        if permissions.is_some() { Mode::RUSR | Mode::WUSR } else { Mode::from_raw_mode(0o666) };
    let fd = rustix::fs::openat(directory, name, flags, initial).map_err(fault)?;
    let written = fill(File::from(fd), bytes, permissions);
    if written.is_err() {
        discard(directory, name);
    }
    written
}

fn fill(mut file: File, bytes: &[u8], permissions: Option<&Permissions>) -> Result<(), Fault> {
    let told =
        |error: std::io::Error| rustix::io::Errno::from_io_error(&error).map_or(Fault::Io, fault);
    file.write_all(bytes).map_err(told)?;
    if let Some(permissions) = permissions {
        permissions.give(&file)?;
    }
    file.sync_all().map_err(told)
}

/// Removes an unfinished write or an unfinished removal, if it is there.
pub(super) fn discard(directory: &OwnedFd, name: &str) {
    if rustix::fs::unlinkat(directory, name, AtFlags::empty()).is_err() {
        let _ = remove_tree(directory.as_fd(), name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_gets_a_file_by_chance_may_do_what_everybody_may() {
        for (mode, left) in [(0o660, 0o600), (0o664, 0o644), (0o775, 0o755), (0o607, 0o677)] {
            assert_eq!(for_no_group(Mode::from_raw_mode(mode)), Mode::from_raw_mode(left));
        }
    }
}
