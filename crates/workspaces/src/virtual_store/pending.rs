//! Changes of a Virtual Store: looked at when they are prepared, and made by one commit.
//!
//! A commit looks again. If the row of the path is still the one that was found, what else changed in
//! the meantime is taken into account; if it is not, the change has to be prepared again.

use piton_core::{Digest, FileBytes};
use piton_store::port::{BoxFuture, Change as RowChange, Expect, Version, Write};

use super::{
    keys::DirectoryId,
    lookup::Lookup,
    row::{Row, Stored, Usage},
    store::VirtualStore,
};
use crate::{
    bounds::{COMMIT_TRIES_MAX, FILE_BYTES_MAX},
    mask::Mask,
    path::MountPath,
    store::{Before, Change, Expected, Fault, Prepared},
};

/// A change that is ready.
struct Pending {
    store: VirtualStore,
    act: Act,
    /// The row that was found at the path of the change.
    found: Option<Version>,
    before: Before,
    after: Option<Digest>,
}

/// What a commit does.
enum Act {
    Nothing,
    Put { path: MountPath, stored: Stored },
    Remove { path: MountPath },
    Move { from: MountPath, to: MountPath },
}

impl VirtualStore {
    /// Makes a change ready.
    pub(super) async fn prepare_change(&self, change: Change) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(match change {
            Change::Write { path, bytes, expected } => {
                self.prepare_file(path, &bytes, &expected, None).await?
            }
            Change::Append { path, bytes } => {
                let lookup = self.lookup(&path).await?;
                let old = match lookup.entry {
                    Some(found) if matches!(found.stored.row, Row::File { .. }) => {
                        let loaded = self.content(found.stored).await?;
                        Some((loaded.digest, [&*loaded.bytes, &bytes].concat()))
                    }
                    _ => None,
                };
                match old {
                    Some((digest, joined)) => {
                        let expected = Expected::Digest(digest);
                        // Somebody who changed it in between is told as such, and tried again.
                        let prepared = self.prepare_file(path, &joined, &expected, None).await;
                        prepared.map_err(|fault| match fault {
                            Fault::Conflict { .. } => Fault::Raced,
                            other => other,
                        })?
                    }
                    None => self.prepare_file(path, &bytes, &Expected::Anything, None).await?,
                }
            }
            Change::Delete { path, recursive, mask } => {
                self.prepare_removal(path, recursive, &mask).await?
            }
            Change::Move { from, to, mask } => self.prepare_move(from, to, &mask).await?,
            Change::MakeDirectory { path } => self.prepare_directory(path).await?,
        }))
    }

    /// Makes a write ready that, in an overlay, stands in front of a file below.
    pub(crate) async fn prepare_copy_up(
        &self,
        path: MountPath,
        bytes: &[u8],
        base: Option<Digest>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(self.prepare_file(path, bytes, &Expected::Anything, base).await?))
    }

    /// Makes ready that a path is told as deleted, in an overlay.
    pub(crate) async fn prepare_whiteout(
        &self,
        path: MountPath,
        base: Option<Digest>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        let lookup = self.lookup(&path).await?;
        let stored = Stored { row: Row::Whiteout { base, modified: self.now() }, inline: None };
        let (found, before) = (lookup.version(), before(lookup.row()));
        let act = Act::Put { path, stored };
        Ok(Box::new(Pending { store: self.clone(), act, found, before, after: None }))
    }

    /// Takes away a row with everything below it, whatever it is.
    pub(crate) async fn forget(&self, path: MountPath) -> Result<(), Fault> {
        let lookup = self.lookup(&path).await?;
        let (found, before) = (lookup.version(), before(lookup.row()));
        let act = Act::Remove { path };
        let pending = Pending { store: self.clone(), act, found, before, after: None };
        Box::new(pending).commit().await
    }

    async fn prepare_file(
        &self,
        path: MountPath,
        bytes: &[u8],
        expected: &Expected,
        base: Option<Digest>,
    ) -> Result<Pending, Fault> {
        let size = bytes.len() as u64;
        if size > FILE_BYTES_MAX {
            return Err(Fault::TooLarge { bytes: size, max: FILE_BYTES_MAX });
        }
        if path.is_root() {
            return Err(Fault::IsDirectory);
        }
        let lookup = self.lookup(&path).await?;
        let (old, base) = match lookup.row() {
            Some(Row::Directory { .. }) => return Err(Fault::IsDirectory),
            Some(Row::File { digest, base: old_base, .. }) => (Some(*digest), base.or(*old_base)),
            Some(Row::Whiteout { base: old_base, .. }) => (None, base.or(*old_base)),
            None => (None, base),
        };
        expected.check(old.as_ref())?;
        let digest = Digest::of(&FileBytes(bytes));
        let row = Row::File { digest, bytes: size, modified: self.now(), base };
        self.check_usage(&lookup, &row).await?;
        let stored = Stored { row, inline: self.keep(bytes).await? };
        Ok(Pending {
            store: self.clone(),
            act: Act::Put { path, stored },
            found: lookup.version(),
            before: before(lookup.row()),
            after: Some(digest),
        })
    }

    /// Refuses early what the quota will refuse, before any content is kept.
    async fn check_usage(&self, lookup: &Lookup, row: &Row) -> Result<(), Fault> {
        let Some(quota) = self.quota else {
            return Ok(());
        };
        let removed: Vec<&Row> = lookup.row().into_iter().collect();
        let usage = self.usage().await?.0.after(&removed, &[row]);
        quota.check(usage.bytes, usage.files)
    }

    async fn prepare_directory(&self, path: MountPath) -> Result<Pending, Fault> {
        let lookup = self.lookup(&path).await?;
        let id = match lookup.row() {
            Some(Row::File { .. }) => return Err(Fault::Exists),
            Some(Row::Directory { id, .. }) => *id,
            Some(Row::Whiteout { .. }) | None => self.new_id(),
        };
        let opaque = match lookup.row() {
            Some(Row::Directory { opaque, .. }) => *opaque,
            other => matches!(other, Some(Row::Whiteout { .. })),
        };
        let row = Row::Directory { id, modified: self.now(), opaque };
        let stored = Stored { row, inline: None };
        Ok(Pending {
            store: self.clone(),
            act: if path.is_root() { Act::Nothing } else { Act::Put { path, stored } },
            found: lookup.version(),
            before: before(lookup.row()),
            after: None,
        })
    }

    async fn prepare_removal(
        &self,
        path: MountPath,
        recursive: bool,
        mask: &Mask,
    ) -> Result<Pending, Fault> {
        let lookup = self.lookup(&path).await?;
        match lookup.row() {
            Some(Row::Directory { id, .. }) => {
                let tree = self.tree(*id, &path, Some(mask)).await?;
                if !recursive && !tree.is_empty() {
                    return Err(Fault::NotEmpty);
                }
            }
            Some(Row::File { .. }) => {}
            Some(Row::Whiteout { .. }) | None => return Err(Fault::NotFound),
        }
        Ok(Pending {
            store: self.clone(),
            found: lookup.version(),
            before: before(lookup.row()),
            after: None,
            act: Act::Remove { path },
        })
    }

    async fn prepare_move(
        &self,
        from: MountPath,
        to: MountPath,
        mask: &Mask,
    ) -> Result<Pending, Fault> {
        if to.starts_with(&from) {
            return Err(if to == from { Fault::Exists } else { Fault::NotDirectory });
        }
        let lookup = self.lookup(&from).await?;
        match lookup.row() {
            Some(Row::Directory { id, .. }) => {
                self.tree(*id, &from, Some(mask)).await?;
            }
            Some(Row::File { .. }) => {}
            Some(Row::Whiteout { .. }) | None => return Err(Fault::NotFound),
        }
        if !matches!(self.lookup(&to).await?.row(), None | Some(Row::Whiteout { .. })) {
            return Err(Fault::Exists);
        }
        let after = match lookup.row() {
            Some(Row::File { digest, .. }) => Some(*digest),
            _ => None,
        };
        Ok(Pending {
            store: self.clone(),
            found: lookup.version(),
            before: before(lookup.row()),
            after,
            act: Act::Move { from, to },
        })
    }
}

