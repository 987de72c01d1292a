//! Compare-and-swap of a single row, which is the basis for applying an overlay.

use piton_store::port::{EntryVersion, Expect, TableWrite};

use super::lookup::FoundRow;
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
        let found = match self.lookup(path).await {
            Err(StoreFault::NotDirectory) => None,
            lookup => lookup?.entry,
        };
        Ok(found.map(|FoundRow { version, stored }| SeenRow { version, stored }))
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
            let (key, expect) = (self.keys.entry(parent, name), Expect::Version(seen.version));
            if let Some(row) = row {
                let stored = Stored { row: row.clone(), inline: seen.stored.inline.clone() };
                batch.push(TableWrite::put(key, expect, stored.encode()));
            } else {
                batch.push(TableWrite::remove(key, expect));
                // Adding an entry rewrites the row of its directory. So an entry added after this scan makes the commit
                // conflict, and cannot be lost.
                if let DirectoryRow::Directory { id, .. } = seen.stored.row
                    && self.has_rows(&self.keys.entries(id)).await?
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
        let below = match row {
            DirectoryRow::Directory { id, .. } => self.tree(id, path, None).await?,
            _ => Vec::new(),
        };
        let mut rows = below.iter().map(|node| &node.row).chain([&row]);
        Ok(rows.any(|row| row.landing().is_some()))
    }
}
