//! Where records stand in the table.
//!
//! All keys of one ledger start with the digest of its name, so that no two ledgers meet. A record stands
//! under its number; a row for each path that it names leads to it, one for its run, and another while it is
//! open: that this one is gone may be all that says that the change was made.

use std::sync::Arc;

use piton_core::{Digest, FileBytes};
use piton_store::port::Key;

use crate::path::LogicalPath;

/// What all keys of records start with; the digest of a ledger's name and the kind of the row follow.
pub(crate) const START: &[u8] = b"workspaces/audit/1/";

/// The keys of one ledger.
#[derive(Clone, Debug)]
pub(super) struct LedgerKeys {
    start: Arc<[u8]>,
    /// The digest of the ledger's name.
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

    /// The number of the next record.
    pub(super) fn next(&self) -> Key {
        self.key(b'n', &[])
    }

    /// A record.
    pub(super) fn record(&self, number: u64) -> Key {
        self.key(b'r', &[&number.to_be_bytes()])
    }

    /// All records.
    pub(super) fn all_records(&self) -> Key {
        self.key(b'r', &[])
    }

    /// That a record is open.
    pub(super) fn open(&self, number: u64) -> Key {
        self.key(b'o', &[&number.to_be_bytes()])
    }

    /// All open records.
    pub(super) fn all_open(&self) -> Key {
        self.key(b'o', &[])
    }

    /// That a record names a path.
    pub(super) fn path(&self, path: &LogicalPath, number: u64) -> Key {
        let digest = Digest::of(&FileBytes(path.as_str().as_bytes()));
        self.key(b'p', &[digest.as_bytes(), &number.to_be_bytes()])
    }

    /// All records that name a path.
    pub(super) fn all_of_path(&self, path: &LogicalPath) -> Key {
        let digest = Digest::of(&FileBytes(path.as_str().as_bytes()));
        self.key(b'p', &[digest.as_bytes()])
    }

    /// That a record was made in a run.
    pub(super) fn run(&self, run: &str, number: u64) -> Key {
        let digest = Digest::of(&FileBytes(run.as_bytes()));
        self.key(b'u', &[digest.as_bytes(), &number.to_be_bytes()])
    }

    /// All records that were made in a run.
    pub(super) fn all_of_run(&self, run: &str) -> Key {
        let digest = Digest::of(&FileBytes(run.as_bytes()));
        self.key(b'u', &[digest.as_bytes()])
    }
}

/// Whether a row is a record, and not a row that leads to one.
pub(super) fn is_record(key: &[u8]) -> bool {
    key.get(START.len() + size_of::<Digest>()) == Some(&b'r')
}

/// The number at the end of a key.
pub(super) fn number_of(key: &[u8]) -> Option<u64> {
    let start = key.len().checked_sub(8)?;
    Some(u64::from_be_bytes(key[start..].try_into().ok()?))
}
