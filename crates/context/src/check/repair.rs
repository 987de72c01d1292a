//! Makes the stored data of a project usable again after damage.
//!
//! Nodes that the disk still holds are rewritten from there, and sets, heads and indices are rebuilt from the frames. A
//! frame, note or earlier tree that cannot be read is taken out of use: its row is preserved under a key of its own,
//! the head falls back to the frame before, and references to it count as lost from then on, not as damaged.
//!
//! *Invariants*: a row is preserved before, or together with, the write that replaces it. A repair that dies is
//! completed by the next one, and a further repair changes nothing. A concurrent append makes it start over.
//!
//! *Limitations*: in rows written before frames had seals, a change of a field that is not part of the id is reported
//! as damage of the set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use piton_store::PagedScan;
use piton_store::port::BoxFuture;
use piton_store::port::{Batch, BlobEntry, BlobNamespace, Key, Table, TableEntry, TableWrite};
use serde::Serialize;

use super::damage::RowFlaw;
use super::frames::{FrameCheck, frame_name, place_of};
use super::{Damage, DamageKind, Validation};
use crate::bounds::{NODE_BATCH_BYTES, NODE_BATCH_KEYS, PAGE, TRIES_MAX};
use crate::context::{keep, put, put_after, remove_after};
use crate::frame::FRAMES_CROWDED;
use crate::history::{CROWDED, RootEntry, TOUCHED_EVERYWHERE, TreeCursor, TreeDifference};
use crate::rows::{NodeBody, ProjectKeys, RowKind, node_id_of, split_path};
use crate::tree::{Directory, TreeNodeId, TreePath};
use crate::{Context, Error, ProjectId};

/// Result of a repair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextRepaired {
    /// Number of tree nodes that were rewritten from the disk.
    pub rewritten: u64,
    /// Rows that were rebuilt from other rows.
    pub rebuilt: Vec<Damage>,
    /// Rows that could not be read or were missing, and are out of use now.
    pub taken: Vec<SetAside>,
    /// Paths of the damaged frame contents that were moved away, relative to the data directory.
    pub contents: Vec<String>,
}

/// A row that a repair took out of use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SetAside {
    pub kind: DamageKind,
    /// Name of the item, for people.
    pub what: String,
    /// Number of bytes that are preserved; 0 if the row was missing.
    pub bytes: u64,
}

impl Context {
    /// Makes the stored context usable again from the files as they are now. Returns the work done, and the result of a
    /// check afterwards.
    pub async fn repair_from_disk(&self) -> Result<(ContextRepaired, Validation), Error> {
        let found = self.scanner().scan(true)?;
        let done = self.repair(&found.tree, found.report.is_partial()).await?;
        Ok((done, self.validate().await?))
    }

    /// Makes everything usable again and makes `tree`, which was just scanned, the current tree.
    pub async fn repair(
        &self,
        tree: &Arc<Directory>,
        partial: bool,
    ) -> Result<ContextRepaired, Error> {
        let mut done = self.repair_trees(tree, partial).await?;
        // Contents first: a frame with damaged content is damaged as well.
        self.set_contents_aside(&mut done).await?;
        for _ in 0..TRIES_MAX {
            match self.repair_frames(&mut done).await {
                Err(error) if error.is_conflict() => {}
                outcome => {
                    done.taken.sort_unstable();
                    return outcome.map(|()| done);
                }
            }
        }
        Err(Error::too_many(FRAMES_CROWDED))
    }

    /// Makes `tree`, which was just scanned, the current tree, whatever is damaged in the earlier ones.
    pub async fn repair_trees(
        &self,
        tree: &Arc<Directory>,
        partial: bool,
    ) -> Result<ContextRepaired, Error> {
        let mut done = ContextRepaired::default();
        for _ in 0..TRIES_MAX {
            match self.try_repair_trees(tree, partial, &mut done).await {
                Err(error) if error.is_conflict() => {}
                outcome => return outcome.map(|()| done),
            }
        }
        Err(Error::too_many(CROWDED))
    }

