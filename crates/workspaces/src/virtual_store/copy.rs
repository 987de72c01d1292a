//! Copies of a whole namespace.

use piton_store::PagedScan;
use piton_store::port::{EntryChange as RowChange, Expect, TableWrite};

use super::row::Stored;
use super::store::VirtualStore;
use crate::bounds::{COMMIT_TRIES_MAX, COPY_ENTRIES_MAX, SCAN_PAGE};
use crate::store::StoreFault;

impl VirtualStore {
    /// Copies everything in this namespace to `target` in one commit, and returns the number of entries. Rows are
    /// copied; larger contents are shared by digest. `target` has to be empty and in the same table.
    pub(crate) async fn copy_to(&self, target: &Self) -> Result<u64, StoreFault> {
        for _ in 0..COMMIT_TRIES_MAX {
            if target.has_rows(&target.keys.all_entries()).await? {
                return Err(StoreFault::NotEmpty);
            }
            let (batch, entries) = self.copying(target).await?;
            // If one of the two changed, everything is read again: the copy has to be a single state.
            if self.commit(batch).await? {
                return Ok(entries);
            }
        }
        Err(StoreFault::Busy)
    }

    /// Builds the commit that copies every entry on condition that none of them changed. Also returns their number.
    async fn copying(&self, target: &Self) -> Result<(Vec<TableWrite>, u64), StoreFault> {
        let prefix = self.keys.all_entries();
        let (mut batch, mut rows) = (Vec::new(), Vec::new());
        let mut scan = PagedScan::new(&*self.ports.table, &prefix, SCAN_PAGE);
        while let Some(entries) = scan.next().await? {
            for entry in entries {
                let copy = [&*target.keys.all_entries(), &entry.key[prefix.len()..]].concat();
                let expect = Expect::Version(entry.version);
                rows.push(Stored::decode(&entry.value)?.row);
                // `Keep` with a version adds the source row to the precondition of the commit without writing it.
                batch.push(TableWrite { key: entry.key, expect, change: RowChange::Keep });
                batch.push(TableWrite::put(copy.into(), Expect::Absent, entry.value));
            }
            if rows.len() > COPY_ENTRIES_MAX {
                return Err(StoreFault::limit("entries in one copy", COPY_ENTRIES_MAX));
            }
        }
        target.account(&[], &rows.iter().collect::<Vec<_>>(), &mut batch).await?;
        Ok((batch, rows.len() as u64))
    }
}
