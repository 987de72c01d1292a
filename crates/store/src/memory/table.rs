//! A table in memory.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Error;
use crate::bounds::TABLE_PAGE_BYTES_MAX;
use crate::port::{
    Batch, EntryChange, EntryVersion, Key, Page, StoreFuture, Table, TableEntry, TakenOut,
};
use crate::table::{KeyRange, check_batch, check_key, check_keys, check_scan, what_was};

/// A table in memory. Clones share it.
#[derive(Clone, Default)]
pub struct MemoryTable {
    state: Arc<Mutex<TableState>>,
}

#[derive(Clone, Default)]
struct TableState {
    entries: BTreeMap<Key, TableEntry>,
    version: u64,
    taken_out: Vec<TakenOut>,
    /// Set when this shows one moment and takes no commit.
    is_past: bool,
}

impl MemoryTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes an entry, or a part of the table, out as a repair would.
    pub fn take_out(&self, what: TakenOut) {
        let mut state = self.state();
        match &what {
            TakenOut::Entry { key, .. } => drop(state.entries.remove(key)),
            range @ TakenOut::Range { .. } => state.entries.retain(|key, _| !range.covers(key)),
        }
        state.taken_out.push(what);
    }

    fn state(&self) -> MutexGuard<'_, TableState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TableState {
    fn scan(&self, range: KeyRange, limit: usize) -> Page {
        let mut page = Page { entries: Vec::new(), more: false };
        if range.is_empty() {
            return page;
        }
        let from = Bound::Included(Key::from(range.from));
        let before = range.before.map_or(Bound::Unbounded, |key| Bound::Excluded(Key::from(key)));
        let mut bytes = 0;
        for entry in self.entries.range((from, before)).map(|(_, entry)| entry) {
            if page.entries.len() == limit || bytes >= TABLE_PAGE_BYTES_MAX {
                page.more = true;
                break;
            }
            bytes += entry.key.len() + entry.value.len();
            page.entries.push(entry.clone());
        }
        page
    }

    fn commit(&mut self, batch: Batch) -> Result<EntryVersion, Error> {
        if self.is_past {
            return Err(what_was());
        }
        let found = |key| self.entries.get(key).map(|entry| entry.version);
        // All expectations are checked before the first change, so a conflict changes nothing.
        let differing: Vec<usize> = (0..batch.len())
            .filter(|place| !batch[*place].expect.holds(found(&batch[*place].key)))
            .collect();
        if !differing.is_empty() {
            return Err(Error::Conflict { keys: differing });
        }
        if batch.iter().any(|write| write.change != EntryChange::Keep) {
            self.version += 1;
        }
        let version = EntryVersion(self.version);
        for write in batch {
            let key = write.key;
            match write.change {
                EntryChange::Keep => {}
                EntryChange::Put(value) => {
                    let entry = TableEntry { key: Key::clone(&key), value, version };
                    self.entries.insert(key, entry);
                }
                EntryChange::Remove => {
                    self.entries.remove(&key);
                }
            }
        }
        Ok(version)
    }
}

impl Table for MemoryTable {
    fn get<'a>(&'a self, key: &'a [u8]) -> StoreFuture<'a, Option<TableEntry>> {
        Box::pin(async move {
            check_key(key)?;
            Ok(self.state().entries.get(key).cloned())
        })
    }

    fn get_all(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<TableEntry>>> {
        Box::pin(async move {
            check_keys(&keys)?;
            let state = self.state();
            Ok(keys.iter().map(|key| state.entries.get(key).cloned()).collect())
        })
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> StoreFuture<'a, Page> {
        Box::pin(async move {
            let range = check_scan(prefix, after, limit)?;
            Ok(self.state().scan(range, limit))
        })
    }

    fn commit(&self, batch: Batch) -> StoreFuture<'_, EntryVersion> {
        Box::pin(async move {
            check_batch(&batch)?;
            self.state().commit(batch)
        })
    }

    fn snapshot(&self) -> StoreFuture<'_, Arc<dyn Table>> {
        Box::pin(async move {
            let past = TableState { is_past: true, ..self.state().clone() };
            Ok(Arc::new(Self { state: Arc::new(Mutex::new(past)) }) as Arc<dyn Table>)
        })
    }

    fn taken_out<'a>(&'a self, visit: &'a mut (dyn FnMut(TakenOut) + Send)) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let taken_out = self.state().taken_out.clone();
            taken_out.into_iter().for_each(visit);
            Ok(())
        })
    }
}
