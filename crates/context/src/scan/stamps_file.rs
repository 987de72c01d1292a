//! The file in which the scanner remembers its last scan, and a small one beside it with what changed since.
//!
//! Writing everything that is known of a large tree takes longer than looking at it. So after an edit only the small
//! file is written, until it is no longer small.
//!
//! *Invariants*: each file appears whole, by a rename, and the small one counts only beside the very file that it
//! begins with. Neither is truth: without the small one the next scan reads again what changed since or was too young
//! to be trusted, without the other every file, and nothing else changes. So neither is synced.
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

/// What the files say, as far as they can be understood.
pub(super) fn read(path: &Path) -> Option<Remembered> {
    let bytes = read_bounded(path)?;
    let (root, began, digest) = stamps::decode(&bytes)?;
    let written = StampFile { root: Arc::clone(&root), digest, bytes: bytes.len() };
    drop(bytes);
    let newer = read_bounded(&with_extension(path, "since"));
    let newer = newer.and_then(|bytes| since::decode(&bytes, digest, &root));
    let (root, began) = newer.unwrap_or((root, began));
    Some(Remembered { root: Some(root), began, distrust: false, written: Some(written) })
}

/// Remembers a scan, beside what is `written` if little changed since. Says what is written now.
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
    // It belongs to the file that was replaced.
    let _ = fs::remove_file(newer);
    Ok(StampFile { root: Arc::clone(root), digest, bytes: bytes.len() })
}

fn read_bounded(path: &Path) -> Option<Vec<u8>> {
    let size = fs::symlink_metadata(path).ok()?.len();
    if size > STAMPS_FILE_BYTES_MAX {
        return None;
    }
    fs::read(path).ok()
}

/// Replaces a file. It is for its owner only.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = with_extension(path, &std::process::id().to_string());
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    io::Write::write_all(&mut file, bytes)?;
    drop(file);
    fs::rename(&unfinished, path)
}

/// The path with one more extension.
fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}
