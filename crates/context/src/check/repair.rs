//! Making recorded trees usable again after damage.
//!
//! What the disk still holds is written anew from there. What it does not is taken out of the way: rows that cannot be
//! read are kept under keys of their own, and what referred to them counts as lost from then on, not as damaged.
//!
//! *Invariants*: a row is kept before, or together with, the write that takes its place. Repeating a repair changes
//! nothing more.
//!
//! *Limitations*: frames are not touched. One whose content is damaged works again when the same content is put again.

use std::{collections::BTreeSet, sync::Arc};

use piton_core::Digest;
use piton_store::port::{Batch, BlobEntry, Entry, Key, Namespace, Write};
use serde::Serialize;

use crate::{
    Context, Error,
    bounds::{NODE_BATCH_KEYS, PAGE, TRIES_MAX},
    context::{put, put_after, remove_after},
    history::{CROWDED, Difference, Place, RootEntry, TOUCHED_EVERYWHERE},
    stored::keys::Row,
    tree::{Directory, TreeNodeId, TreePath},
};

/// What a repair did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextRepaired {
    /// Tree nodes that were written again from the disk.
    pub rewritten: u64,
    /// Rows that could not be read and are kept elsewhere in the table.
    pub set_aside: u64,
    /// Where damaged contents of frames are now, relative to the data directory.
    pub contents: Vec<String>,
}

impl Context {
    /// Makes `tree`, which was just scanned, the current one, whatever is damaged of those before it.
    pub async fn repair(
        &self,
        tree: &Arc<Directory>,
        partial: bool,
    ) -> Result<ContextRepaired, Error> {
        for _ in 0..TRIES_MAX {
            match self.try_repair(tree, partial).await {
                Err(error) if error.is_conflict() => {}
                outcome => return outcome,
            }
        }
        Err(Error::crowded(CROWDED))
    }

    async fn try_repair(
        &self,
        tree: &Arc<Directory>,
        partial: bool,
    ) -> Result<ContextRepaired, Error> {
        let mut done = ContextRepaired::default();
        let everything = self.compare(None, Place::Scanned(Arc::clone(tree))).await?;
        let Difference { new_nodes, .. } = everything;
        done.rewritten = new_nodes.len() as u64;
        let last = self.write_nodes(new_nodes).await?;
        self.commit(last).await?;
        self.repair_roots(tree, partial, &mut done).await?;
        self.set_nodes_aside(&mut done).await?;
        self.set_contents_aside(&mut done).await?;
        Ok(done)
    }

    /// Makes the current tree and the recorded ones readable.
    async fn repair_roots(
        &self,
        tree: &Arc<Directory>,
        partial: bool,
        done: &mut ContextRepaired,
    ) -> Result<(), Error> {
        let current_key = self.keys.only(Row::Current);
        let current = self.row(&current_key).await?;
        let known = current.as_ref().and_then(|row| RootEntry::decode(&row.value).ok());
        let mut rows = Vec::new();
        self.each_row(Row::Root, |row| rows.push(row)).await?;
        let mut batch = Batch::new();
        if let Some(row) = current.as_ref().filter(|_| known.is_none()) {
            batch.push(self.kept(row));
            done.set_aside += 1;
        }
        let (mut newest, mut highest) = (known.clone(), 0);
        for row in &rows {
            let number = row.key[17..].try_into().map_or(0, u64::from_be_bytes);
            highest = highest.max(number);
            match RootEntry::decode(&row.value) {
                Ok(entry) if entry.sequence == number => {
                    newest = newest.filter(|newest| newest.sequence >= number).or(Some(entry));
                }
                _ => {
                    batch.push(self.kept(row));
                    done.set_aside += 1;
                    batch.push(match known.as_ref().filter(|known| known.sequence == number) {
                        Some(known) => put_after(row.key.clone(), Some(row), known.encode()),
                        None => remove_after(row),
                    });
                }
            }
        }
        let is_there = newest.as_ref().is_some_and(|newest| newest.root == tree.id());
        let root = match newest.filter(|_| is_there) {
            Some(newest) => newest,
            None => RootEntry {
                sequence: highest + 1,
                root: tree.id(),
                totals: tree.totals(),
                partial,
                recorded_at_ms: self.ports.clock.now_ms(),
            },
        };
        if known.as_ref() != Some(&root) {
            batch.push(put_after(current_key, current.as_ref(), root.encode()));
            if root.sequence > highest {
                batch.push(put_after(self.keys.root(root.sequence), None, root.encode()));
            }
            // What changed since the last tree that could be read is not known.
            let touched = self.keys.at(Row::Touched, &TreePath::root());
            batch.push(put(touched.into(), TOUCHED_EVERYWHERE.to_vec()));
        }
        self.commit_in_parts(batch).await
    }

