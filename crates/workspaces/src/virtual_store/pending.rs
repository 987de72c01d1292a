//! Prepared changes of a Virtual Store: checked, with their content already stored, and made by one commit of the table.
//!
//! A commit looks up the path again. If its row is still the one that was found, all other changes since are taken into
//! account, and the commit is retried while others change what it depends on. Otherwise the change has to be prepared
//! again.

use piton_core::{Digest, FileBytes};
use piton_store::port::{EntryChange as RowChange, EntryVersion, Expect, TableWrite};

use super::lookup::Lookup;
use super::namespace::DirectoryId;
use super::row::{DirectoryRow, Stored};
use super::store::VirtualStore;
use crate::bounds::{COMMIT_TRIES_MAX, FILE_BYTES_MAX};
use crate::mask::Mask;
use crate::path::MountPath;
use crate::store::{Before, Expected, FileChange, Prepared, StoreFault};

/// A prepared change.
pub(crate) struct PendingCommit {
    pub(super) store: VirtualStore,
    pub(super) act: Act,
    /// Version of the row that was found at the path of the change.
    pub(super) found: Option<EntryVersion>,
    pub(super) before: Before,
    pub(super) after: Option<Digest>,
}

/// Action of a commit.
pub(super) enum Act {
    Nothing,
    Put {
        path: MountPath,
        stored: Stored,
    },
    /// Removes a row with everything under it. With `forgets`, also rows that are being applied.
    Remove {
        path: MountPath,
        forgets: bool,
    },
    Move {
        from: MountPath,
        to: MountPath,
    },
}

impl PendingCommit {
    /// Returns the change, unless its row differs from the one that the caller had seen before asking for it.
    pub(crate) fn since(self, seen: Option<EntryVersion>) -> Result<Prepared, StoreFault> {
        if self.found == seen { Ok(self.into()) } else { Err(StoreFault::Raced) }
    }
}

impl VirtualStore {
    /// Prepares a change.
    pub(crate) async fn prepare_change(
        &self,
        change: FileChange,
    ) -> Result<PendingCommit, StoreFault> {
        Ok(match change {
            FileChange::Write { path, bytes, expected, executable } => {
                self.prepare_file(path, &bytes, &expected, None, executable).await?
            }
            FileChange::Append { path, bytes } => {
                let (joined, expected) = match self.lookup(&path).await?.entry {
                    Some(found) if matches!(found.stored.row, DirectoryRow::File { .. }) => {
                        let loaded = self.content(found.stored).await?;
                        ([&*loaded.bytes, &bytes].concat(), Expected::Digest(loaded.digest))
                    }
                    _ => (bytes.to_vec(), Expected::Nothing),
                };
                let prepared = self.prepare_file(path, &joined, &expected, None, None).await;
                // A concurrent change is reported as a race, so the append is tried again instead of refused.
                prepared.map_err(|fault| match fault {
                    StoreFault::Conflict { .. } | StoreFault::Exists => StoreFault::Raced,
                    other => other,
                })?
            }
            FileChange::Delete { path, recursive, expected, mask } => {
                self.prepare_removal(path, recursive, &expected, &mask).await?
            }
            FileChange::Move { from, to, mask } => self.prepare_move(from, to, &mask).await?,
            FileChange::MakeDirectory { path } => self.prepare_directory(path).await?,
        })
    }

    /// Prepares a write that hides a lower file in an overlay.
    pub(crate) async fn prepare_copy_up(
        &self,
        path: MountPath,
        bytes: &[u8],
        base: Option<Digest>,
        executable: Option<bool>,
    ) -> Result<PendingCommit, StoreFault> {
        self.prepare_file(path, bytes, &Expected::Anything, base, executable).await
    }

    /// Prepares a whiteout, which marks a path as deleted in an overlay.
    pub(crate) async fn prepare_whiteout(
        &self,
        path: MountPath,
        base: Option<Digest>,
    ) -> Result<PendingCommit, StoreFault> {
        let lookup = self.lookup(&path).await?;
        // Every change of a row keeps the note of an apply in progress.
        let landing = lookup.row().and_then(DirectoryRow::landing);
        let row = DirectoryRow::Whiteout { base, modified: self.now(), landing };
        let act = Act::Put { path, stored: Stored { row, inline: None } };
        Ok(self.pending(act, &lookup, None))
    }

