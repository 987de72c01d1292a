//! Table keys of records.
//!
//! All keys of one ledger begin with the digest of its name, so no two ledgers collide. A record is stored under its
//! number. Index rows lead to it: one for each path that it names, one for its run, and another one while it is open.
//! The absence of the last one may be the only sign that the change was made.

use std::sync::Arc;

use piton_core::{Digest, FileBytes};
use piton_store::port::Key;

use crate::path::LogicalPath;

/// Prefix of all keys of records. The digest of the name of a ledger and the kind of the row follow.
pub(crate) const START: &[u8] = b"workspaces/audit/1/";

/// Builder for the keys of one ledger.
#[derive(Clone, Debug)]
pub(super) struct LedgerKeys {
    start: Arc<[u8]>,
    /// Digest of the name of the ledger.
    pub(super) name: Digest,
}

impl LedgerKeys {
    pub(super) fn of(name: &str) -> Self {
        let name = Digest::of(&FileBytes(name.as_bytes()));
        Self { start: [START, name.as_bytes()].concat().into(), name }
    }

    fn key(&self, kind: u8, rest: &[&[u8]]) -> Key {
        [&*self.start, &[kind], &rest.concat()].concat().into()
    }

    /// Returns the key of the counter for the next record.
    pub(super) fn next(&self) -> Key {
        self.key(b'n', &[])
    }

    /// Returns the key of a record.
    pub(super) fn record(&self, number: u64) -> Key {
        self.key(b'r', &[&number.to_be_bytes()])
    }

    /// Returns the prefix of all records.
    pub(super) fn all_records(&self) -> Key {
        self.key(b'r', &[])
    }

    /// Returns the key of the row that marks a record as open.
    pub(super) fn open(&self, number: u64) -> Key {
        self.key(b'o', &[&number.to_be_bytes()])
    }

    /// Returns the prefix of all open records.
    pub(super) fn all_open(&self) -> Key {
        self.key(b'o', &[])
    }

    /// Returns the key of the index row from a path to a record.
    pub(super) fn path(&self, path: &LogicalPath, number: u64) -> Key {
        let digest = Digest::of(&FileBytes(path.as_str().as_bytes()));
        self.key(b'p', &[digest.as_bytes(), &number.to_be_bytes()])
    }

    /// Returns the prefix of the index rows of a path.
    pub(super) fn all_of_path(&self, path: &LogicalPath) -> Key {
        let digest = Digest::of(&FileBytes(path.as_str().as_bytes()));
        self.key(b'p', &[digest.as_bytes()])
    }

    /// Returns the key of the index row from a run to a record.
    pub(super) fn run(&self, run: &str, number: u64) -> Key {
        let digest = Digest::of(&FileBytes(run.as_bytes()));
        self.key(b'u', &[digest.as_bytes(), &number.to_be_bytes()])
    }

    /// Returns the prefix of the index rows of a run.
    pub(super) fn all_of_run(&self, run: &str) -> Key {
        let digest = Digest::of(&FileBytes(run.as_bytes()));
        self.key(b'u', &[digest.as_bytes()])
    }
}

/// True if a row is a record rather than an index row.
pub(super) fn is_record(key: &[u8]) -> bool {
    key.get(START.len() + size_of::<Digest>()) == Some(&b'r')
}

/// Returns the number at the end of a key.
pub(super) fn number_of(key: &[u8]) -> Option<u64> {
    let start = key.len().checked_sub(8)?;
    Some(u64::from_be_bytes(key[start..].try_into().ok()?))
}
