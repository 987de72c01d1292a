//! Where the rows of a Virtual Store stand in the table.

use std::sync::Arc;

use piton_store::port::Key;

use super::namespace::VirtualNamespace;

/// What all keys of Virtual Stores begin with.
pub(super) const START: &[u8] = b"workspaces/virtual/1/";
const DIGEST_BYTES: usize = 32;
const ENTRY: u8 = b'e';
const USAGE: u8 = b'u';

/// The id of a directory.
pub(super) type DirectoryId = [u8; 16];

/// The id of the Mount itself.
pub(super) const ROOT: DirectoryId = [0; 16];

/// The keys of one namespace.
#[derive(Clone)]
pub(super) struct NamespaceKeys(Arc<[u8]>);

impl NamespaceKeys {
    pub(super) fn of(namespace: &VirtualNamespace) -> Self {
        Self([START, namespace.digest().as_bytes()].concat().into())
    }

    /// The row of an entry.
    pub(super) fn entry(&self, directory: DirectoryId, name: &str) -> Key {
        [&*self.0, &[ENTRY], &directory, name.as_bytes()].concat().into()
    }

    /// What the rows of a directory's entries begin with.
    pub(super) fn entries(&self, directory: DirectoryId) -> Key {
        self.entry(directory, "")
    }

    /// What the rows of all entries begin with.
    pub(super) fn all_entries(&self) -> Key {
        [&*self.0, &[ENTRY]].concat().into()
    }

    /// The row that says how much there is.
    pub(super) fn usage(&self) -> Key {
        [&*self.0, &[USAGE]].concat().into()
    }
}

/// Whether a key is that of an entry, in whatever namespace.
pub(super) fn is_entry(key: &[u8]) -> bool {
    key.get(START.len() + DIGEST_BYTES) == Some(&ENTRY)
}

/// What the keys of the same namespace begin with.
pub(super) fn namespace_of(key: &[u8]) -> Option<&[u8]> {
    key.get(..START.len() + DIGEST_BYTES)
}

/// The row that says how much there is in the namespace whose keys begin so.
pub(super) fn usage_of(namespace: &[u8]) -> Key {
    [namespace, &[USAGE]].concat().into()
}

/// The name at the end of an entry's key.
pub(super) fn name_of(key: &[u8]) -> Option<&str> {
    let start = START.len() + DIGEST_BYTES + 1 + ROOT.len();
    std::str::from_utf8(key.get(start..)?).ok()
}
