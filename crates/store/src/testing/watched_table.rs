//! A table that reports each call before making it.

use std::sync::Arc;

use crate::Error;
use crate::port::{
    Batch, BoxFuture, EntryVersion, Key, Page, Table, TableEntry, TableWrite, TakenOut,
};

/// A call to a table.
#[derive(Debug, Clone, Copy)]
pub enum TableCall<'a> {
    Get(&'a [u8]),
    GetAll(&'a [Key]),
    /// A page of the keys with a prefix.
    Scan(&'a [u8]),
    Commit(&'a [TableWrite]),
    TakenOut,
    /// A snapshot of the table. Calls to the snapshot itself are not reported.
    Snapshot,
}

impl TableCall<'_> {
    /// Returns the keys that the call reads, or their prefix.
    pub fn keys_read(&self) -> Vec<&[u8]> {
        match self {
            Self::Get(key) | Self::Scan(key) => vec![key],
            Self::GetAll(keys) => keys.iter().map(|key| &**key).collect(),
            Self::Commit(_) | Self::TakenOut | Self::Snapshot => Vec::new(),
        }
    }
}

type Hook = dyn Fn(TableCall<'_>) + Send + Sync;

/// A table with a hook that watches it. Clones share both.
#[derive(Clone)]
pub struct WatchedTable {
    inner: Arc<dyn Table>,
    hook: Arc<Hook>,
}

impl WatchedTable {
    /// Wraps a table; `hook` gets each call before it is made.
    pub fn new(
        inner: Arc<dyn Table>,
        hook: impl Fn(TableCall<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self { inner, hook: Arc::new(hook) }
    }

    fn watched(&self, call: TableCall<'_>) -> &dyn Table {
        (self.hook)(call);
        &*self.inner
    }
}

impl Table for WatchedTable {
    fn get<'a>(&'a self, key: &'a [u8]) -> BoxFuture<'a, Result<Option<TableEntry>, Error>> {
        self.watched(TableCall::Get(key)).get(key)
    }

    fn get_all(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Vec<Option<TableEntry>>, Error>> {
        self.watched(TableCall::GetAll(&keys)).get_all(keys)
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, Error>> {
        self.watched(TableCall::Scan(prefix)).scan(prefix, after, limit)
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<EntryVersion, Error>> {
        self.watched(TableCall::Commit(&batch)).commit(batch)
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Arc<dyn Table>, Error>> {
        self.watched(TableCall::Snapshot).snapshot()
    }

    fn taken_out<'a>(
        &'a self,
        visit: &'a mut (dyn FnMut(TakenOut) + Send),
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.watched(TableCall::TakenOut).taken_out(visit)
    }
}
