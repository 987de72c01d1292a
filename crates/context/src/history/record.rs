//! Records a scanned tree.
//!
//! *Invariants*: nodes are written before the tree that they belong to becomes current, and entries before their
//! directory. Everything that a recorded tree refers to therefore exists, and a process that dies in between leaves
//! only rows that nothing refers to. A tree that is already current is not written again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use piton_store::port::BoxFuture;
use piton_store::port::{Batch, TableEntry};
use serde::Serialize;

use super::compare::{TreeCursor, TreeDifference};
use super::root::RootEntry;
use crate::bounds::{
    FRAMED_PATH_BYTES_MAX, NODE_BATCH_BYTES, NODE_BATCH_KEYS, NOTES_MAX, TRIES_MAX,
};
use crate::context::{keep, put, put_after};
use crate::rows::{RowKind, encode_node};
use crate::scan::{ScanReport, Scanned};
use crate::tree::{ChangeKind, Directory, TreeChange, TreeNode, TreeNodeId, TreePath};
use crate::word::Label;
use crate::{Context, Error};

/// Value of the root's note when the entries of every directory may have changed.
pub(crate) const TOUCHED_EVERYWHERE: &[u8] = b"everywhere";

/// Reason reported when a tree could not be recorded in time.
pub(crate) const CROWDED: &str = "other processes recorded trees";

/// Result of recording a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recorded {
    /// The tree that is current now.
    pub root: RootEntry,
    /// Differences from the previous tree, sorted by path. Everything, if it is the first tree.
    pub changes: Vec<TreeChange>,
    /// Number of frames that were carried along with renames.
    #[serde(skip_serializing_if = "crate::is_zero")]
    pub adopted: u64,
}

/// Result of a scan that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedScan {
    /// Id of the topmost directory.
    pub root: TreeNodeId,
    /// Number of the recorded tree.
    pub sequence: u64,
    /// Set if the tree differs from the previous one.
    pub is_new: bool,
    /// Number of paths that differ from the previous tree, by kind of change. The first scan counts everything as
    /// added.
    pub changes: BTreeMap<ChangeKind, u64>,
    /// Number of frames that were carried along with renames.
    #[serde(skip_serializing_if = "crate::is_zero")]
    pub adopted: u64,
    /// Number of files in the tree.
    pub files: u64,
    pub directories: u64,
    pub symlinks: u64,
    /// Size of all files, in bytes.
    pub bytes: u64,
    /// The work done by the scan, and the paths that could not be read.
    #[serde(flatten)]
    pub report: ScanReport,
}

impl Context {
    /// Records the current state of the project directory. With `force`, every file is read, whatever is remembered.
    pub async fn scan(&self, force: bool, label: Option<&Label>) -> Result<RecordedScan, Error> {
        let Scanned { tree, report } = self.scanner().scan(force)?;
        let recorded = match self.record(&tree, report.is_partial(), label).await {
            // Every file was just read, so damaged earlier trees can be replaced and need not block the scan.
            Err(Error::Integrity { .. }) if force => {
                self.repair_trees(&tree, report.is_partial()).await?;
                self.record(&tree, report.is_partial(), label).await?
            }
            recorded => recorded?,
        };
        let mut changes = BTreeMap::new();
        for change in &recorded.changes {
            *changes.entry(change.change).or_insert(0) += 1;
        }
        let RootEntry { sequence, root, totals, .. } = recorded.root;
        Ok(RecordedScan {
            root,
            sequence,
            is_new: !recorded.changes.is_empty(),
            changes,
            adopted: recorded.adopted,
            files: totals.files,
            directories: totals.directories,
            symlinks: totals.symlinks,
            bytes: totals.bytes,
            report,
        })
    }

    /// Makes `tree` the current tree. `partial` says that something could not be read for it.
    pub async fn record(
        &self,
        tree: &Arc<Directory>,
        partial: bool,
        label: Option<&Label>,
    ) -> Result<Recorded, Error> {
        for _ in 0..TRIES_MAX {
            match self.try_record(tree, partial, label, None).await {
                Err(error) if error.is_conflict() => {}
                outcome => return outcome,
            }
        }
        Err(Error::too_many(CROWDED))
    }

    /// Makes `tree` the current tree if the row of the current one is still `seen`. Fails with a conflict otherwise.
    pub(super) async fn record_after(
        &self,
        seen: &TableEntry,
        tree: &Arc<Directory>,
        partial: bool,
    ) -> Result<(), Error> {
        self.try_record(tree, partial, None, Some(seen)).await.map(|_| ())
    }