    fn try_repair_trees<'a>(
        &'a self,
        tree: &'a Arc<Directory>,
        partial: bool,
        done: &'a mut ContextRepaired,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            // Comparing with nothing lists every node of the scanned tree. Only those that are not intact are written
            // again.
            let everything = self.compare(None, TreeCursor::Scanned(Arc::clone(tree))).await?;
            let TreeDifference { new_nodes, .. } = everything;
            let mut damaged = Vec::new();
            for (path, node) in new_nodes {
                if !matches!(self.body(node.id()).await, Ok(Some(_))) {
                    damaged.push((path, node));
                }
            }
            done.rewritten += damaged.len() as u64;
            let last = self.write_nodes(damaged).await?;
            if !last.is_empty() {
                // The nodes must be readable before the roots are checked against them.
                self.commit(last).await?;
            }
            let nodes = self.set_nodes_aside(done).await?;
            self.repair_roots(tree, partial, &nodes, done).await
        })
    }

    /// Takes unreadable nodes out of use, and notes which are missing. They belong to earlier trees, because the nodes
    /// on disk were rewritten before. Returns the nodes that exist or are known to be lost.
    async fn set_nodes_aside(
        &self,
        done: &mut ContextRepaired,
    ) -> Result<BTreeSet<TreeNodeId>, Error> {
        let mut ids = BTreeSet::new();
        self.each_row(RowKind::Node, |row| ids.extend(node_id_of(&row.key))).await?;
        let (mut known, mut needed) = (BTreeSet::new(), BTreeSet::new());
        let mut groups = Vec::new();
        for id in ids {
            match self.body(id).await {
                Ok(Some((_, body))) => {
                    known.insert(id);
                    if let NodeBody::Directory { children, .. } = body {
                        needed.extend(children.iter().map(|child| child.id));
                    }
                    continue;
                }
                // Any other error is no damage: the store may only be unavailable, so nothing may be taken away.
                Ok(None) | Err(Error::Integrity { .. }) => {}
                Err(error) => return Err(error),
            }
            // A lost node counts as known, so that it is not noted as missing as well.
            known.insert(id);
            for row in self.rows(&self.keys.node(id, 0)).await? {
                groups.push(self.take_away(&row, done).await?);
            }
        }
        self.commit_groups(groups, None).await?;
        for id in &needed {
            if !known.contains(id) {
                self.note_missing(self.keys.node(*id, 0), done).await?;
            }
        }
        known.extend(needed);
        Ok(known)
    }

    /// Makes the current tree and the recorded trees readable.
    async fn repair_roots(
        &self,
        tree: &Arc<Directory>,
        partial: bool,
        nodes: &BTreeSet<TreeNodeId>,
        done: &mut ContextRepaired,
    ) -> Result<(), Error> {
        let current_key = self.keys.only(RowKind::Current);
        let current = self.row(&current_key).await?;
        // The row of the current tree duplicates a recorded tree, so it can restore the other one if it is intact.
        let known = match current.as_ref().map(|row| RootEntry::decode(&row.value)) {
            Some(Ok(entry)) if self.is_tree(&entry).await? => Some(entry),
            _ => None,
        };
        let mut groups = Vec::new();
        let mut trees = BTreeMap::new();
        for row in self.rows(&self.keys.all(RowKind::Root)).await? {
            let number = row.key[17..].try_into().map_or(0, u64::from_be_bytes);
            let said = known.as_ref().filter(|known| known.sequence == number);
            let entry = match RootEntry::decode(&row.value) {
                Ok(entry) if entry.sequence == number && said.is_none_or(|said| *said == entry) => {
                    Some(entry)
                }
                _ => None,
            };
            let entry = match entry {
                // The recorded size can be checked against the topmost directory.
                Some(entry) if nodes.contains(&entry.root) && !self.is_tree(&entry).await? => None,
                entry => entry,
            };
            match (entry, said) {
                (Some(entry), _) => {
                    if !nodes.contains(&entry.root) {
                        self.note_missing(self.keys.node(entry.root, 0), done).await?;
                    }
                    trees.insert(number, entry);
                }
                (None, Some(said)) => {
                    let damage = Damage::new(DamageKind::Root, root_name(number), "");
                    done.rebuilt.push(damage);
                    // Preserve the damaged row in the same commit that replaces it.
                    let mut group = self.kept(&row).await?;
                    group.push(put_after(Key::clone(&row.key), Some(&row), said.encode()));
                    groups.push(group);
                    trees.insert(number, said.clone());
                }
                (None, None) => groups.push(self.take_away(&row, done).await?),
            }
        }
        let missing = known.as_ref().filter(|known| !trees.contains_key(&known.sequence));
        if let Some(known) = missing.cloned() {
            let damage = Damage::new(DamageKind::Root, root_name(known.sequence), "");
            done.rebuilt.push(damage);
            groups.push(vec![put_after(self.keys.root(known.sequence), None, known.encode())]);
            trees.insert(known.sequence, known);
        }
        self.commit_groups(groups, None).await?;

        // A number that was ever used must not be given out again, even if its tree is lost.
        let taken = self.taken_away().await?;
        let newest = trees.last_key_value().map(|(_, newest)| newest.clone());
        let lost = taken.iter().filter_map(|key| key.strip_prefix(&*self.keys.all(RowKind::Root)));
        let lost = lost.filter_map(|number| number.try_into().map(u64::from_be_bytes).ok());
        let highest = trees.keys().copied().chain(lost).max().unwrap_or(0);
        let is_there = newest.as_ref().is_some_and(|newest| newest.root == tree.id());
        let root = match newest.filter(|newest| is_there && newest.sequence == highest) {
            Some(newest) => newest,
            None => RootEntry {
                sequence: highest + 1,
                root: tree.id(),
                totals: tree.totals(),
                partial,
                recorded_at_ms: self.ports.clock.now_ms(),
            },
        };
        // A gap in the numbers would look like damage to the next check.
        for number in 1..root.sequence {
            if !trees.contains_key(&number) {
                self.note_missing(self.keys.root(number), done).await?;
            }
        }
        let mut batch = Batch::new();
        if known.as_ref() != Some(&root) {
            if known.is_none()
                && let Some(row) = &current
            {
                batch.extend(self.kept(row).await?);
            }
            if current.is_some() {
                done.rebuilt.push(Damage::new(DamageKind::Root, "the current tree", ""));
            }
            batch.push(put_after(current_key, current.as_ref(), root.encode()));
            if !trees.contains_key(&root.sequence) {
                batch.push(put_after(self.keys.root(root.sequence), None, root.encode()));
            }
            // The changes since the last readable tree are unknown.
            batch.push(self.touch_everywhere());
        }
        for row in self.rows(&self.keys.all(RowKind::Label)).await? {
            let number = row.value.as_slice().try_into().map_or(0, u64::from_be_bytes);
            if number == 0 || number > root.sequence {
                batch.extend(self.take_away(&row, done).await?);
            }
        }
        self.commit_groups(vec![batch], None).await
    }

    /// True if a tree exists as it was recorded.
    async fn is_tree(&self, entry: &RootEntry) -> Result<bool, Error> {
        match self.body(entry.root).await {
            Ok(Some((_, NodeBody::Directory { totals, .. }))) => Ok(totals == entry.totals),
            Ok(_) | Err(Error::Integrity { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Moves damaged contents away, so that storing them again makes them whole.
    async fn set_contents_aside(&self, done: &mut ContextRepaired) -> Result<(), Error> {
        let blobs = &self.ports.blobs;
        let mut after = None;
        loop {
            let page: Vec<BlobEntry> = blobs.list(BlobNamespace::Context, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.digest);
            for entry in page {
                done.contents.extend(blobs.set_aside(BlobNamespace::Context, entry.digest).await?);
            }
        }
    }

    /// Takes damaged frames and notes out of use, and rebuilds everything that refers to frames.
    async fn repair_frames(&self, done: &mut ContextRepaired) -> Result<(), Error> {
        let next_key = self.keys.only(RowKind::Sequence);
        // Read before the check: if a frame is appended meanwhile, every commit below conflicts.
        let next = self.row(&next_key).await?;
        let mut flaws = FrameCheck::new(self).run(&mut Validation::default()).await?.0;
        if flaws.is_empty() {
            return Ok(());
        }
        // The number itself is fixed last, because the other commits are guarded by its old row.
        let last = flaws.remove(&next_key);
        let mut groups = Vec::new();
        for (key, RowFlaw { damage, found, value, is_kept }) in flaws {
            let mut group = Batch::new();
            match (&found, is_kept) {
                (Some(row), true) => {
                    group.extend(self.kept(row).await?);
                    done.taken.push(set_aside_as(&row.key, row.value.len(), Some(row)));
                }
                _ => done.rebuilt.push(damage),
            }
            match (value, &found) {
                (Some(value), found) => group.push(put_after(key, found.as_ref(), value)),
                (None, Some(row)) => group.push(remove_after(row)),
                (None, None) => {}
            }
            groups.push(group);
        }
        // No append may happen meanwhile, because the rebuilt rows would not match the frames.
        self.commit_groups(groups, Some(keep(Key::clone(&next_key), next.as_ref()))).await?;
        let mut batch = vec![self.touch_everywhere()];
        batch.push(match last.and_then(|flaw| flaw.value.map(|value| (value, flaw.damage))) {
            Some((value, damage)) => {
                done.rebuilt.push(damage);
                put_after(next_key, next.as_ref(), value)
            }
            None => keep(next_key, next.as_ref()),
        });
        self.commit(batch).await
    }

    fn touch_everywhere(&self) -> TableWrite {
        put(self.keys.at(RowKind::Touched, &TreePath::root()).into(), TOUCHED_EVERYWHERE.to_vec())
    }

    /// Commits groups of writes. The writes of a group go into one commit, and each commit depends on `guard`.
    async fn commit_groups(
        &self,
        groups: Vec<Batch>,
        guard: Option<TableWrite>,
    ) -> Result<(), Error> {
        let (mut batch, mut bytes) = (Batch::new(), 0);
        for group in groups {
            let size = |write: &TableWrite| match &write.change {
                piton_store::port::EntryChange::Put(value) => write.key.len() + value.len(),
                _ => write.key.len(),
            };
            let more: usize = group.iter().map(size).sum();
            if batch.len() + group.len() > NODE_BATCH_KEYS || bytes + more > NODE_BATCH_BYTES {
                // Flush before this group, so that a preserved row and its replacement stay in one commit.
                batch.extend(guard.clone());
                self.commit(std::mem::take(&mut batch)).await?;
                bytes = 0;
            }
            bytes += more;
            batch.extend(group);
        }
        if batch.is_empty() {
            return Ok(());
        }
        batch.extend(guard);
        self.commit(batch).await
    }

    /// Returns the writes that preserve a row and remove it.
    async fn take_away(
        &self,
        row: &TableEntry,
        done: &mut ContextRepaired,
    ) -> Result<Batch, Error> {
        done.taken.push(set_aside_as(&row.key, row.value.len(), Some(row)));
        let mut group = self.kept(row).await?;
        group.push(remove_after(row));
        Ok(group)
    }

    /// Returns the write that preserves a row before it is replaced, or nothing if it is already preserved.
    async fn kept(&self, row: &TableEntry) -> Result<Batch, Error> {
        let mut key = self.aside_key(&row.key);
        // An earlier row with the same key and another value stays preserved as well.
        while let Some(there) = self.row(&key).await? {
            if there.value == row.value {
                return Ok(Batch::new());
            }
            key = [&*key, &[u8::MAX]].concat().into();
        }
        Ok(vec![put_after(key, None, row.value.clone())])
    }

    /// Notes that a row is missing, so that references to it count as lost.
    async fn note_missing(&self, key: Key, done: &mut ContextRepaired) -> Result<(), Error> {
        let aside = self.aside_key(&key);
        if self.row(&aside).await?.is_some() {
            return Ok(());
        }
        done.taken.push(set_aside_as(&key, 0, None));
        self.commit(vec![put(aside, Vec::new())]).await
    }

    /// Returns the key that preserves a row that was taken out of use.
    fn aside_key(&self, key: &[u8]) -> Key {
        let mut aside = self.keys.all(RowKind::Aside);
        // Insert the letter of the preserved kind after the project; the original key follows with its own letter.
        aside.extend_from_slice(&key[aside.len() - 1..]);
        aside.into()
    }

    /// Returns the original keys of everything that was taken out of use.
    pub(super) async fn taken_away(&self) -> Result<BTreeSet<Vec<u8>>, Error> {
        let mut keys = BTreeSet::new();
        self.each_row(RowKind::Aside, |row| keys.extend([original_key(&row.key)])).await?;
        Ok(keys)
    }

    /// Returns everything that repairs took out of use.
    pub async fn set_aside(&self) -> Result<Vec<SetAside>, Error> {
        let mut found = Vec::new();
        self.each_row(RowKind::Aside, |row| found.push(kept_row(row))).await?;
        found.sort_unstable();
        Ok(found)
    }
}

/// Returns everything that repairs took out of use, for every project in a table.
pub async fn set_aside_of_all(table: &dyn Table) -> Result<Vec<SetAside>, piton_store::Error> {
    let mut found = Vec::new();
    let mut behind: Option<Vec<u8>> = None;
    while let Some(project) = ProjectId::next_in(table, behind.as_deref()).await? {
        let prefix = ProjectKeys(project).all(RowKind::Aside);
        let mut pages = PagedScan::new(table, &prefix, PAGE);
        while let Some(rows) = pages.next().await? {
            found.extend(rows.into_iter().map(kept_row));
        }
        behind = Some(project.end());
    }
    found.sort_unstable();
    Ok(found)
}

/// Describes a preserved row by its original key.
fn kept_row(row: TableEntry) -> SetAside {
    let key = original_key(&row.key);
    let row = TableEntry { key: key.clone().into(), ..row };
    set_aside_as(&key, row.value.len(), Some(&row))
}

/// Describes a row that was taken out of use.
fn set_aside_as(key: &[u8], bytes: usize, row: Option<&TableEntry>) -> SetAside {
    // 16 bytes of project and the letter of the kind come first.
    let rest = &key[17..];
    let at = || split_path(key).map(|(path, _)| path).unwrap_or_default();
    let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |first| u64::from_be_bytes(*first));
    let (kind, what) = match key[16] {
        b'R' => (DamageKind::Root, "the current tree".to_owned()),
        b'r' => (DamageKind::Root, root_name(number(rest))),
        b'l' => (DamageKind::Root, format!("the label {}", String::from_utf8_lossy(rest))),
        b'n' => {
            let id = node_id_of(key).map(|id| id.to_string()).unwrap_or_default();
            (DamageKind::Node, format!("the tree node {id}"))
        }
        b'f' => {
            let index = split_path(key).map_or(0, |(_, index)| number(index));
            (DamageKind::Frame, frame_name(&at(), index))
        }
        b'i' => match row.and_then(place_of) {
            Some((id, path, _)) => (DamageKind::Frame, format!("the frame {id} of {path}")),
            None => (DamageKind::Index, "the place of a frame".to_owned()),
        },
        b'm' => (DamageKind::Sequence, format!("when a frame of {} became the head", at())),
        b'x' => (DamageKind::Note, format!("the mark of a frame of {}", at())),
        _ => (DamageKind::Note, format!("a note about {}", at())),
    };
    SetAside { kind, what, bytes: bytes as u64 }
}

fn root_name(number: u64) -> String {
    format!("the recorded tree {number}")
}

/// Returns the key that a row had before it was taken out of use.
fn original_key(aside: &[u8]) -> Vec<u8> {
    [&aside[..16], &aside[17..]].concat()
}
