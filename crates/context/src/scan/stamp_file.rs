//! The scanner's memory of its last scan: the file that holds it, and a small file beside it with the changes since.
//!
//! Writing the state of a large tree takes longer than examining the tree. After an edit only the small file is
//! written, until it is no longer small.
//!
//! *Invariants*: each file is replaced as a whole by a rename, and the small file is valid only beside the exact file
//! whose digest it begins with. Neither is a source of truth: without the small file, the next scan reads the files
//! that changed since or were too recent to trust; without the other, it reads every file. Nothing else is affected, so
//! neither is synced.
#![expect(clippy::disallowed_methods, reason = "reads and writes the scanner's own files")]

use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use piton_core::Digest;

use super::stamp_codec;
use crate::bounds::{SINCE_SHARE, STAMPS_FILE_BYTES_MAX};
use crate::tree::{Directory, FileStamp, Time};

/// Reads the remembered scan from the files, as far as they can be decoded.
pub(super) fn read(path: &Path) -> Option<Remembered> {
    let bytes = read_bounded(path)?;
    let (root, began, digest) = stamp_codec::decode(&bytes)?;
    let written = StampFile { root: Arc::clone(&root), digest, bytes: bytes.len() };
    drop(bytes);
    let newer = read_bounded(&with_extension(path, "since"));
    // A damaged small file, or one that belongs to another base, falls back to the older tree.
    let newer = newer.and_then(|bytes| stamp_codec::decode_since(&bytes, digest, &root));
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
        let since = stamp_codec::encode_since(written.digest, &written.root, root, began);
        if since.len() * SINCE_SHARE <= written.bytes {
            replace(&newer, &since)?;
            return Ok(written.clone());
        }
    }
    let (bytes, digest) = stamp_codec::encode(root, began);
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

/// The last scan.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    pub(super) root: Option<Arc<Directory>>,
    /// Start of the scan, which decides which stamps are too recent to trust.
    pub(super) began: Time,
    /// Set to read every file again, whatever its stamp.
    pub(super) distrust: bool,
    /// The stamp file that is on disk.
    pub(super) written: Option<StampFile>,
}

/// A stamp file on disk.
#[derive(Clone, Debug)]
pub(super) struct StampFile {
    /// Tree that the file holds.
    pub(super) root: Arc<Directory>,
    pub(super) digest: Digest,
    pub(super) bytes: usize,
}

impl Remembered {
    /// True if a file whose stamp was `then` and is `now` must still have the same content.
    pub(super) fn trusts(&self, then: &FileStamp, now: &FileStamp) -> bool {
        // A file modified too close to the start of the scan may have changed again without changing its stamp.
        !self.distrust && then == now && !then.is_racy(self.began)
    }
}