    fn try_record<'a>(
        &'a self,
        tree: &'a Arc<Directory>,
        partial: bool,
        label: Option<&'a Label>,
        seen: Option<&'a TableEntry>,
    ) -> BoxFuture<'a, Result<Recorded, Error>> {
        Box::pin(async move {
            // The version of this row is the precondition of the final commit: if it changes, nothing becomes current.
            let row = self.row(&self.keys.only(RowKind::Current)).await?;
            if seen.is_some_and(|seen| row.as_ref().is_none_or(|row| row.version != seen.version)) {
                return Err(Error::Store(piton_store::Error::Conflict { keys: Vec::new() }));
            }
            let before = row.as_ref().map(|row| RootEntry::decode(&row.value)).transpose()?;
            if let Some(before) = &before
                && before.root == tree.id()
            {
                if let Some(label) = label {
                    self.name_root(label, before.sequence).await?;
                }
                // An earlier process may have died between recording the tree and adopting its frames.
                let adopted = self.adopt_noted().await?;
                return Ok(Recorded { root: before.clone(), changes: Vec::new(), adopted });
            }
            let old = before.as_ref().map(|before| TreeCursor::Stored(before.root));
            let found = self.compare(old, TreeCursor::Scanned(Arc::clone(tree))).await?;
            let TreeDifference { changes, new_nodes } = found;
            let root = RootEntry {
                sequence: before.map_or(1, |before| before.sequence + 1),
                root: tree.id(),
                totals: tree.totals(),
                partial,
                recorded_at_ms: self.ports.clock.now_ms(),
            };
            let (changes, moves) = self.renames(changes).await?;
            // In this order: nodes and notes must exist before the tree that needs them becomes current.
            let last = self.write_nodes(new_nodes).await?;
            self.note_moves(&moves, root.sequence).await?;
            self.make_current(row.as_ref(), &root, &changes, label, last).await?;
            let adopted = self.adopt_noted().await?;
            Ok(Recorded { root, changes, adopted })
        })
    }

    /// Writes nodes, entries before their directories. Returns the last writes, which are committed together with the
    /// tree.
    pub(crate) async fn write_nodes(
        &self,
        nodes: Vec<(TreePath, TreeNode)>,
    ) -> Result<Batch, Error> {
        let mut batch = Batch::new();
        let mut bytes = 0;
        // Parents come first in `nodes`, so reversed order writes entries before their directories.
        for (path, node) in nodes.into_iter().rev() {
            for (part, row) in encode_node(&path, &node).into_iter().enumerate() {
                let part = u32::try_from(part).expect("a directory has fewer than 2^32 rows");
                bytes += row.len() + 64;
                if batch.len() >= NODE_BATCH_KEYS || bytes > NODE_BATCH_BYTES {
                    // In key order, because a table accepts them fastest in that order.
                    self.commit(in_key_order(std::mem::take(&mut batch))).await?;
                    bytes = row.len() + 64;
                }
                batch.push(put(self.keys.node(node.id(), part), row));
            }
        }
        Ok(in_key_order(batch))
    }

    async fn make_current(
        &self,
        row: Option<&TableEntry>,
        root: &RootEntry,
        changes: &[TreeChange],
        label: Option<&Label>,
        mut batch: Batch,
    ) -> Result<(), Error> {
        let notes = self.notes(changes).await?;
        // The nodes may go first: until the tree is current, nothing refers to them.
        if batch.len() + notes.len() > NODE_BATCH_KEYS {
            self.commit(std::mem::take(&mut batch)).await?;
        }
        batch.extend(notes);
        let current = self.keys.only(RowKind::Current);
        batch.push(put_after(current, row, root.encode()));
        // The number must be free. If another process took it, this commit conflicts as well.
        batch.push(put_after(self.keys.root(root.sequence), None, root.encode()));
        if let Some(label) = label {
            batch.push(put(self.keys.label(label), root.sequence.to_be_bytes().into()));
        }
        self.commit(batch).await
    }

    /// Returns the notes that tell which frames may be stale after the changes. Returns no notes while there are no
    /// frames.
    async fn notes(&self, changes: &[TreeChange]) -> Result<Batch, Error> {
        let mut batch = Batch::new();
        let sequence = self.row(&self.keys.only(RowKind::Sequence)).await?;
        if sequence.is_none() {
            // Guards against a first frame that is appended in between: then there would be something to note.
            batch.push(keep(self.keys.only(RowKind::Sequence), None));
            return Ok(batch);
        }
        let mut touched = BTreeSet::new();
        for change in changes {
            if batch.len() + touched.len() > NOTES_MAX {
                // Too many to note one by one, so mark every directory.
                let key = self.keys.at(RowKind::Touched, &TreePath::root());
                return Ok(vec![put(key.into(), TOUCHED_EVERYWHERE.to_vec())]);
            }
            if change.path.as_bytes().len() > FRAMED_PATH_BYTES_MAX {
                continue;
            }
            touched.insert(change.path.clone());
            // A path that was added or removed changes what its directory holds.
            if change.change != ChangeKind::Changed {
                touched.extend(change.path.parent());
            }
            if let Some(from) = &change.renamed_from {
                touched.extend(from.parent());
            }
        }
        batch.extend(touched.iter().map(|path| self.touch(path)));
        Ok(batch)
    }

    /// Returns the write that notes that the frames of a directory may have to be regenerated.
    pub(crate) fn touch(&self, path: &TreePath) -> piton_store::port::TableWrite {
        put(self.keys.at(RowKind::Touched, path).into(), Vec::new())
    }

    async fn name_root(&self, label: &Label, sequence: u64) -> Result<(), Error> {
        let key = self.keys.label(label);
        let value = sequence.to_be_bytes().to_vec();
        if self.row(&key).await?.is_some_and(|row| row.value == value) {
            return Ok(());
        }
        self.commit(vec![put(key, value)]).await
    }
}

fn in_key_order(mut batch: Batch) -> Batch {
    batch.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    batch
}
