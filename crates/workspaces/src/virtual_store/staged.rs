//! A write buffer in front of a table: its commits reach the table as one commit, or not at all.
//!
//! It serves changes of several steps, where each step sees the effects of those before it.
//!
//! *Invariants*: nothing is written to the underlying table before [`Staged::flush`]. That commit expects of every row
//! what the first step that named the row expected.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_store::Error;
use piton_store::port::{
    Batch, BoxFuture, EntryChange, EntryVersion, Expect, Key, Page, Table, TableEntry, TableWrite,
    TakenOut,
};

use crate::bounds::{SCAN_PAGE, VIRTUAL_TREE_MAX};
use crate::store::StoreFault;

/// First version number of buffered rows. No table ever reaches this number of commits.
const STAGED: u64 = 1 << 63;

/// A write buffer in front of a table.
pub(crate) struct Staged {
    under: Arc<dyn Table>,
    rows: Mutex<Rows>,
    /// Set for a snapshot, which accepts no more writes.
    is_past: bool,
}

#[derive(Clone, Default)]
struct Rows {
    commits: u64,
    by_key: BTreeMap<Key, StagedRow>,
}

#[derive(Clone)]
struct StagedRow {
    /// Expectation about the row in the underlying table.
    expect: Expect,
    /// Buffered state, if a step changed the row: its version, and its value unless it was removed.
    now: Option<(EntryVersion, Option<Vec<u8>>)>,
}

/// Effect of the steps on a row.
enum RowChange {
    Untouched,
    Changed(Option<TableEntry>),
}

impl Staged {
    pub(crate) fn over(under: &Arc<dyn Table>) -> Self {
        Self { under: Arc::clone(under), rows: Mutex::default(), is_past: false }
    }

    /// Writes everything that was committed to the buffer, as one commit.
    pub(crate) async fn flush(&self) -> Result<(), StoreFault> {
        let rows = std::mem::take(&mut self.rows().by_key);
        if rows.len() > VIRTUAL_TREE_MAX {
            return Err(StoreFault::limit("entries at once", VIRTUAL_TREE_MAX));
        }
        let batch = rows.into_iter().map(|(key, row)| TableWrite {
            key,
            expect: row.expect,
            change: match (row.now, row.expect) {
                // A row that was both created and removed by the steps never existed below: only check that it still
                // does not.
                (None, _) | (Some((_, None)), Expect::Absent) => EntryChange::Keep,
                (Some((_, None)), _) => EntryChange::Remove,
                (Some((_, Some(value))), _) => EntryChange::Put(value),
            },
        });
        match self.under.commit(batch.collect()).await {
            Ok(_) => Ok(()),
            Err(Error::Conflict { .. }) => Err(StoreFault::Raced),
            Err(error) => Err(error.into()),
        }
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the row as the steps left it.
    fn here(&self, key: &[u8]) -> RowChange {
        let rows = self.rows();
        let Some((key, StagedRow { now: Some((version, value)), .. })) =
            rows.by_key.get_key_value(key)
        else {
            return RowChange::Untouched;
        };
        let (key, version) = (Arc::clone(key), *version);
        RowChange::Changed(value.clone().map(|value| TableEntry { key, value, version }))
    }

    async fn found(&self, key: &[u8]) -> Result<Option<TableEntry>, Error> {
        match self.here(key) {
            RowChange::Changed(entry) => Ok(entry),
            RowChange::Untouched => self.under.get(key).await,
        }
    }

    /// Returns all entries under a prefix that come after a key, as the steps left them.
    async fn merged(&self, prefix: &[u8], after: Option<&[u8]>) -> Result<Vec<TableEntry>, Error> {
        let mut merged: BTreeMap<Key, TableEntry> = BTreeMap::new();
        let mut from: Option<Key> = after.map(Into::into);
        loop {
            let page = self.under.scan(prefix, from.as_deref(), SCAN_PAGE).await?;
            from = page.entries.last().map(|entry| Arc::clone(&entry.key));
            let more = page.more;
            merged.extend(page.entries.into_iter().map(|entry| (Arc::clone(&entry.key), entry)));
            if !more {
                break;
            }
        }
        // Buffered rows replace those of the underlying table; removed ones disappear even if the table has them.
        let rows = self.rows();
        for (key, row) in &rows.by_key {
            let is_meant = key.starts_with(prefix) && after.is_none_or(|after| **key > *after);
            match &row.now {
                Some((version, Some(value))) if is_meant => {
                    let (key, value) = (Arc::clone(key), value.clone());
                    merged.insert(Arc::clone(&key), TableEntry { key, value, version: *version });
                }
                Some((_, None)) => drop(merged.remove(key)),
                _ => {}
            }
        }
        Ok(merged.into_values().collect())
    }

    async fn stage(&self, batch: Batch) -> Result<EntryVersion, Error> {
        let mut differing = Vec::new();
        // Check every expectation before anything is buffered, so a refused batch leaves no trace.
        for (place, write) in batch.iter().enumerate() {
            let found = self.found(&write.key).await?.map(|entry| entry.version);
            if !write.expect.holds(found) {
                differing.push(place);
            }
        }
        if !differing.is_empty() {
            return Err(Error::Conflict { keys: differing });
        }
        let mut rows = self.rows();
        rows.commits += 1;
        let version = EntryVersion(STAGED + rows.commits);
        for write in batch {
            // Only the first step that names a row states what the underlying table has to hold. Later steps expect
            // versions that exist in the buffer alone.
            let row = rows
                .by_key
                .entry(write.key)
                .or_insert(StagedRow { expect: write.expect, now: None });
            match write.change {
                EntryChange::Keep => {}
                EntryChange::Put(value) => row.now = Some((version, Some(value))),
                EntryChange::Remove => row.now = Some((version, None)),
            }
        }
        Ok(version)
    }
}

impl Table for Staged {
    fn get<'a>(&'a self, key: &'a [u8]) -> BoxFuture<'a, Result<Option<TableEntry>, Error>> {
        Box::pin(self.found(key))
    }

