//! Data that was taken out of a stream and is kept beside it.
//!
//! | name | is |
//! |---|---|
//! | `repair-<n>/` | what a repair took away: the control file as it was, and the files behind its valid part |
//! | `<control>.torn-<n>` | bytes of a write that a crash cut off |
//! | `events/<segment>.aside-<n>` | a segment that nothing attested and whose name a later plan needed |

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use piton_core::Digest;

use super::stream_dir::StreamDir;
use crate::Error;
use crate::bounds::{PLAN_BYTES_MAX, STREAM_BYTES_MAX};
use crate::local::disk::Disk;
use crate::local::file_ops::{
    free_name, names_in, remove, replace, tree_size, unless_gone, write_new,
};
use crate::port::SetAside;
use crate::record::SEGMENTS;
use crate::roots::whole_digests_in;

/// Prefix of the directories of repairs.
const REPAIR: &str = "repair";

/// Lists what is kept beside a stream, by name.
pub(super) fn list(stream_dir: &StreamDir) -> Result<Vec<SetAside>, Error> {
    let look = || names(stream_dir)?.into_iter().map(|name| describe(stream_dir, name)).collect();
    let look: io::Result<Vec<SetAside>> = look();
    look.map_err(Error::io("look at what was set aside"))
}

/// Returns the names of what is kept beside a stream, in byte order.
fn names(stream_dir: &StreamDir) -> io::Result<Vec<String>> {
    let disk = stream_dir.disk().as_ref();
    let mut names = names_in(disk, &stream_dir.dir)?;
    names.retain(|name| number(name).is_some() || name.contains(".torn-"));
    let segments = names_in(disk, &stream_dir.dir.join(SEGMENTS))?.into_iter();
    let segments = segments.filter(|name| name.contains(".aside-"));
    names.extend(segments.map(|name| format!("{SEGMENTS}/{name}")));
    names.sort_unstable();
    Ok(names)
}

/// Adds every digest in what is kept beside a stream to `found`.
pub(super) fn digests(stream_dir: &StreamDir, found: &mut BTreeSet<Digest>) -> Result<(), Error> {
    let mut look = || {
        let read = |name: String| {
            digests_below(stream_dir.disk().as_ref(), &stream_dir.dir.join(name), found)
        };
        names(stream_dir)?.into_iter().try_for_each(read)
    };
    look().map_err(Error::io("read what was set aside"))
}

fn digests_below(disk: &dyn Disk, path: &Path, found: &mut BTreeSet<Digest>) -> io::Result<()> {
    match disk.stat(path)? {
        // It was removed in the meantime.
        None => Ok(()),
        Some(stat) if stat.is_dir => {
            let mut names = names_in(disk, path)?.into_iter();
            names.try_for_each(|name| digests_below(disk, &path.join(name), found))
        }
        Some(_) => {
            let name = |error: io::Error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            };
            found.extend(whole_digests_in(&disk.read(path, STREAM_BYTES_MAX).map_err(name)?));
            Ok(())
        }
    }
}

/// Returns the number of a repair's directory called `name`.
fn number(name: &str) -> Option<u32> {
    name.strip_prefix(REPAIR)?.strip_prefix('-')?.parse().ok()
}

/// Describes what is kept under `name`.
pub(super) fn describe(stream_dir: &StreamDir, name: String) -> io::Result<SetAside> {
    let path = stream_dir.dir.join(&name);
    let (files, bytes) = tree_size(stream_dir.disk().as_ref(), &path)?;
    let place = path.display().to_string();
    Ok(SetAside { stream: stream_dir.stream.clone(), name, place, files, bytes })
}

