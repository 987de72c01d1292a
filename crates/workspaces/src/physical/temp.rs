//! Unfinished writes: a temporary file beside its target, under a name of its own.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd, OwnedFd};

use piton_core::Entropy;
use rustix::fs::{AtFlags, Mode, OFlags};

use super::errno::fault;
use super::permissions::{Permissions, make_executable};
use super::remove::remove_tree;
use crate::path::temp_name;
use crate::store::StoreFault;

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
    let fd = rustix::fs::openat(directory, name, flags, initial).map_err(fault)?;
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
    let told = |error: std::io::Error| {
        rustix::io::Errno::from_io_error(&error).map_or(StoreFault::Io, fault)
    };
    file.write_all(bytes).map_err(told)?;
    if let Some(permissions) = permissions {
        permissions.give(&file)?;
    }
    if let Some(executable) = executable {
        make_executable(&file, executable)?;
    }
    // The content has to be on disk before a rename makes the file visible. Otherwise a crash could leave an empty file
    // under the final name.
    file.sync_all().map_err(told)
}

/// Removes an unfinished write or an unfinished removal, if it exists.
pub(super) fn discard(directory: &OwnedFd, name: &str) {
    // An unfinished removal leaves a directory, which `unlinkat` refuses without `AT_REMOVEDIR`.
    if rustix::fs::unlinkat(directory, name, AtFlags::empty()).is_err() {
        let _ = remove_tree(directory.as_fd(), name);
    }
}
