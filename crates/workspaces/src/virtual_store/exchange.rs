//! Compare-and-swap of a single row, which is the basis for applying an overlay.

use piton_store::port::{EntryChange as RowChange, EntryVersion, TableWrite};

use super::pending::expect;
use super::row::{DirectoryRow, Stored};
use super::store::VirtualStore;
use crate::bounds::COMMIT_TRIES_MAX;
use crate::path::MountPath;
use crate::store::{LoadedFile, StoreFault};

/// A row as it was read, with its version.
pub(crate) struct SeenRow {
    pub(crate) version: EntryVersion,
    stored: Stored,
}

impl SeenRow {
    pub(crate) fn row(&self) -> &DirectoryRow {
        &self.stored.row
    }
}

impl VirtualStore {
    /// Returns the row of a path, if there is one.
    pub(crate) async fn seen(&self, path: &MountPath) -> Result<Option<SeenRow>, StoreFault> {
        match self.lookup(path).await {
            Ok(lookup) => Ok(lookup
                .entry
                .map(|found| SeenRow { version: found.version, stored: found.stored })),
            Err(StoreFault::NotDirectory) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Returns the content of the file in a row as it was read.
    pub(crate) async fn content_of(&self, seen: &SeenRow) -> Result<LoadedFile, StoreFault> {
        self.content(seen.stored.clone()).await
    }

    /// Replaces or removes a row if it is still the one that was read, and returns true if it was. A file keeps its
    /// content, and a directory is removed only if it is empty.
    pub(crate) async fn exchange(
        &self,
        path: &MountPath,
        seen: &SeenRow,
        row: Option<&DirectoryRow>,
    ) -> Result<bool, StoreFault> {
        for _ in 0..COMMIT_TRIES_MAX {
            let lookup = match self.lookup(path).await {
                Err(StoreFault::NotDirectory) => return Ok(false),
                lookup => lookup?,
            };
            let (Some(parent), true) = (lookup.parent(), lookup.version() == Some(seen.version))
            else {
                return Ok(false);
            };
            let mut batch = self.guards(&lookup.steps, row.is_none());
            let (_, name) = path.split().expect("the Mount itself has no row");
            let change = match row {
                Some(row) => {
                    let inline = seen.stored.inline.clone();
                    RowChange::Put(Stored { row: row.clone(), inline }.encode())
                }
                None => RowChange::Remove,
            };
            let expect = expect(Some(seen.version));
            batch.push(TableWrite { key: self.keys.entry(parent, name), expect, change });
            if row.is_none() {
                // Adding an entry rewrites the row of its directory. So an entry added after this scan makes the commit
                // conflict, and cannot be lost.
                if let DirectoryRow::Directory { id, .. } = seen.stored.row
                    && !self
                        .ports
                        .table
                        .scan(&self.keys.entries(id), None, 1)
                        .await?
                        .entries
                        .is_empty()
                {
                    return Ok(false);
                }
                self.account(&[&seen.stored.row], &[], &mut batch).await?;
            }
            // If this row, a directory above it or the usage row changed, look again.
            if self.commit(batch).await? {
                return Ok(true);
            }
        }
        Err(StoreFault::Busy)
    }

    /// True if a row, or any row under it, is being applied to the lower Store.
    pub(crate) async fn is_landing(&self, path: &MountPath) -> Result<bool, StoreFault> {
        let Some(row) = self.row_at(path).await? else { return Ok(false) };
        if let DirectoryRow::Directory { id, .. } = row {
            let tree = self.tree(id, path, None).await?;
            return Ok(
                row.landing().is_some() || tree.iter().any(|node| node.row.landing().is_some())
            );
        }
        Ok(row.landing().is_some())
    }
}
