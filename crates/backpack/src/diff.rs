//! What differs between two backpacks, as `git diff` would say it.
//!
//! *Invariants*: changes come in the order of keys, each key once. Packing an equal value again is not a change. What
//! both share is not looked at, so that a diff of two states of one backpack costs what differs.

use std::sync::Arc;

use imbl::ordmap::DiffItem;

use crate::backpack::Backpack;
use crate::backpack_core::BackpackCore;
use crate::error::Error;
use crate::item::Item;
use crate::node_identity::NodeIdentity;
use crate::text::Key;

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

/// What happened to one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyChange {
    /// The key.
    pub key: Key,
    /// What happened.
    pub kind: ChangeKind,
    /// What it was.
    pub before: Option<Arc<Item>>,
    /// What it is.
    pub after: Option<Arc<Item>>,
    /// Who packed what it is, or removed it; absent if the key is gone and nothing says who removed it.
    pub by: Option<Arc<NodeIdentity>>,
}

/// Everything that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateDiff {
    /// The changes, in the order of keys.
    pub changes: Vec<KeyChange>,
}

impl StateDiff {
    /// What leads from `before` to `after`.
    ///
    /// Fails if a value that differs was too large for a history that one of them comes from.
    pub fn between(before: &Backpack, after: &Backpack) -> Result<Self, Error> {
        let (old, old_items) = DiffSide::of(before);
        let (new, new_items) = DiffSide::of(after);
        let mut changes = Vec::new();
        for difference in old_items.items.diff(&new_items.items) {
            let (key, before, after) = match difference {
                DiffItem::Add(key, after) => (key, None, Some(after)),
                DiffItem::Update { old: (key, before), new: (_, after) } => {
                    (key, Some(before), Some(after))
                }
                DiffItem::Remove(key, before) => (key, Some(before), None),
            };
            if let (Some(before), Some(after)) = (before, after)
                && before.content == after.content
                && before.labels() == after.labels()
            {
                continue;
            }
            let before = before.map(|item| old.available(item)).transpose()?;
            let after = after.map(|item| new.available(item)).transpose()?;
            if let (Some(before), Some(after)) = (&before, &after)
                && before.content == after.content
                && before.labels() == after.labels()
            {
                continue;
            }
            let (kind, by) = match (&before, &after) {
                (None, Some(item)) => (ChangeKind::Added, Some(Arc::clone(&item.source))),
                (_, Some(item)) => (ChangeKind::Modified, Some(Arc::clone(&item.source))),
                (_, None) => (ChangeKind::Deleted, new_items.remover(key).cloned()),
            };
            changes.push(KeyChange { key: key.clone(), kind, before, after, by });
        }
        Ok(Self { changes })
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The keys to which one kind of change happened, in order.
    pub fn keys(&self, kind: ChangeKind) -> Vec<&Key> {
        self.changes.iter().filter(|change| change.kind == kind).map(|change| &change.key).collect()
    }
}

/// One of the two backpacks, seen at one moment.
struct DiffSide {
    large: crate::backpack_core::LargeValues,
}

impl DiffSide {
    fn of(backpack: &Backpack) -> (Self, crate::item_state::ItemState) {
        let core = backpack.inner.lock();
        let BackpackCore { large, state, .. } = &*core;
        (Self { large: large.clone() }, state.clone())
    }

    fn available(&self, item: &Arc<Item>) -> Result<Arc<Item>, Error> {
        if item.is_available() {
            return Ok(Arc::clone(item));
        }
        match self.large.get(&crate::backpack_core::LargeValueSlot::Active(item.key.clone())) {
            Some(value) => Ok(Arc::new(value.fill(item))),
            None => Err(Error::Unavailable { key: item.key.clone(), size: item.size() }),
        }
    }
}
