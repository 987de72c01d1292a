//! Reads the files of a directory.
//!
//! *Invariants*: what is read does not depend on the order in which the system lists a directory. Names that begin
//! with a dot are left out, and links to directories are not followed, so that a search ends.
#![expect(clippy::disallowed_methods, reason = "the adapter that reads workflow files")]

use std::fs::{self, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use piton_workflow::bounds::SOURCE_BYTES_MAX;

use crate::bounds::{SOURCE_DEPTH_MAX, SOURCE_ENTRIES_MAX, SOURCE_FILES_MAX};

/// What tells a file from what it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceStamp {
    file: (u64, u64),
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl SourceStamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            file: (metadata.dev(), metadata.ino()),
            len: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// What a search of a directory found.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    /// The files, by path.
    pub(super) files: Vec<(PathBuf, io::Result<SourceStamp>)>,
    /// Directories that could not be searched, or not to their end.
    pub(super) troubles: Vec<(PathBuf, ScanError)>,
}

/// Why a directory was not searched to its end.
#[derive(Debug)]
pub(super) enum ScanError {
    /// The system refused it.
    Io(io::Error),
    /// It holds more files than are taken.
    TooManyFiles,
    /// It holds more entries than are looked at.
    TooManyEntries,
    /// It lies too far below the directory that was named, as so many others do.
    TooDeep {
        /// How many others.
        others: usize,
    },
}

/// Every `*.json` below `directory`.
pub(super) fn scan(directory: &Path) -> Scanned {
    let mut scanned = Scanned::default();
    let mut entries = 0;
    let mut too_deep = Vec::new();
    let mut waiting = vec![(directory.to_path_buf(), 0)];
    while let Some((directory, depth)) = waiting.pop() {
        let names = match names_in(&directory, &mut entries) {
            Ok(names) => names,
            Err(trouble) => {
                scanned.troubles.push((directory, trouble));
                continue;
            }
        };
        let mut below = Vec::new();
        for (path, is_dir) in names {
            if is_dir {
                below.push(path);
            } else if scanned.files.len() >= SOURCE_FILES_MAX {
                scanned.troubles.push((directory, ScanError::TooManyFiles));
                return sorted(scanned);
            } else {
                let stamp = fs::metadata(&path).map(|metadata| SourceStamp::of(&metadata));
                scanned.files.push((path, stamp));
            }
        }
        if depth < SOURCE_DEPTH_MAX {
            waiting.extend(below.into_iter().rev().map(|path| (path, depth + 1)));
        } else {
            too_deep.append(&mut below);
        }
    }
    // One is named for all: a directory that was named by mistake may hold thousands.
    let others = too_deep.len().saturating_sub(1);
    let first = too_deep.into_iter().next();
    scanned.troubles.extend(first.map(|path| (path, ScanError::TooDeep { others })));
    sorted(scanned)
}

fn sorted(mut scanned: Scanned) -> Scanned {
    scanned.files.sort_by(|(left, _), (right, _)| left.cmp(right));
    scanned
}

/// The directories and the `*.json` in a directory, by name.
fn names_in(directory: &Path, entries: &mut usize) -> Result<Vec<(PathBuf, bool)>, ScanError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(ScanError::Io)? {
        *entries += 1;
        if *entries > SOURCE_ENTRIES_MAX {
            return Err(ScanError::TooManyEntries);
        }
        let entry = entry.map_err(ScanError::Io)?;
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        if is_dir || is_json {
            names.push((path, is_dir));
        }
    }
    names.sort();
    Ok(names)
}

/// The text of a file.
pub(super) fn read(path: &Path) -> io::Result<String> {
    let file = fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(SOURCE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > SOURCE_BYTES_MAX {
        let told = format!("it has more than {SOURCE_BYTES_MAX} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, told));
    }
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}
