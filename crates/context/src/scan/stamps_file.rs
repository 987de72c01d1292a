//! The file in which the scanner remembers its last scan.
//!
//! *Invariants*: it appears whole, by a rename. It is never truth: if it is gone, damaged or of another project, the
//! next scan reads every file, and nothing else changes.
#![expect(clippy::disallowed_methods, reason = "reads and writes the scanner's own file")]

use std::{
    fs, io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use super::stamps::Remembered;
use crate::{
    bounds::STAMPS_FILE_BYTES_MAX,
    tree::{Directory, Time},
};

/// What the file says, if it can be understood.
pub(super) fn read(path: &Path) -> Option<Remembered> {
    let size = fs::symlink_metadata(path).ok()?.len();
    if size > STAMPS_FILE_BYTES_MAX {
        return None;
    }
    Remembered::decode(&fs::read(path).ok()?)
}

/// Replaces the file. It is for its owner only.
pub(super) fn write(path: &Path, root: &Directory, began: Time) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}", std::process::id()));
    let unfinished = PathBuf::from(unfinished);
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    io::Write::write_all(&mut file, &Remembered::encode(root, began))?;
    drop(file);
    fs::rename(&unfinished, path)
}
