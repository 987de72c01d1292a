//! Ids and kinds of tree nodes.

use std::{fmt, str::FromStr};

use piton_core::{Digest, DigestError};
use serde::{Deserialize, Serialize};

/// The digest of a tree node's content and path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeNodeId(Digest);

impl TreeNodeId {
    /// Wraps a digest that is known to be the id of a tree node.
    pub const fn new(digest: Digest) -> Self {
        Self(digest)
    }

    /// Returns the digest.
    pub const fn digest(self) -> Digest {
        self.0
    }

    /// Returns the 32 bytes of the digest.
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