    /// Creates the change of the row that was looked up.
    fn pending(&self, act: Act, lookup: &Lookup, after: Option<Digest>) -> PendingCommit {
        let before = match lookup.row() {
            Some(DirectoryRow::File { digest, .. }) => Before::File(Some(*digest)),
            Some(DirectoryRow::Directory { .. }) => Before::Directory,
            Some(DirectoryRow::Whiteout { .. }) | None => Before::Nothing,
        };
        PendingCommit { store: self.clone(), act, found: lookup.version(), before, after }
    }

    /// Removes a row of any kind with everything under it.
    pub(crate) async fn forget(&self, path: MountPath) -> Result<(), StoreFault> {
        for _ in 0..COMMIT_TRIES_MAX {
            let lookup = match self.lookup(&path).await {
                Err(StoreFault::NotDirectory) => return Ok(()),
                lookup => lookup?,
            };
            if lookup.entry.is_none() {
                return Ok(());
            }
            let act = Act::Remove { path: path.clone(), forgets: true };
            match self.pending(act, &lookup, None).commit().await {
                Err(StoreFault::Raced) => {}
                forgotten => return forgotten,
            }
        }
        Err(StoreFault::Busy)
    }

    async fn prepare_file(
        &self,
        path: MountPath,
        bytes: &[u8],
        expected: &Expected,
        base: Option<Digest>,
        executable: Option<bool>,
    ) -> Result<PendingCommit, StoreFault> {
        let size = bytes.len() as u64;
        if size > FILE_BYTES_MAX {
            return Err(StoreFault::TooLarge { bytes: size, max: FILE_BYTES_MAX });
        }
        if path.is_root() {
            return Err(StoreFault::IsDirectory);
        }
        let lookup = self.lookup(&path).await?;
        let (old, executable) = match lookup.row() {
            Some(DirectoryRow::Directory { .. }) => return Err(StoreFault::IsDirectory),
            Some(DirectoryRow::File { digest, executable: old, .. }) => {
                (Some(*digest), executable.or(*old))
            }
            // The new file is unrelated to the deleted one, so it does not inherit the executable bit of the lower
            // file.
            Some(DirectoryRow::Whiteout { .. }) => (None, executable.or(Some(false))),
            None => (None, executable),
        };
        // The base of the first change stays, so an apply compares with the state that the agent started from.
        let base = base.or_else(|| lookup.row().and_then(DirectoryRow::base));
        let landing = lookup.row().and_then(DirectoryRow::landing);
        expected.check(old.as_ref())?;
        let digest = Digest::of(&FileBytes(bytes));
        let modified = self.now();
        let row = DirectoryRow::File { digest, bytes: size, modified, base, executable, landing };
        self.check_usage(&lookup, &row).await?;
        // The content is stored before the row that refers to it. A crash in between leaves only an unreferenced blob.
        let stored = Stored { row, inline: self.keep(bytes).await? };
        Ok(self.pending(Act::Put { path, stored }, &lookup, Some(digest)))
    }

    async fn prepare_directory(&self, path: MountPath) -> Result<PendingCommit, StoreFault> {
        let lookup = self.lookup(&path).await?;
        let (id, opaque, base) = match lookup.row() {
            Some(DirectoryRow::File { .. }) => return Err(StoreFault::Exists),
            Some(DirectoryRow::Directory { id, opaque, base, .. }) => (*id, *opaque, *base),
            // A directory in place of a deleted entry hides the lower one, which would show through otherwise.
            Some(DirectoryRow::Whiteout { base, .. }) => (self.new_id(), true, *base),
            None => (self.new_id(), false, None),
        };
        let landing = lookup.row().and_then(DirectoryRow::landing);
        let row = DirectoryRow::Directory { id, modified: self.now(), opaque, base, landing };
        let stored = Stored { row, inline: None };
        let act = if path.is_root() { Act::Nothing } else { Act::Put { path, stored } };
        Ok(self.pending(act, &lookup, None))
    }