/// Copies the control file, whose bytes are `control`, and the files behind its valid part into a directory, durably.
/// Then removes those files, but not the control file. Returns the name of the directory, or `None` if there is nothing
/// to keep.
///
/// Everything is copied and synced before anything is removed. The control file stays as it is, so that every process
/// sees a damaged stream until the caller replaces it. An interrupted repair is continued in its own directory.
pub(super) fn take_away(
    stream_dir: &StreamDir,
    control: &[u8],
    behind: &[PathBuf],
) -> io::Result<Option<String>> {
    if control.is_empty() && behind.is_empty() {
        // An interrupted repair may have taken everything away without making that durable.
        sync_names(stream_dir)?;
        return Ok(None);
    }
    let disk = stream_dir.disk().as_ref();
    let control_name = stream_dir.control.file_name().expect("a control file has a name");
    let name = directory(stream_dir, control, Path::new(control_name))?;
    let backup = stream_dir.dir.join(&name);
    // It exists already if an interrupted repair is being continued.
    disk.create_dir(&backup)?;
    if !control.is_empty() {
        replace(disk, &backup.join(control_name), &backup.join("copy.tmp"), control)?;
    }
    // Copied rather than moved: until everything is durable in the copy, the stream keeps all its files.
    for file in behind {
        copy(disk, &stream_dir.dir.join(file), &backup)?;
    }
    // Contents, their names, and the directory's own name: all durable before the first removal.
    disk.sync_dir(&backup)?;
    disk.sync_dir(&stream_dir.dir)?;
    for file in behind {
        remove(disk, &stream_dir.dir.join(file))?;
    }
    // Needed even if nothing was removed: an earlier repair that did the removing may not have got here.
    sync_names(stream_dir)?;
    Ok(Some(name))
}

/// Makes the names of the stream and of its segments durable as they are.
pub(super) fn sync_names(stream_dir: &StreamDir) -> io::Result<()> {
    unless_gone(stream_dir.disk().sync_dir(&stream_dir.dir.join(SEGMENTS)))?;
    stream_dir.disk().sync_dir(&stream_dir.dir)
}

/// Returns the directory of the newest repair if that did not finish, and otherwise a free name.
///
/// A repair finishes by replacing the control file. If the newest directory is empty, or holds a copy of the control
/// file that is still in place, that repair did not finish or took nothing from the control file. In both cases more
/// can be added to the directory.
fn directory(stream_dir: &StreamDir, control: &[u8], control_name: &Path) -> io::Result<String> {
    let disk = stream_dir.disk().as_ref();
    let newest = names_in(disk, &stream_dir.dir)?.iter().filter_map(|name| number(name)).max();
    let Some(newest) = newest else { return free_name(disk, &stream_dir.dir, REPAIR) };
    let name = format!("{REPAIR}-{newest}");
    let copy = stream_dir.dir.join(&name).join(control_name);
    let is_same = match disk.read(&copy, control.len() as u64) {
        Ok(copied) => copied == control,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            control.is_empty() || names_in(disk, &stream_dir.dir.join(&name))?.is_empty()
        }
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => false,
        Err(error) => return Err(error),
    };
    if is_same { Ok(name) } else { free_name(disk, &stream_dir.dir, REPAIR) }
}

/// Copies a file into `backup` under a name that no other content has there.
fn copy(disk: &dyn Disk, source: &Path, backup: &Path) -> io::Result<()> {
    let name = source.file_name().and_then(|name| name.to_str()).unwrap_or("file");
    let target = backup.join(name);
    let bytes = match disk.read(source, PLAN_BYTES_MAX as u64) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            // No segment is this long, but the file is kept in full all the same.
            return disk.rename(source, &backup.join(free_name(disk, backup, name)?));
        }
        Err(error) => return Err(error),
    };
    let is_other = match disk.read(&target, bytes.len() as u64) {
        // An interrupted repair may have begun with this file. It is written again: its sync may have failed, and a
        // later sync says nothing about bytes from before.
        Ok(copied) => !bytes.starts_with(&copied),
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => true,
        Err(error) => return Err(error),
    };
    let target = if is_other { backup.join(free_name(disk, backup, name)?) } else { target };
    write_new(disk, &target, &bytes)
}
