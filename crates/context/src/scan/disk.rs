//! System calls of a scan: lists directories, hashes files, and reads the targets of links and the text of ignore files.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use piton_core::{Digest, DigestBuilder};
use rustix::fs::{CWD, FileType, Mode, OFlags, RawDir, Stat, fstat, openat, readlinkat};
use rustix::io::{Errno, read};

use crate::bounds::{IGNORE_FILE_BYTES_MAX, IGNORE_PIECE_BYTES, LISTING_BYTES, READ_BUFFER_BYTES};
use crate::tree::{FileStamp, Time};

/// A file whose content was read and hashed.
pub(super) struct ScannedContent {
    pub(super) digest: Digest,
    pub(super) bytes: u64,
    pub(super) executable: bool,
    pub(super) stamp: FileStamp,
}

/// Converts a `stat` result to a file stamp.
pub(super) fn stamp(stat: &Stat) -> FileStamp {
    let time = |seconds: i64, nanoseconds: u64| Time {
        seconds,
        nanoseconds: u32::try_from(nanoseconds).unwrap_or(0),
    };
    FileStamp {
        size: u64::try_from(stat.st_size).unwrap_or(0),
        modified: time(stat.st_mtime, stat.st_mtime_nsec),
        changed: time(stat.st_ctime, stat.st_ctime_nsec),
        inode: stat.st_ino,
    }
}

/// True if the owner of the file may execute it.
pub(super) fn is_executable(stat: &Stat) -> bool {
    Mode::from_raw_mode(stat.st_mode).contains(Mode::XUSR)
}

/// Opens the topmost directory. Links on the way to it are followed.
pub(super) fn open_root(path: &Path) -> Result<OwnedFd, Errno> {
    openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// Opens a directory relative to its parent without following links, which keeps a walk inside the tree.
pub(super) fn open_below(directory: impl AsFd, name: &[u8]) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(directory, name, flags, Mode::empty())
}

fn open(directory: impl AsFd, name: &[u8]) -> Result<OwnedFd, Errno> {
    // Nonblocking, so that a pipe that replaced a file cannot hang the scan.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    openat(directory, name, flags, Mode::empty())
}

/// Reads a file piece by piece. Returns `None` if it is no longer a regular file.
pub(super) fn read_file(
    directory: impl AsFd,
    name: &[u8],
    buffer: &mut Vec<u8>,
) -> Result<Option<ScannedContent>, Errno> {
    let file = open(directory, name)?;
    // Check the open descriptor, not the name: the entry may have been replaced since it was listed.
    let stat = fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    buffer.resize(READ_BUFFER_BYTES, 0);
    let stamp = stamp(&stat);
    let mut digest = DigestBuilder::new();
    let mut bytes = 0;
    loop {
        let count = match read(&file, &mut *buffer) {
            Err(Errno::INTR) => continue,
            read => read?,
        };
        digest.update(&buffer[..count]);
        bytes += count as u64;
        // Stop at the size of the stamp. Bytes appended later change the stamp, so the next scan sees them.
        if count == 0 || bytes >= stamp.size {
            break;
        }
    }
    Ok(Some(ScannedContent {
        digest: digest.finish(),
        bytes,
        executable: is_executable(&stat),
        stamp,
    }))
}

/// Returns the target of a symbolic link.
pub(super) fn read_link(directory: impl AsFd, name: &[u8]) -> Result<Box<[u8]>, Errno> {
    Ok(readlinkat(directory, name, Vec::new())?.into_bytes().into())
}

/// Returns the text of an ignore file, or `None` if it is too large. The text is empty if it is not a regular file; git
/// does not read such a file either.
pub(super) fn read_rules(directory: impl AsFd, name: &[u8]) -> Result<Option<Vec<u8>>, Errno> {
    let file = match open(directory, name) {
        // `NOFOLLOW` reports a symbolic link as a loop.
        Err(Errno::LOOP) => return Ok(Some(Vec::new())),
        file => file?,
    };
    let stat = fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(Some(Vec::new()));
    }
    let mut text = Vec::new();
    let mut piece = [0; IGNORE_PIECE_BYTES];
    loop {
        match read(&file, &mut piece) {
            Err(Errno::INTR) => {}
            Ok(0) => return Ok(Some(text)),
            Ok(count) => text.extend_from_slice(&piece[..count]),
            Err(error) => return Err(error),
        }
        if text.len() > IGNORE_FILE_BYTES_MAX {
            return Ok(None);
        }
    }
}

/// An entry as the directory listing reports it.
pub(super) struct Listed {
    pub(super) name: Box<[u8]>,
    /// Type at the time of the listing. Some file systems do not report it.
    pub(super) file_type: FileType,
}

/// Lists the names in a directory, without `.` and `..`, in no particular order. `buffer` is reused to save
/// allocations.
pub(super) fn list(directory: impl AsFd, buffer: &mut Vec<u8>) -> Result<Vec<Listed>, Errno> {
    let mut listed = Vec::new();
    buffer.clear();
    buffer.reserve(LISTING_BYTES);
    let mut reader = RawDir::new(directory, buffer.spare_capacity_mut());
    while let Some(entry) = reader.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            listed.push(Listed { name: name.into(), file_type: entry.file_type() });
        }
    }
    Ok(listed)
}
