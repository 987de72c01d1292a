//! The table: ordered keys with values, changed several at a time.

use std::sync::Arc;

use super::StoreFuture;

/// A key: bytes, in byte order.
pub type Key = Arc<[u8]>;

/// Identifies one write of one key. No two writes of a table have the same version, so that a key that was removed and
/// written again is not mistaken for the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryVersion(pub u64);

/// A stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableEntry {
    pub key: Key,
    pub value: Vec<u8>,
    /// The write that stored the value.
    pub version: EntryVersion,
}

/// Condition on a key for a commit to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// No condition.
    Anything,
    Absent,
    /// The key's value is from this write.
    Version(EntryVersion),
}

impl Expect {
    /// True if the condition holds, given the write that the key's value is from.
    pub fn holds(self, found: Option<EntryVersion>) -> bool {
        match self {
            Self::Anything => true,
            Self::Absent => found.is_none(),
            Self::Version(version) => found == Some(version),
        }
    }
}

/// Change of a key by a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryChange {
    /// Changes nothing; only the expectation counts.
    Keep,
    Put(Vec<u8>),
    Remove,
}

/// One key of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableWrite {
    /// The key, which may occur only once in a batch.
    pub key: Key,
    pub expect: Expect,
    pub change: EntryChange,
}

impl TableWrite {
    /// Creates a write of a value.
    pub const fn put(key: Key, expect: Expect, value: Vec<u8>) -> Self {
        Self { key, expect, change: EntryChange::Put(value) }
    }

    /// Creates a removal.
    pub const fn remove(key: Key, expect: Expect) -> Self {
        Self { key, expect, change: EntryChange::Remove }
    }
}

impl From<Option<EntryVersion>> for Expect {
    /// Expects the key to be as it was read: with the value of this write, or absent.
    fn from(read: Option<EntryVersion>) -> Self {
        read.map_or(Self::Absent, Self::Version)
    }
}

/// The checks and changes of one commit.
pub type Batch = Vec<TableWrite>;

/// One page of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Entries in key order.
    pub entries: Vec<TableEntry>,
    /// True if there are more entries after the last of these.
    pub more: bool,
}

/// Data that a repair took out of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenOut {
    /// An entry that was not as it had been written: its key, its value, or both are wrong.
    Entry { key: Key, value: Vec<u8> },
    /// All entries between two keys, because that part of the table could not be read.
    Range {
        /// The last key before the range; `None` at the beginning of the table.
        after: Option<Key>,
        /// The first key behind the range; `None` at the end of the table.
        before: Option<Key>,
    },
}

impl TakenOut {
    /// True if an entry with this key was taken out, or would have been. One byte may differ, because the key itself
    /// may be what is damaged.
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
/// - `commit` happens completely or not at all, is durable when it returns, and happens only if every expectation holds
///   at that moment; otherwise [`Error::Conflict`](crate::Error::Conflict) names the keys that differ.
/// - A read sees whole commits.
/// - What a repair took out is shown until a person removes it, because the blobs that it refers to may still be
///   wanted.
pub trait Table: Send + Sync {
    /// Returns the value of a key.
    fn get<'a>(&'a self, key: &'a [u8]) -> StoreFuture<'a, Option<TableEntry>>;

    /// Returns the values of several keys in their order, all as of one moment.
    fn get_all(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<TableEntry>>>;

    /// Returns up to `limit` entries whose keys start with `prefix`, in key order, after `after`. A page of large
    /// values may end earlier; `more` says whether to continue.
    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize, // tidy: port: a count
    ) -> StoreFuture<'a, Page>;

    /// Checks and changes several keys at once. Returns the version of its puts.
    fn commit(&self, batch: Batch) -> StoreFuture<'_, EntryVersion>;

    /// Returns the table as it is now, unaffected by later commits. It refuses commits itself. Meant for a look at many
    /// entries that have to be consistent with each other. It keeps what it shows from being cleaned up, so drop it
    /// soon.
    fn snapshot(&self) -> StoreFuture<'_, Arc<dyn Table>>;

    /// Visits everything that repairs took out of the table and keep, one after the other.
    fn taken_out<'a>(&'a self, visit: &'a mut (dyn FnMut(TakenOut) + Send)) -> StoreFuture<'a, ()>;
}
