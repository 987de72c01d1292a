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

    fn key(&self, kind: u8, rest: &[u8]) -> Key {
        [&*self.start, &[kind], rest].concat().into()
    }

    /// Returns the key of the counter for the next record.
    pub(super) fn next(&self) -> Key {
        self.key(b'n', &[])
    }

    /// Returns the prefix of all records.
    pub(super) fn records(&self) -> Key {
        self.key(b'r', &[])
    }

    /// Returns the prefix of the rows that mark records as open.
    pub(super) fn open(&self) -> Key {
        self.key(b'o', &[])
    }

    /// Returns the prefix of the index rows from a path to its records.
    pub(super) fn of_path(&self, path: &LogicalPath) -> Key {
        self.key(b'p', Digest::of(&FileBytes(path.as_str().as_bytes())).as_bytes())
    }

    /// Returns the prefix of the index rows from a run to its records.
    pub(super) fn of_run(&self, run: &str) -> Key {
        self.key(b'u', Digest::of(&FileBytes(run.as_bytes())).as_bytes())
    }
}

/// Returns the key of a record, or of an index row about one, below a prefix.
pub(super) fn numbered(prefix: &[u8], number: u64) -> Key {
    [prefix, &number.to_be_bytes()].concat().into()
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
