//! Digests that refer to one kind of artefact.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::{Digest, DigestError};

/// Declares digest references that differ in name only.
macro_rules! digest_references {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(Digest);

        impl $name {
            /// Declares the kind of artefact that `digest` belongs to.
            pub const fn new(digest: Digest) -> Self {
                Self(digest)
            }

            /// Returns the digest.
            pub const fn digest(self) -> Digest {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = DigestError;

            fn from_str(text: &str) -> Result<Self, DigestError> {
                text.parse().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }
    )+};
}

digest_references! {
    /// The digest of a compiled workflow's canonical JSON: which workflow a run is pinned to.
    WorkflowHash,
    /// The digest of a snapshot's canonical JSON: where its blob is.
    SnapshotRef,
}