    async fn prepare_removal(
        &self,
        path: MountPath,
        recursive: bool,
        expected: &Expected,
        mask: &Mask,
    ) -> Result<PendingCommit, StoreFault> {
        let lookup = self.lookup(&path).await?;
        match lookup.row() {
            Some(DirectoryRow::Directory { id, .. }) => {
                let tree = self.tree(*id, &path, Some(mask)).await?;
                if !recursive && !tree.is_empty() {
                    return Err(StoreFault::NotEmpty);
                }
            }
            Some(DirectoryRow::File { digest, .. }) => expected.check(Some(digest))?,
            Some(DirectoryRow::Whiteout { .. }) | None => return Err(StoreFault::NotFound),
        }
        Ok(self.pending(Act::Remove { path, forgets: false }, &lookup, None))
    }

    async fn prepare_move(
        &self,
        from: MountPath,
        to: MountPath,
        mask: &Mask,
    ) -> Result<PendingCommit, StoreFault> {
        if to.starts_with(&from) {
            return Err(if to == from { StoreFault::Exists } else { StoreFault::NotDirectory });
        }
        let lookup = self.lookup(&from).await?;
        let after = match lookup.row() {
            Some(DirectoryRow::Directory { id, .. }) => {
                self.tree(*id, &from, Some(mask)).await?;
                // Walks the tree under its new path, which fails if an entry would end up too deep to be addressed.
                self.tree(*id, &to, None).await?;
                None
            }
            Some(DirectoryRow::File { digest, .. }) => Some(*digest),
            Some(DirectoryRow::Whiteout { .. }) | None => return Err(StoreFault::NotFound),
        };
        if !matches!(self.lookup(&to).await?.row(), None | Some(DirectoryRow::Whiteout { .. })) {
            return Err(StoreFault::Exists);
        }
        Ok(self.pending(Act::Move { from, to }, &lookup, after))
    }
}

impl From<PendingCommit> for Prepared {
    fn from(pending: PendingCommit) -> Self {
        let (before, after) = (pending.before.clone(), pending.after);
        Self::new(before, after, move || Box::pin(pending.commit()))
    }
}

impl PendingCommit {
    async fn commit(self) -> Result<(), StoreFault> {
        // A conflict on a directory or on the usage row is no reason to fail: rebuild the batch from the current rows. A
        // changed row of the path itself ends the loop as `Raced`.
        for _ in 0..COMMIT_TRIES_MAX {
            let batch = match &self.act {
                Act::Put { path, stored } => self.put(path, stored).await?,
                Act::Nothing => return Ok(()),
                Act::Remove { path, forgets } => self.remove(path, *forgets).await?,
                Act::Move { from, to } => self.relocate(from, to).await?,
            };
            if self.store.commit(batch).await? {
                return Ok(());
            }
        }
        Err(StoreFault::Busy)
    }

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
        let key = store.keys.entry(parent, name);
        batch.push(TableWrite::put(key, lookup.version().into(), stored.encode()));
        let mut removed: Vec<DirectoryRow> = lookup.row().cloned().into_iter().collect();
        // A whiteout that replaces a directory takes the upper entries with it.
        if let (Some(DirectoryRow::Directory { id, .. }), DirectoryRow::Whiteout { .. }) =
            (lookup.row(), &stored.row)
        {
            for node in store.tree(*id, path, None).await? {
                batch.push(TableWrite::remove(node.key, Expect::Version(node.version)));
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
            let (key, stored) = (store.keys.entry(parent, name), Stored { row, inline: None });
            let read = deleted.map(|(version, _)| version);
            batch.push(TableWrite::put(key, read.into(), stored.encode()));
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
        batch.push(TableWrite::remove(key, lookup.version().into()));
        let mut removed = vec![found.stored.row.clone()];
        if let DirectoryRow::Directory { id, .. } = found.stored.row {
            for node in store.tree(id, path, None).await? {
                // An apply is about to put this entry below, where a removed row would not hide it.
                if node.row.landing().is_some() && !forgets {
                    return Err(StoreFault::Raced);
                }
                batch.push(TableWrite::remove(node.key, Expect::Version(node.version)));
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
        let (old, new) = (store.keys.entry(parent, name), store.keys.entry(holder, new_name));
        batch.push(TableWrite::remove(old, source.version().into()));
        // A directory moves by this one row, because its entries are stored under its id.
        batch.push(TableWrite::put(new, target.version().into(), found.stored.encode()));
        Ok(batch)
    }
}
