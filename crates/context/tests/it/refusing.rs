//! A table that takes no commits for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use piton_store::Error;
use piton_store::memory::MemoryTable;
use piton_store::port::{Batch, BoxFuture, EntryVersion, Key, Page, Table, TableEntry, TakenOut};

/// A table in which somebody else changed a row before each of so many commits.
pub(crate) struct Refusing {
    pub(crate) table: MemoryTable,
    /// The place of that row in a batch.
    pub(crate) row: usize,
    /// How many commits more are refused.
    pub(crate) left: AtomicU64,
}

impl Table for Refusing {
    fn get<'a>(&'a self, key: &'a [u8]) -> BoxFuture<'a, Result<Option<TableEntry>, Error>> {
        self.table.get(key)
    }

    fn get_all(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Vec<Option<TableEntry>>, Error>> {
        self.table.get_all(keys)
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, Error>> {
        self.table.scan(prefix, after, limit)
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<EntryVersion, Error>> {
        let less = |left: u64| left.checked_sub(1);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err() {
            return self.table.commit(batch);
        }
        Box::pin(std::future::ready(Err(Error::Conflict { keys: vec![self.row] })))
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Arc<dyn Table>, Error>> {
        self.table.snapshot()
    }

    fn taken_out<'a>(
        &'a self,
        visit: &'a mut (dyn FnMut(TakenOut) + Send),
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.table.taken_out(visit)
    }
}
