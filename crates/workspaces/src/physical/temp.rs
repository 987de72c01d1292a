//! Unfinished writes: a file beside its target under a name of its own.

use std::{
    fs::File,
    io::Write as _,
    os::fd::{AsFd, OwnedFd},
};

use piton_core::Entropy;
use rustix::fs::{AtFlags, Mode, OFlags};

use super::{
    errno::fault,
    permissions::{Permissions, make_executable},
    remove::remove_tree,
};
use crate::{path::temp_name, store::StoreFault};

/// A name that nothing has, as far as chance goes.
pub(super) fn random_name(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    temp_name(u64::from_le_bytes(bytes))
}

/// Writes a new file beside the target and makes it durable: with these permissions, or with those of any new file, and
/// as a program or none if that is said.
pub(super) fn write_temp(
    directory: &OwnedFd,
    name: &str,
    bytes: &[u8],
    permissions: Option<&Permissions>,
    executable: Option<bool>,
) -> Result<(), StoreFault> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
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
    file.sync_all().map_err(told)
}

/// Removes an unfinished write or an unfinished removal, if it is there.
pub(super) fn discard(directory: &OwnedFd, name: &str) {
    if rustix::fs::unlinkat(directory, name, AtFlags::empty()).is_err() {
        let _ = remove_tree(directory.as_fd(), name);
    }
}