fn before(row: Option<&Row>) -> Before {
    match row {
        Some(Row::File { digest, .. }) => Before::File(Some(*digest)),
        Some(Row::Directory { .. }) => Before::Directory,
        Some(Row::Whiteout { .. }) | None => Before::Nothing,
    }
}

impl Prepared for Pending {
    fn before(&self) -> Before {
        self.before.clone()
    }

    fn after(&self) -> Option<Digest> {
        self.after
    }

    fn temp(&self) -> Option<&str> {
        None
    }

    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(async move {
            for _ in 0..COMMIT_TRIES_MAX {
                let batch = match &self.act {
                    Act::Put { path, stored } => self.put(path, stored).await?,
                    Act::Nothing => return Ok(()),
                    Act::Remove { path } => self.remove(path).await?,
                    Act::Move { from, to } => self.relocate(from, to).await?,
                };
                match self.store.ports.table.commit(batch).await {
                    Ok(_) => return Ok(()),
                    Err(piton_store::Error::Conflict { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Err(Fault::Busy)
        })
    }
}

impl Pending {
    /// What stands at the path now, if it is still what was found.
    async fn look(&self, path: &MountPath) -> Result<Lookup, Fault> {
        let lookup = self.store.lookup(path).await?;
        if lookup.version() == self.found { Ok(lookup) } else { Err(Fault::Raced) }
    }

    async fn put(&self, path: &MountPath, stored: &Stored) -> Result<Vec<Write>, Fault> {
        let store = &self.store;
        let lookup = self.look(path).await?;
        let mut batch = store.guards(&lookup.steps, lookup.entry.is_none());
        let parent = self.make_missing(&lookup, &mut batch);
        let (_, name) = path.split().expect("the Mount itself is never written");
        batch.push(Write {
            key: store.keys.entry(parent, name),
            expect: expect(lookup.version()),
            change: RowChange::Put(stored.encode()),
        });
        let mut removed: Vec<Row> = lookup.row().cloned().into_iter().collect();
        if let (Some(Row::Directory { id, .. }), Row::Whiteout { .. }) = (lookup.row(), &stored.row)
        {
            for node in store.tree(*id, path, None).await? {
                let expect = Expect::Version(node.version);
                batch.push(Write { key: node.key, expect, change: RowChange::Remove });
                removed.push(node.row);
            }
        }
        let removed: Vec<&Row> = removed.iter().collect();
        store.account(&removed, &[&stored.row], &mut batch).await?;
        Ok(batch)
    }

    /// Makes the directories above a path that are missing; returns the one that holds it.
    fn make_missing(&self, lookup: &Lookup, batch: &mut Vec<Write>) -> DirectoryId {
        let store = &self.store;
        let mut parent = lookup.last();
        let mut whiteout = lookup.whiteout;
        for name in &lookup.missing {
            let id = store.new_id();
            // What was deleted below stays deleted when a directory takes its place.
            let row = Row::Directory { id, modified: store.now(), opaque: whiteout.is_some() };
            batch.push(Write {
                key: store.keys.entry(parent, name),
                expect: expect(whiteout.take()),
                change: RowChange::Put(Stored { row, inline: None }.encode()),
            });
            parent = id;
        }
        parent
    }

    async fn remove(&self, path: &MountPath) -> Result<Vec<Write>, Fault> {
        let store = &self.store;
        let lookup = self.look(path).await?;
        let (Some(parent), Some(found)) = (lookup.parent(), &lookup.entry) else {
            return Err(Fault::Raced);
        };
        let mut batch = store.guards(&lookup.steps, true);
        let (_, name) = path.split().expect("the Mount itself is never removed");
        let key = store.keys.entry(parent, name);
        batch.push(Write { key, expect: expect(lookup.version()), change: RowChange::Remove });
        let mut removed = vec![found.stored.row.clone()];
        if let Row::Directory { id, .. } = found.stored.row {
            for node in store.tree(id, path, None).await? {
                let expect = Expect::Version(node.version);
                batch.push(Write { key: node.key, expect, change: RowChange::Remove });
                removed.push(node.row);
            }
        }
        let removed: Vec<&Row> = removed.iter().collect();
        store.account(&removed, &[], &mut batch).await?;
        Ok(batch)
    }

    async fn relocate(&self, from: &MountPath, to: &MountPath) -> Result<Vec<Write>, Fault> {
        let store = &self.store;
        let source = self.look(from).await?;
        let target = store.lookup(to).await?;
        let (Some(parent), Some(found)) = (source.parent(), &source.entry) else {
            return Err(Fault::Raced);
        };
        if !matches!(target.row(), None | Some(Row::Whiteout { .. })) {
            return Err(Fault::Exists);
        }
        let mut batch = store.guards(&source.steps, true);
        for guard in store.guards(&target.steps, true) {
            // A directory that both ways share is named once; a rewrite counts more than a look.
            match batch.iter_mut().find(|one| one.key == guard.key) {
                Some(one) if one.change == RowChange::Keep => *one = guard,
                Some(_) => {}
                None => batch.push(guard),
            }
        }
        let holder = self.make_missing(&target, &mut batch);
        let (_, name) = from.split().expect("the Mount itself is never moved");
        let (_, new_name) = to.split().ok_or(Fault::Exists)?;
        batch.push(Write {
            key: store.keys.entry(parent, name),
            expect: expect(source.version()),
            change: RowChange::Remove,
        });
        batch.push(Write {
            key: store.keys.entry(holder, new_name),
            expect: expect(target.version()),
            change: RowChange::Put(found.stored.encode()),
        });
        Ok(batch)
    }
}

fn expect(version: Option<Version>) -> Expect {
    version.map_or(Expect::Absent, Expect::Version)
}

impl VirtualStore {
    /// How much there is, and the write that says so.
    pub(super) async fn usage(&self) -> Result<(Usage, Option<Version>), Fault> {
        let Some(entry) = self.ports.table.get(&self.keys.usage()).await? else {
            return Ok((Usage::default(), None));
        };
        let damaged = Fault::Data(piton_core::Code::StoreInvariantViolation);
        let usage = serde_json::from_slice(&entry.value).map_err(|_| damaged)?;
        Ok((usage, Some(entry.version)))
    }

    /// Adds to a batch what it does to the usage, if anything, and refuses what is over the quota.
    async fn account(
        &self,
        removed: &[&Row],
        added: &[&Row],
        batch: &mut Vec<Write>,
    ) -> Result<(), Fault> {
        let (usage, version) = self.usage().await?;
        let after = usage.after(removed, added);
        if after == usage {
            return Ok(());
        }
        if let Some(quota) = self.quota.filter(|_| !added.is_empty()) {
            quota.check(after.bytes, after.files)?;
        }
        batch.push(Write {
            key: self.keys.usage(),
            expect: expect(version),
            change: RowChange::Put(
                serde_json::to_vec(&after).expect("two numbers have a JSON form"),
            ),
        });
        Ok(())
    }
}
