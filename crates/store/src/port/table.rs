//! The table: ordered keys with values, changed several at a time.

use std::sync::Arc;

use super::BoxFuture;
use crate::Error;

/// A key: bytes, ordered as bytes.
pub type Key = Arc<[u8]>;

/// Identifies one write of one key: no two writes of a table have the same, so that a key which
/// was removed and written again is not mistaken for the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryVersion(pub u64);

/// A stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableEntry {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Vec<u8>,
    /// The write that stored it.
    pub version: EntryVersion,
}

/// What must be true of a key for a commit to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Nothing.
    Anything,
    /// The key has no value.
    Absent,
    /// The key's value is the one of this write.
    Version(EntryVersion),
}

impl Expect {
    /// Whether it is so, given the write that the key's value is from.
    pub fn holds(self, found: Option<EntryVersion>) -> bool {
        match self {
            Self::Anything => true,
            Self::Absent => found.is_none(),
            Self::Version(version) => found == Some(version),
        }
    }
}

/// What a commit does to a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryChange {
    /// Nothing; only the expectation counts.
    Keep,
    /// Stores a value.
    Put(Vec<u8>),
    /// Removes the value.
    Remove,
}

/// One key of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableWrite {
    /// The key; at most once in a batch.
    pub key: Key,
    /// What must be true of it.
    pub expect: Expect,
    /// What happens to it.
    pub change: EntryChange,
}

/// What one commit checks and changes.
pub type Batch = Vec<TableWrite>;

/// A part of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The entries, in key order.
    pub entries: Vec<TableEntry>,
    /// Whether there are more after the last of them.
    pub more: bool,
}

/// Something that a repair took out of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenOut {
    /// An entry that was not as it had been written: its key, its value, or both are wrong.
    Entry {
        /// The key as it was found.
        key: Key,
        /// The value as it was found.
        value: Vec<u8>,
    },
    /// Every entry between two keys, because that part of the table could not be read.
    Range {
        /// The last key before it; nothing at the beginning of the table.
        after: Option<Key>,
        /// The first key behind it; nothing at the end of the table.
        before: Option<Key>,
    },
}

impl TakenOut {
    /// Whether an entry with this key was taken out, or would have been. A byte of the key itself may be what is
    /// damaged.
    pub fn covers(&self, wanted: &[u8]) -> bool {
        match self {
            Self::Entry { key, .. } => {
                let differing = key.iter().zip(wanted).filter(|(found, wanted)| found != wanted);
                key.len() == wanted.len() && differing.count() <= 1
            }
            Self::Range { after, before } => {
                after.as_ref().is_none_or(|after| **after < *wanted)
                    && before.as_ref().is_none_or(|before| *wanted < **before)
            }
        }
    }
}

/// An ordered key-value table that several processes use at once.
///
/// Promise:
/// - `commit` happens whole or not at all, is durable when it returns, and happens only if every
///   expectation holds at that moment; otherwise [`Error::Conflict`] names the keys that differ.
/// - A read sees whole commits.
/// - What a repair took out is shown until a person removes it: what it refers to may still be wanted.
pub trait Table: Send + Sync {
    /// The value of a key.
    fn get<'a>(&'a self, key: &'a [u8]) -> BoxFuture<'a, Result<Option<TableEntry>, Error>>;

    /// The values of several keys in their order, all as of one moment.
    fn get_all(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Vec<Option<TableEntry>>, Error>>;

    /// Up to `limit` entries whose keys start with `prefix`, in key order, after `after`. A page
    /// of large values may end before that; `more` says whether to go on.
    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize, // tidy: port: a count
    ) -> BoxFuture<'a, Result<Page, Error>>;

    /// Checks and changes several keys at once. Returns the version that its puts have.
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<EntryVersion, Error>>;

    /// The table as it is now, whatever is committed later; it refuses commits. For a look at many entries that have
    /// to fit each other. It keeps what it shows from being tidied away, so it is dropped soon.
    fn snapshot(&self) -> BoxFuture<'_, Result<Arc<dyn Table>, Error>>;

    /// Shows everything that repairs took out of the table and keep, one after the other.
    fn taken_out<'a>(
        &'a self,
        visit: &'a mut (dyn FnMut(TakenOut) + Send),
    ) -> BoxFuture<'a, Result<(), Error>>;
}
