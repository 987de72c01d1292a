//! Directory listings.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{Dir, FileType, Stat};

use super::open::stat_in;
use crate::bounds::LIST_ENTRIES_HELD_MAX;
use crate::path::check_name;
use crate::store::{DirectoryEntry, DirectoryListing, EntryKind, StoreFault};

/// One entry as its directory stores it.
pub(super) struct RawEntry {
    pub(super) name: String,
    pub(super) kind: EntryKind,
}

/// Returns the entries of an open directory in byte order, and the number of entries with unusable names.
pub(super) fn entries(directory: BorrowedFd<'_>) -> Result<(Vec<RawEntry>, u64), StoreFault> {
    read_entries(&mut Dir::read_from(directory)?)
}

fn read_entries(directory: &mut Dir) -> Result<(Vec<RawEntry>, u64), StoreFault> {
    let mut found = Vec::new();
    let mut unusable = 0;
    while let Some(entry) = directory.read() {
        let entry = entry?;
        let bytes = entry.file_name().to_bytes();
        if matches!(bytes, b"." | b"..") {
            continue;
        }
        let Some(name) = usable(bytes) else {
            // Unfinished writes of Piton are invisible rather than unusable.
            unusable += u64::from(!std::str::from_utf8(bytes).is_ok_and(crate::path::is_temp_name));
            continue;
        };
        if found.len() == LIST_ENTRIES_HELD_MAX {
            return Err(StoreFault::limit("entries in one directory", LIST_ENTRIES_HELD_MAX));
        }
        let kind = match entry.file_type() {
            // Some file systems do not store the type in the directory.
            FileType::Unknown => {
                stat_in(directory.fd()?, name).map_or(EntryKind::Other, |stat| kind_of(&stat))
            }
            known => kind_of_type(known),
        };
        found.push(RawEntry { name: name.to_owned(), kind });
    }
    found.sort_unstable_by(|left, right| left.name.cmp(&right.name));
    Ok((found, unusable))
}

fn usable(name: &[u8]) -> Option<&str> {
    std::str::from_utf8(name).ok().filter(|name| check_name(name).is_ok())
}

/// Returns the entries of an open directory with their sizes. A link has none, because it is not followed.
pub(super) fn listing(directory: OwnedFd) -> Result<DirectoryListing, StoreFault> {
    // Nobody else reads this descriptor, so it need not be opened again to read from the beginning.
    let mut directory = Dir::new(directory)?;
    let (raw, unusable) = read_entries(&mut directory)?;
    let directory = directory.fd()?;
    let entries = raw.into_iter().map(|entry| {
        let bytes = match entry.kind {
            EntryKind::File => {
                stat_in(directory, &*entry.name).map_or(0, |stat| match kind_of(&stat) {
                    EntryKind::File => size(&stat),
                    // The entry was replaced since the directory was read.
                    _ => 0,
                })
            }
            _ => 0,
        };
        DirectoryEntry { name: entry.name, kind: entry.kind, bytes }
    });
    Ok(DirectoryListing { entries: entries.collect(), unusable })
}

/// Returns the kind of entry that the metadata describes.
pub(super) fn kind_of(stat: &Stat) -> EntryKind {
    kind_of_type(FileType::from_raw_mode(stat.st_mode))
}

fn kind_of_type(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::Directory => EntryKind::Directory,
        FileType::RegularFile => EntryKind::File,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    }
}

/// Returns the size that a file claims.
pub(super) fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or_default()
}