    /// Takes nodes that cannot be read out of the way. They belong to earlier trees: what the disk holds was written
    /// again before.
    async fn set_nodes_aside(&self, done: &mut ContextRepaired) -> Result<(), Error> {
        let skip = self.keys.all(Row::Node).len();
        let (mut ids, mut parts) = (BTreeSet::new(), Vec::<Entry>::new());
        self.each_row(Row::Node, |row| {
            if let Some(id) = row.key.get(skip..skip + 32).and_then(|id| id.try_into().ok()) {
                ids.insert(TreeNodeId::new(Digest::from_bytes(id)));
            }
        })
        .await?;
        for id in ids {
            match self.body(id).await {
                Err(Error::Integrity { .. }) => {}
                other => {
                    other?;
                    continue;
                }
            }
            let prefix = self.keys.node(id, 0);
            let (rows, _) = self.page(&prefix, None).await?;
            // The page begins with the row itself; what follows it in the table may be another node.
            parts.extend(rows.into_iter().filter(|row| row.key.starts_with(&prefix)));
        }
        done.set_aside += parts.len() as u64;
        let batch = parts.iter().flat_map(|row| [self.kept(row), remove_after(row)]).collect();
        self.commit_in_parts(batch).await
    }

    /// Takes damaged contents out of the way, so that putting them again makes them whole.
    async fn set_contents_aside(&self, done: &mut ContextRepaired) -> Result<(), Error> {
        let blobs = &self.ports.blobs;
        let mut after = None;
        loop {
            let page: Vec<BlobEntry> = blobs.list(Namespace::Context, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.digest);
            for entry in page {
                done.contents.extend(blobs.set_aside(Namespace::Context, entry.digest).await?);
            }
        }
    }

    /// Commits writes that need not go together.
    async fn commit_in_parts(&self, mut batch: Batch) -> Result<(), Error> {
        while !batch.is_empty() {
            // A row and what is kept of it are two writes, and stay together.
            let rest = batch.split_off(batch.len().min(NODE_BATCH_KEYS / 2 * 2));
            self.commit(std::mem::replace(&mut batch, rest)).await?;
        }
        Ok(())
    }

    /// Keeps a row that cannot be read.
    fn kept(&self, row: &Entry) -> Write {
        put(self.aside_key(&row.key), row.value.clone())
    }

    /// Where a row is kept that was taken out of the way.
    fn aside_key(&self, key: &[u8]) -> Key {
        let mut aside = self.keys.all(Row::Aside);
        aside.extend_from_slice(&key[aside.len() - 1..]);
        aside.into()
    }

    /// The keys of everything that was taken out of the way, as they were.
    pub(super) async fn taken_away(&self) -> Result<BTreeSet<Vec<u8>>, Error> {
        let prefix = self.keys.all(Row::Aside);
        let mut keys = BTreeSet::new();
        self.each_row(Row::Aside, |row| {
            let mut key = prefix[..prefix.len() - 1].to_vec();
            key.extend_from_slice(&row.key[prefix.len()..]);
            keys.insert(key);
        })
        .await?;
        Ok(keys)
    }
}
