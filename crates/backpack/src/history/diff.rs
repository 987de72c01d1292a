//! The differences between two backpacks, in the manner of `git diff`.
//!
//! *Invariants*: changes come in key order, each key once. Packing an equal value again is not a change. Shared parts
//! of the two states are skipped, so that comparing two states of one backpack costs only what differs.

use std::sync::Arc;

use imbl::ordmap::DiffItem;

use crate::backpack::Backpack;
use crate::backpack_core::{LargeValueSlot, LargeValues};
use crate::error::Error;
use crate::names::{Key, NodeIdentity};
use crate::state::item::Item;
use crate::state::item_state::ItemState;

piton_core::closed_set! {
    /// What happened to a key.
    pub enum ChangeKind {
        /// It is new.
        Added => "added",
        /// Its value, its tags or its access control changed.
        Modified => "modified",
        /// It is gone.
        Deleted => "deleted",
    }
}

/// The change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyChange {
    pub key: Key,
    pub kind: ChangeKind,
    /// The item in the older state, if the key was in use there.
    pub before: Option<Arc<Item>>,
    /// The item in the newer state, if the key is in use there.
    pub after: Option<Arc<Item>>,
    /// The node that packed the newer item or removed the key. Absent if the key is gone and its remover is unknown.
    pub by: Option<Arc<NodeIdentity>>,
}

/// All differences between two states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateDiff {
    /// The changes, in key order.
    pub changes: Vec<KeyChange>,
}

impl StateDiff {
    /// Computes the changes that lead from `before` to `after`.
    ///
    /// Fails if a value that differs was too large for a history that one of them comes from.
    pub fn between(before: &Backpack, after: &Backpack) -> Result<Self, Error> {
        // Each side is copied under its own lock, one after the other: no two locks are ever held at once.
        let (old, old_large) = contents(before);
        let (new, new_large) = contents(after);
        let is_same = |before: &Item, after: &Item| {
            before.content == after.content && before.labels() == after.labels()
        };
        let mut changes = Vec::new();
        for difference in old.items.diff(&new.items) {
            let (key, before, after) = match difference {
                DiffItem::Add(key, after) => (key, None, Some(after)),
                DiffItem::Update { old: (key, before), new: (_, after) } => {
                    (key, Some(before), Some(after))
                }
                DiffItem::Remove(key, before) => (key, Some(before), None),
            };
            // Equal contents and labels are no change, even if the key was packed again in between.
            if let (Some(before), Some(after)) = (before, after)
                && is_same(before, after)
            {
                continue;
            }
            let before = before.map(|item| available(item, &old_large)).transpose()?;
            let after = after.map(|item| available(item, &new_large)).transpose()?;
            // A value may be held on one side and large on the other (their options differ), so compare again in full.
            if let (Some(before), Some(after)) = (&before, &after)
                && is_same(before, after)
            {
                continue;
            }
            let (kind, by) = match (&before, &after) {
                (None, Some(item)) => (ChangeKind::Added, Some(Arc::clone(&item.source))),
                (_, Some(item)) => (ChangeKind::Modified, Some(Arc::clone(&item.source))),
                (_, None) => (ChangeKind::Deleted, new.remover(key).cloned()),
            };
            changes.push(KeyChange { key: key.clone(), kind, before, after, by });
        }
        Ok(Self { changes })
    }

    /// True if nothing differs.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the keys with one kind of change, in order.
    pub fn keys(&self, kind: ChangeKind) -> Vec<&Key> {
        self.changes.iter().filter(|change| change.kind == kind).map(|change| &change.key).collect()
    }
}

/// Returns the state and the large values of a backpack, as of one moment.
fn contents(backpack: &Backpack) -> (ItemState, LargeValues) {
    let core = backpack.inner.lock();
    (core.state.clone(), core.large.clone())
}

fn available(item: &Arc<Item>, large: &LargeValues) -> Result<Arc<Item>, Error> {
    if item.is_available() {
        return Ok(Arc::clone(item));
    }
    match large.get(&LargeValueSlot::Active(item.key.clone())) {
        Some(value) => Ok(Arc::new(value.fill(item))),
        None => Err(Error::Unavailable { key: item.key.clone(), size: item.size() }),
    }
}
