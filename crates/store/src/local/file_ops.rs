//! File operations that take several calls to a disk.

use std::path::{Path, PathBuf};
use std::{io, process};

use piton_core::{Digest, FileBytes};

use super::disk::Disk;

/// Treats an operation on something that does not exist as done.
pub(super) fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Reads a file; `None` if there is none, or if it is longer than such a file can be.
pub(super) fn read_if_fits(
    disk: &dyn Disk,
    path: &Path,
    len_max: u64,
) -> io::Result<Option<Vec<u8>>> {
    match disk.read(path, len_max) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => match error.kind() {
            // A file may stand where a directory above it would.
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::FileTooLarge => Ok(None),
            _ => Err(error),
        },
    }
}

/// Returns the names in a directory, in no particular order; none if the directory does not exist.
pub(super) fn names_in(disk: &dyn Disk, dir: &Path) -> io::Result<Vec<String>> {
    match disk.list(dir) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(Vec::new())
        }
        names => names,
    }
}

/// Returns `path` with a suffix added to its file name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns the first of `stem-1`, `stem-2`, … that is not taken in `dir`.
pub(super) fn free_name(disk: &dyn Disk, dir: &Path, stem: &str) -> io::Result<String> {
    for number in 1..u32::MAX {
        let name = format!("{stem}-{number}");
        if disk.stat(&dir.join(&name))?.is_none() {
            return Ok(name);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes a file, unless it is gone already.
pub(super) fn remove(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    unless_gone(disk.remove_file(path))
}

/// Removes a directory and everything in it. Files that others remove meanwhile do not matter.
pub(super) fn remove_all(disk: &dyn Disk, dir: &Path) -> io::Result<()> {
    for name in names_in(disk, dir)? {
        let path = dir.join(name);
        match disk.stat(&path)? {
            Some(stat) if stat.is_dir => remove_all(disk, &path)?,
            _ => remove(disk, &path)?,
        }
    }
    unless_gone(disk.remove_dir(dir))
}

/// Returns the number of files at and below a path, and their bytes.
pub(super) fn tree_size(disk: &dyn Disk, path: &Path) -> io::Result<(u64, u64)> {
    match disk.stat(path)? {
        Some(stat) if stat.is_dir => {
            let mut total = (0, 0);
            for name in names_in(disk, path)? {
                let (files, bytes) = tree_size(disk, &path.join(name))?;
                total = (total.0 + files, total.1 + bytes);
            }
            Ok(total)
        }
        stat => Ok((u64::from(stat.is_some()), stat.map_or(0, |stat| stat.len))),
    }
}

/// Writes a new file and syncs it, replacing what a dead writer may have left under its name.
pub(super) fn write_new(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = match disk.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Removed rather than overwritten: the old file may be longer, and its earlier sync may have failed.
            disk.remove_file(path)?;
            disk.create(path)?
        }
        result => result?,
    };
    file.write_all_at(0, bytes)?;
    file.sync()
}

/// Replaces the content of a file in one step, durably: writes it as `fresh`, in the same directory, and renames that.
/// One writer at a time.
pub(super) fn replace(disk: &dyn Disk, path: &Path, fresh: &Path, bytes: &[u8]) -> io::Result<()> {
    // The new content is synced before it gets the name, and the name before this returns: a crash leaves the old file
    // or the new one.
    write_new(disk, fresh, bytes)?;
    disk.rename(fresh, path)?;
    disk.sync_dir(path.parent().expect("a file lies in a directory"))
}

/// Size of the digest in front of a content.
pub(super) const DIGEST_BYTES: usize = 32;

/// Reads a file of [`write_unsynced`]. Returns `None` if there is none, or not as it was written.
pub(super) fn read_unsynced(
    disk: &dyn Disk,
    path: &Path,
    content_max: usize,
) -> io::Result<Option<Vec<u8>>> {
    let longest = (DIGEST_BYTES + content_max) as u64;
    let Some(mut bytes) = read_if_fits(disk, path, longest)? else { return Ok(None) };
    let Some((digest, content)) = bytes.split_first_chunk::<DIGEST_BYTES>() else {
        return Ok(None);
    };
    if Digest::of(&FileBytes(content)).as_bytes() != digest {
        return Ok(None);
    }
    bytes.drain(..DIGEST_BYTES);
    Ok(Some(bytes))
}

/// Replaces a file in one step, but not durably: after a power cut it may be empty or torn, which the digest in front of
/// its content reveals. `number` tells apart the unfinished files of this process. The file has no dot in its name.
pub(super) fn write_unsynced(
    disk: &dyn Disk,
    path: &Path,
    number: u64,
    content: &[u8],
) -> io::Result<()> {
    // No finished file has a dot in its name, so this is never taken for one.
    let fresh = path.with_extension(format!("{}-{number}.new", process::id()));
    let written = (|| {
        let mut file = disk.create(&fresh)?;
        file.write_all_at(0, Digest::of(&FileBytes(content)).as_bytes())?;
        file.write_all_at(DIGEST_BYTES as u64, content)?;
        drop(file);
        disk.rename(&fresh, path)
    })();
    if written.is_err() {
        // The error that led here is the one to report.
        let _ = disk.remove_file(&fresh);
    }
    written
}
