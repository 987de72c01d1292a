//! Changes of files, in two steps: everything but the change, and the change.
//!
//! What is between the two is where an audit record is written ahead.

use std::{fmt, str::FromStr, sync::Arc};

use piton_core::Digest;
use piton_store::port::BoxFuture;

use super::StoreFault;
use crate::{mask::Mask, path::MountPath};

/// What an agent names a version of a file by: the first 16 hex digits of its digest.
///
/// It tells two versions of one file apart by accident, not against an adversary who can already
/// write the file. The whole digest is taken as well.
#[derive(Clone, PartialEq, Eq)]
pub struct FileVersion(String);

const VERSION_DIGITS: usize = 16;

impl FileVersion {
    /// The version of a file with this digest.
    pub fn of(digest: &Digest) -> Self {
        Self(digest.hex()[..VERSION_DIGITS].to_owned())
    }

    /// Whether a file with this digest has this version.
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

impl fmt::Display for FileVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl fmt::Debug for FileVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// What must be true of a file for a change to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing.
    Anything,
    /// There is nothing at the path.
    Nothing,
    /// The file has this version.
    Version(FileVersion),
    /// The file has this digest.
    Digest(Digest),
}

impl Expected {
    /// Whether a file with this digest, or no file, is as expected.
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

/// A change of a Mount.
#[derive(Clone, Debug)]
pub enum FileChange {
    /// Makes a file have these bytes, with the directories above it.
    Write {
        /// The file.
        path: MountPath,
        /// Its content.
        bytes: Arc<[u8]>,
        /// What must be true before.
        expected: Expected,
        /// Whether it is a program from now on. Nothing keeps what a file was, and a new file is none.
        executable: Option<bool>,
    },
    /// Adds bytes to the end of a file, which is made if there is none.
    Append {
        /// The file.
        path: MountPath,
        /// What is added.
        bytes: Arc<[u8]>,
    },
    /// Removes a file, or a directory.
    Delete {
        /// The file or directory.
        path: MountPath,
        /// Whether a directory goes with everything in it.
        recursive: bool,
        /// What must be true before, of a file. A digest of a directory is checked by whoever makes the change.
        expected: Expected,
        /// What is hidden: a directory that holds such a name stays.
        mask: Arc<Mask>,
    },
    /// Gives a file or directory another path, at which there is nothing.
    Move {
        /// The path now.
        from: MountPath,
        /// The path after.
        to: MountPath,
        /// What is hidden: a directory that holds such a name stays.
        mask: Arc<Mask>,
    },
    /// Makes a directory, with the directories above it. One that exists is fine.
    MakeDirectory {
        /// The directory.
        path: MountPath,
    },
}

/// What a change finds at its path.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", content = "digest", rename_all = "snake_case")]
pub enum Before {
    /// Nothing.
    Nothing,
    /// A file; its digest, unless it is too large to be read for it.
    File(Option<Digest>),
    /// A directory.
    Directory,
}

/// A change that is ready. Dropping it leaves everything as it was.
pub trait Prepared: Send {
    /// What is at the path of the change now.
    fn before(&self) -> Before;

    /// The digest of the file that the change leaves at its path, if it leaves one.
    fn after(&self) -> Option<Digest>;

    /// The name of the unfinished write that lies beside the path of the change, if there is one.
    fn temp(&self) -> Option<&str>;

    /// Makes the change, durably.
    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<(), StoreFault>>;
}