    fn get_all(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Vec<Option<TableEntry>>, Error>> {
        Box::pin(async move {
            let here: Vec<RowChange> = keys.iter().map(|key| self.here(key)).collect();
            let mut under = self.under.get_all(keys).await?;
            for (found, here) in under.iter_mut().zip(here) {
                if let RowChange::Changed(entry) = here {
                    *found = entry;
                }
            }
            Ok(under)
        })
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page, Error>> {
        Box::pin(async move {
            let mut entries = self.merged(prefix, after).await?;
            let more = entries.len() > limit;
            entries.truncate(limit);
            Ok(Page { entries, more })
        })
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<EntryVersion, Error>> {
        // A snapshot is refused with the error of the underlying table.
        if self.is_past { self.under.commit(batch) } else { Box::pin(self.stage(batch)) }
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Arc<dyn Table>, Error>> {
        Box::pin(async move {
            let under = self.under.snapshot().await?;
            let rows = Mutex::new(self.rows().clone());
            Ok(Arc::new(Self { under, rows, is_past: true }) as Arc<dyn Table>)
        })
    }

    fn taken_out<'a>(
        &'a self,
        visit: &'a mut (dyn FnMut(TakenOut) + Send),
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.under.taken_out(visit)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task;
    use std::task::Waker;

    use piton_store::memory::MemoryTable;
    use piton_store::testing::{TableCall, WatchedTable};

    use super::*;

    fn put(key: &str, value: &str) -> TableWrite {
        let change = EntryChange::Put(value.into());
        TableWrite { key: key.as_bytes().into(), expect: Expect::Anything, change }
    }

    fn values(entries: Vec<Option<TableEntry>>) -> Vec<Option<String>> {
        let text = |entry: TableEntry| String::from_utf8(entry.value).unwrap();
        entries.into_iter().map(|entry| entry.map(text)).collect()
    }

    #[tokio::test]
    async fn rows_that_are_read_together_are_of_one_moment_and_as_the_steps_left_them() {
        let table = MemoryTable::new();
        table.commit(vec![put("a", "old"), put("b", "old"), put("c", "old")]).await.unwrap();
        let (reads, writer) = (AtomicUsize::new(0), table.clone());
        // Another writer changes the rows right before each read.
        let watched = WatchedTable::new(Arc::new(table), move |call| {
            if !matches!(call, TableCall::Commit(_)) {
                let now = reads.fetch_add(1, Ordering::Relaxed).to_string();
                let mut changed = writer.commit(vec![put("a", &now), put("b", &now)]);
                // A table in memory never waits.
                let done = changed.as_mut().poll(&mut task::Context::from_waker(Waker::noop()));
                assert!(done.is_ready());
            }
        });
        let staged = Staged::over(&(Arc::new(watched) as Arc<dyn Table>));
        let gone = TableWrite {
            key: b"c"[..].into(),
            expect: Expect::Anything,
            change: EntryChange::Remove,
        };
        staged.commit(vec![put("d", "staged"), gone]).await.unwrap();
        let keys = ["a", "d", "b", "c"].map(|key| Key::from(key.as_bytes()));
        let found = values(staged.get_all(keys.to_vec()).await.unwrap());
        assert_eq!(found[0], found[2]);
        assert_eq!(found[1].as_deref(), Some("staged"));
        assert_eq!(found[3], None);
    }
}
