//! Names of Virtual Stores, and the table keys of their rows.

use std::sync::Arc;

use piton_core::{Digest, DigestBuilder};
use piton_store::port::Key;

use crate::bounds::{NAMESPACE_PART_BYTES_MAX, NAMESPACE_PARTS_MAX};

/// The name of a Virtual Store: a run, an agent or something shared, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualNamespace(Vec<String>);

/// Reasons for rejecting a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamespaceProblem {
    #[error("a namespace has 1 to {NAMESPACE_PARTS_MAX} parts")]
    Parts,
    #[error("a part of a namespace has 1 to {NAMESPACE_PART_BYTES_MAX} bytes")]
    Part,
}

impl VirtualNamespace {
    /// Creates a namespace from parts, which may contain any character.
    pub fn new(
        parts: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, NamespaceProblem> {
        let parts: Vec<String> = parts.into_iter().map(Into::into).collect();
        if parts.is_empty() || parts.len() > NAMESPACE_PARTS_MAX {
            return Err(NamespaceProblem::Parts);
        }
        if parts.iter().any(|part| part.is_empty() || part.len() > NAMESPACE_PART_BYTES_MAX) {
            return Err(NamespaceProblem::Part);
        }
        Ok(Self(parts))
    }

    /// Returns the digest that its keys begin with. Each part is preceded by its length, so no two lists of parts
    /// produce the same bytes.
    pub(super) fn digest(&self) -> Digest {
        let mut builder = DigestBuilder::new();
        for part in &self.0 {
            builder.update(&(part.len() as u64).to_be_bytes());
            builder.update(part.as_bytes());
        }
        builder.finish()
    }
}

/// Prefix of all keys of Virtual Stores.
pub(super) const START: &[u8] = b"workspaces/virtual/1/";
const DIGEST_BYTES: usize = 32;
const ENTRY: u8 = b'e';
const USAGE: u8 = b'u';

/// Id of a directory, under which its entries are stored.
pub(super) type DirectoryId = [u8; 16];

/// Id of the root directory of the Mount.
pub(super) const ROOT: DirectoryId = [0; 16];

/// Builder for the keys of one namespace.
#[derive(Clone)]
pub(super) struct NamespaceKeys(Arc<[u8]>);

impl NamespaceKeys {
    pub(super) fn of(namespace: &VirtualNamespace) -> Self {
        Self([START, namespace.digest().as_bytes()].concat().into())
    }

    /// Returns the key of an entry.
    pub(super) fn entry(&self, directory: DirectoryId, name: &str) -> Key {
        [&*self.0, &[ENTRY], &directory, name.as_bytes()].concat().into()
    }

    /// Returns the common prefix of the entries of a directory.
    pub(super) fn entries(&self, directory: DirectoryId) -> Key {
        self.entry(directory, "")
    }

    /// Returns the common prefix of all entries.
    pub(super) fn all_entries(&self) -> Key {
        [&*self.0, &[ENTRY]].concat().into()
    }

    /// Returns the key of the usage row.
    pub(super) fn usage(&self) -> Key {
        [&*self.0, &[USAGE]].concat().into()
    }
}

/// True if a key belongs to an entry, in any namespace.
pub(super) fn is_entry(key: &[u8]) -> bool {
    key.get(START.len() + DIGEST_BYTES) == Some(&ENTRY)
}

/// Returns the common prefix of all keys of the same namespace.
pub(super) fn namespace_of(key: &[u8]) -> Option<&[u8]> {
    key.get(..START.len() + DIGEST_BYTES)
}

/// Returns the key of the usage row of the namespace with this prefix.
pub(super) fn usage_of(namespace: &[u8]) -> Key {
    [namespace, &[USAGE]].concat().into()
}

/// Returns the name at the end of the key of an entry.
pub(super) fn name_of(key: &[u8]) -> Option<&str> {
    let start = START.len() + DIGEST_BYTES + 1 + ROOT.len();
    std::str::from_utf8(key.get(start..)?).ok()
}
