//! File operations that take several calls to a disk.

use std::io;
use std::path::Path;

use super::disk::Disk;

/// Treats an operation on something that does not exist as done.
pub(super) fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
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
