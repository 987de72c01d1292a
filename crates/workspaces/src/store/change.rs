//! Changes of files, in two steps: preparation, and the change itself.
//!
//! An audit record is written between the two.

use std::str::FromStr;
use std::sync::Arc;

use piton_core::Digest;

use super::{StoreFault, StoreFuture};
use crate::mask::Mask;
use crate::path::MountPath;

/// Version of a file as agents name it: the first 16 hex digits of its digest.
///
/// It distinguishes versions of one file against accidents, not against an adversary who can already write the file.
/// The whole digest is accepted as well.
#[derive(Clone, PartialEq, Eq)]
pub struct FileVersion(String);

const VERSION_DIGITS: usize = 16;

impl FileVersion {
    /// Returns the version of a file with this digest.
    pub fn of(digest: &Digest) -> Self {
        Self(digest.hex()[..VERSION_DIGITS].to_owned())
    }

    fn as_str(&self) -> &str {
        &self.0
    }

    /// True if a file with this digest has this version.
    pub fn is(&self, digest: &Digest) -> bool {
        digest.hex().starts_with(&self.0)
    }
}

impl FromStr for FileVersion {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        let hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !hex || !(digits.len() == VERSION_DIGITS || digits.len() == 64) {
            return Err("a version is 16 hex digits, as `read` gives them");
        }
        Ok(Self(digits.to_owned()))
    }
}

piton_core::shown_as_text!(FileVersion);

/// Precondition of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No condition.
    Anything,
    /// The path is free.
    Nothing,
    Version(FileVersion),
    Digest(Digest),
}

impl Expected {
    /// Checks a file with this digest, or no file, against the precondition.
    pub fn check(&self, found: Option<&Digest>) -> Result<(), StoreFault> {
        match (self, found) {
            (Self::Nothing, Some(_)) => Err(StoreFault::Exists),
            (Self::Version(version), Some(digest)) if version.is(digest) => Ok(()),
            (Self::Digest(expected), Some(digest)) if expected == digest => Ok(()),
            (Self::Version(_) | Self::Digest(_), found) => {
                Err(StoreFault::Conflict { exists: found.is_some() })
            }
            (Self::Anything, _) | (Self::Nothing, None) => Ok(()),
        }
    }
}

/// A change to a Mount.
#[derive(Clone, Debug)]
pub enum FileChange {
    /// Gives a file this content; creates the file and missing directories above it.
    Write {
        path: MountPath,
        bytes: Arc<[u8]>,
        expected: Expected,
        /// New state of the executable bit. `None` keeps that of an existing file; a new file is not executable.
        executable: Option<bool>,
    },
    /// Appends bytes to a file, which is created if it is missing.
    Append { path: MountPath, bytes: Arc<[u8]> },
    /// Removes a file or a directory.
    Delete {
        path: MountPath,
        /// Removes a directory with everything in it.
        recursive: bool,
        /// Precondition on a file. The digest of a directory is checked by the maker of the change.
        expected: Expected,
        /// Hidden paths. A directory that holds one stays.
        mask: Arc<Mask>,
    },
    /// Moves a file or directory to a path that is free.
    Move {
        from: MountPath,
        to: MountPath,
        /// Hidden paths. A directory that holds one stays.
        mask: Arc<Mask>,
    },
    /// Creates a directory and those above it. An existing one is fine.
    MakeDirectory { path: MountPath },
}

/// State of a path before a change.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", content = "digest", rename_all = "snake_case")]
pub enum Before {
    Nothing,
    /// A file with its digest, unless it is too large to be hashed.
    File(Option<Digest>),
    Directory,
}

impl Before {
    /// Returns the digest of a file, if it is known.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Self::File(digest) => *digest,
            Self::Nothing | Self::Directory => None,
        }
    }
}

/// A prepared change. Dropping it leaves everything as it was.
pub struct Prepared {
    /// Current state of the path.
    pub before: Before,
    /// Digest of the file that the change leaves at its path, if it leaves one.
    pub after: Option<Digest>,
    /// Name of the unfinished write beside the path, if there is one.
    pub temp: Option<String>,
    pub(crate) commit: Box<dyn FnOnce() -> StoreFuture<'static, ()> + Send>,
}

impl Prepared {
    /// Creates a change that `commit` makes durably.
    pub fn new(
        before: Before,
        after: Option<Digest>,
        commit: impl FnOnce() -> StoreFuture<'static, ()> + Send + 'static,
    ) -> Self {
        Self { before, after, temp: None, commit: Box::new(commit) }
    }

    /// Makes the change durably.
    pub async fn commit(self) -> Result<(), StoreFault> {
        (self.commit)().await
    }
}
