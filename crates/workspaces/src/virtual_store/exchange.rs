//! Replacing one row by another, if it is still the one that was looked at: how an overlay is applied.

use piton_store::port::{EntryChange as RowChange, EntryVersion, TableWrite};

use super::{
    commit::expect,
    row::{DirectoryRow, Stored},
    store::VirtualStore,
};
use crate::{
    bounds::COMMIT_TRIES_MAX,
    path::MountPath,
    store::{LoadedFile, StoreFault},
};

/// A row that was looked at.
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
    /// The row of a path, if there is one.
    pub(crate) async fn seen(&self, path: &MountPath) -> Result<Option<SeenRow>, StoreFault> {
        match self.lookup(path).await {
            Ok(lookup) => Ok(lookup
                .entry
                .map(|found| SeenRow { version: found.version, stored: found.stored })),
            Err(StoreFault::NotDirectory) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// The content of a file, of the row that was looked at.
    pub(crate) async fn content_of(&self, seen: &SeenRow) -> Result<LoadedFile, StoreFault> {
        self.content(seen.stored.clone()).await
    }

    /// Replaces a row, or takes it away, if it is still the one that was looked at; says whether it was. A file keeps
    /// its content, and a directory goes only if nothing is in it.
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
                // Whoever adds an entry rewrites the row of its directory, so that it cannot be lost to this.
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
            match self.ports.table.commit(batch).await {
                Ok(_) => return Ok(true),
                // Somebody changed this row, a directory above it, or how much there is in all: it is looked at again.
                Err(piton_store::Error::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(StoreFault::Busy)
    }

    /// Whether a row, or one below it, is being applied to what is below.
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
