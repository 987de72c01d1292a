//! Committing a prepared change: one commit of the table, retried while others change what it depends on.
//!
//! A commit looks up the path again. If its row is still the one that was found, all other changes since are taken into
//! account; otherwise the change has to be prepared again.

use piton_core::Digest;
use piton_store::port::{BoxFuture, EntryChange as RowChange, EntryVersion, Expect, TableWrite};

use super::keys::DirectoryId;
use super::lookup::Lookup;
use super::pending::{Act, PendingCommit};
use super::row::{DirectoryRow, Stored};
use crate::bounds::COMMIT_TRIES_MAX;
use crate::path::MountPath;
use crate::store::{Before, Prepared, StoreFault};

impl Prepared for PendingCommit {
    fn before(&self) -> Before {
        self.before.clone()
    }

    fn after(&self) -> Option<Digest> {
        self.after
    }

    fn temp(&self) -> Option<&str> {
        None
    }

    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<(), StoreFault>> {
        Box::pin(async move {
            // A conflict on a directory or on the usage row is no reason to fail: rebuild the batch from the current
            // rows. A changed row of the path itself ends the loop as `Raced`.
            for _ in 0..COMMIT_TRIES_MAX {
                let batch = match &self.act {
                    Act::Put { path, stored } => self.put(path, stored).await?,
                    Act::Nothing => return Ok(()),
                    Act::Remove { path, forgets } => self.remove(path, *forgets).await?,
                    Act::Move { from, to } => self.relocate(from, to).await?,
                };
                match self.store.ports.table.commit(batch).await {
                    Ok(_) => return Ok(()),
                    Err(piton_store::Error::Conflict { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Err(StoreFault::Busy)
        })
    }
}

impl PendingCommit {
    /// Looks up the path, and fails as raced if its row is not the one that was found.
    async fn lookup(&self, path: &MountPath) -> Result<Lookup, StoreFault> {
        let lookup = self.store.lookup(path).await?;
        if lookup.version() == self.found { Ok(lookup) } else { Err(StoreFault::Raced) }
    }

    async fn put(&self, path: &MountPath, stored: &Stored) -> Result<Vec<TableWrite>, StoreFault> {
        let store = &self.store;
        let lookup = self.lookup(path).await?;
        // A new entry also rewrites the row of its directory, so a concurrent removal of the directory conflicts.
        let mut batch = store.guards(&lookup.steps, lookup.entry.is_none());
        let parent = self.make_missing(&lookup, &mut batch);
        let (_, name) = path.split().expect("the Mount itself is never written");
        batch.push(TableWrite {
            key: store.keys.entry(parent, name),
            expect: expect(lookup.version()),
            change: RowChange::Put(stored.encode()),
        });
        let mut removed: Vec<DirectoryRow> = lookup.row().cloned().into_iter().collect();
        // A whiteout that replaces a directory takes the upper entries with it.
        if let (Some(DirectoryRow::Directory { id, .. }), DirectoryRow::Whiteout { .. }) =
            (lookup.row(), &stored.row)
        {
            for node in store.tree(*id, path, None).await? {
                let expect = Expect::Version(node.version);
                batch.push(TableWrite { key: node.key, expect, change: RowChange::Remove });
                removed.push(node.row);
            }
        }
        let removed: Vec<&DirectoryRow> = removed.iter().collect();
        store.account(&removed, &[&stored.row], &mut batch).await?;
        Ok(batch)
    }

    /// Adds the missing directories above a path to the batch. Returns the directory that holds the path.
    fn make_missing(&self, lookup: &Lookup, batch: &mut Vec<TableWrite>) -> DirectoryId {
        let store = &self.store;
        let mut parent = lookup.last();
        let mut whiteout = lookup.whiteout.clone();
        for name in &lookup.missing {
            let id = store.new_id();
            // A directory that replaces a deleted one is opaque, so that the lower entries stay deleted.
            let deleted = whiteout.take();
            let below = deleted.as_ref().map(|(_, row)| (row.base(), row.landing()));
            let (base, landing) = below.unwrap_or_default();
            let opaque = deleted.is_some();
            let row = DirectoryRow::Directory { id, modified: store.now(), opaque, base, landing };
            batch.push(TableWrite {
                key: store.keys.entry(parent, name),
                expect: expect(deleted.map(|(version, _)| version)),
                change: RowChange::Put(Stored { row, inline: None }.encode()),
            });
            parent = id;
        }
        parent
    }

    async fn remove(&self, path: &MountPath, forgets: bool) -> Result<Vec<TableWrite>, StoreFault> {
        let store = &self.store;
        let lookup = self.lookup(path).await?;
        let (Some(parent), Some(found)) = (lookup.parent(), &lookup.entry) else {
            return Err(StoreFault::Raced);
        };
        let mut batch = store.guards(&lookup.steps, true);
        let (_, name) = path.split().expect("the Mount itself is never removed");
        let key = store.keys.entry(parent, name);
        batch.push(TableWrite { key, expect: expect(lookup.version()), change: RowChange::Remove });
        let mut removed = vec![found.stored.row.clone()];
        if let DirectoryRow::Directory { id, .. } = found.stored.row {
            for node in store.tree(id, path, None).await? {
                // An apply is about to put this entry below, where a removed row would not hide it.
                if node.row.landing().is_some() && !forgets {
                    return Err(StoreFault::Raced);
                }
                let expect = Expect::Version(node.version);
                batch.push(TableWrite { key: node.key, expect, change: RowChange::Remove });
                removed.push(node.row);
            }
        }
        let removed: Vec<&DirectoryRow> = removed.iter().collect();
        store.account(&removed, &[], &mut batch).await?;
        Ok(batch)
    }

    async fn relocate(
        &self,
        from: &MountPath,
        to: &MountPath,
    ) -> Result<Vec<TableWrite>, StoreFault> {
        let store = &self.store;
        let source = self.lookup(from).await?;
        let target = store.lookup(to).await?;
        let (Some(parent), Some(found)) = (source.parent(), &source.entry) else {
            return Err(StoreFault::Raced);
        };
        // The target is looked up again on each try, because only the source has a version to compare.
        if !matches!(target.row(), None | Some(DirectoryRow::Whiteout { .. })) {
            return Err(StoreFault::Exists);
        }
        let mut batch = store.guards(&source.steps, true);
        for guard in store.guards(&target.steps, true) {
            // A directory shared by both paths appears once in the batch; a rewrite takes precedence over a mere check.
            match batch.iter_mut().find(|one| one.key == guard.key) {
                Some(one) if one.change == RowChange::Keep => *one = guard,
                Some(_) => {}
                None => batch.push(guard),
            }
        }
        let holder = self.make_missing(&target, &mut batch);
        let (_, name) = from.split().expect("the Mount itself is never moved");
        let (_, new_name) = to.split().ok_or(StoreFault::Exists)?;
        batch.push(TableWrite {
            key: store.keys.entry(parent, name),
            expect: expect(source.version()),
            change: RowChange::Remove,
        });
        // A directory moves by this one row, because its entries are stored under its id.
        batch.push(TableWrite {
            key: store.keys.entry(holder, new_name),
            expect: expect(target.version()),
            change: RowChange::Put(found.stored.encode()),
        });
        Ok(batch)
    }
}

/// Returns the expectation that a row is still the one that was found.
pub(super) fn expect(version: Option<EntryVersion>) -> Expect {
    version.map_or(Expect::Absent, Expect::Version)
}
