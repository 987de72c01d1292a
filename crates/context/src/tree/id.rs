//! The ids of tree nodes, and their kinds.

use std::{fmt, str::FromStr};

use piton_core::{Digest, DigestError};
use serde::{Deserialize, Serialize};

/// The digest of what a tree node is and where it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeNodeId(Digest);

impl TreeNodeId {
    /// Says that `digest` is the id of a tree node.
    pub const fn new(digest: Digest) -> Self {
        Self(digest)
    }

    /// The digest.
    pub const fn digest(self) -> Digest {
        self.0
    }

    /// The 32 bytes of the digest.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl FromStr for TreeNodeId {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        text.parse().map(Self)
    }
}

impl fmt::Display for TreeNodeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

impl fmt::Debug for TreeNodeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

piton_core::closed_set! {
    /// What a tree node is.
    pub enum NodeKind {
        /// A regular file.
        File => "file",
        /// A directory.
        Directory => "directory",
        /// A symbolic link, which is never followed.
        Symlink => "symlink",
    }
}
