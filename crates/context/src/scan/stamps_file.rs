//! The file that holds the scanner's last scan, and a small file beside it with the changes since.
//!
//! Writing the state of a large tree takes longer than examining the tree. After an edit only the small file is
//! written, until it is no longer small.
//!
//! *Invariants*: each file is replaced as a whole by a rename, and the small file is valid only beside the exact file
//! whose digest it begins with. Neither is a source of truth: without the small file, the next scan reads the files
//! that changed since or were too recent to trust; without the other, it reads every file. Nothing else is affected, so
//! neither is synced.
#![expect(clippy::disallowed_methods, reason = "reads and writes the scanner's own files")]

use std::{
    fs, io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    since,
    stamp_cache::{Remembered, StampFile},
    stamps,
};
use crate::{
    bounds::{SINCE_SHARE, STAMPS_FILE_BYTES_MAX},
    tree::{Directory, Time},
};

/// Reads the remembered scan from the files, as far as they can be decoded.
pub(super) fn read(path: &Path) -> Option<Remembered> {
    let bytes = read_bounded(path)?;
    let (root, began, digest) = stamps::decode(&bytes)?;
    let written = StampFile { root: Arc::clone(&root), digest, bytes: bytes.len() };
    drop(bytes);
    let newer = read_bounded(&with_extension(path, "since"));
    // A damaged small file, or one that belongs to another base, falls back to the older tree.
    let newer = newer.and_then(|bytes| since::decode(&bytes, digest, &root));
    let (root, began) = newer.unwrap_or((root, began));
    Some(Remembered { root: Some(root), began, distrust: false, written: Some(written) })
}

/// Writes a scan: as a difference from `written` if little changed, otherwise in full. Returns what is on disk now.
pub(super) fn write(
    path: &Path,
    written: Option<&StampFile>,
    root: &Arc<Directory>,
    began: Time,
) -> io::Result<StampFile> {
    let newer = with_extension(path, "since");
    if let Some(written) = written {
        let since = since::encode(written.digest, &written.root, root, began);
        if since.len() * SINCE_SHARE <= written.bytes {
            replace(&newer, &since)?;
            return Ok(written.clone());
        }
    }
    let (bytes, digest) = stamps::encode(root, began);
    replace(path, &bytes)?;
    // The small file belongs to the file that was just replaced. If this fails, its digest no longer matches.
    let _ = fs::remove_file(newer);
    Ok(StampFile { root: Arc::clone(root), digest, bytes: bytes.len() })
}

fn read_bounded(path: &Path) -> Option<Vec<u8>> {
    // Check the size first, so that a huge file is never loaded.
    let size = fs::symlink_metadata(path).ok()?.len();
    if size > STAMPS_FILE_BYTES_MAX {
        return None;
    }
    fs::read(path).ok()
}

/// Replaces a file. Only its owner may read it.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The process id in the name keeps two processes from writing to the same unfinished file.
    let unfinished = with_extension(path, &std::process::id().to_string());
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    io::Write::write_all(&mut file, bytes)?;
    drop(file);
    fs::rename(&unfinished, path)
}

/// Appends an extension to the path.
fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}
