//! What a backpack holds at one moment: items, where they come from, and the quarantine.
//!
//! *Invariants*: a clone costs a few reference counts and shares everything; what is done to it does not touch the
//! original. The index names exactly the keys in use that have a namespace.

use std::sync::Arc;

use imbl::{OrdMap, Vector};
use piton_core::Pattern;

use crate::bounds::{ITEMS_MAX, QUARANTINE_MAX};
use crate::commit::{Act, Commit};
use crate::index::NamespaceIndex;
use crate::item::Item;
use crate::node_identity::NodeIdentity;
use crate::quarantined::Quarantined;
use crate::text::Key;

/// A state. Equal states hold equal items and the same quarantine.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ItemState {
    pub(crate) items: OrdMap<Key, Arc<Item>>,
    index: NamespaceIndex,
    pub(crate) quarantine: Vector<Arc<Quarantined>>,
    /// Who took a key out of use that nobody has packed since.
    removed: OrdMap<Key, Arc<NodeIdentity>>,
}

impl ItemState {
    /// What a commit did, done to this state.
    pub(crate) fn apply(&mut self, commit: &Commit) {
        match &commit.act {
            Act::Pack { after, .. } => self.insert(after),
            Act::Delete { .. } => self.remove(&commit.key, &commit.author),
            Act::Restore(restored) => match &restored.after {
                Some(item) => self.insert(item),
                None => self.remove(&commit.key, &commit.author),
            },
            Act::Quarantine { entry, was_active } => {
                if *was_active {
                    self.remove(&commit.key, &commit.author);
                }
                self.set_aside(Arc::clone(entry));
            }
            Act::Unpack { .. } | Act::Deny { .. } => {}
        }
    }

    pub(crate) fn insert(&mut self, item: &Arc<Item>) {
        let replaced = self.items.insert(item.key.clone(), Arc::clone(item));
        if replaced.is_none() {
            self.removed.remove(&item.key);
        }
        let before = replaced.as_ref().and_then(|item| item.namespace());
        let after = item.namespace();
        if before != after {
            if let Some(before) = before {
                self.index.remove(before, &item.key);
            }
            if let Some(after) = after {
                self.index.insert(after, item.key.clone());
            }
        }
    }

    fn remove(&mut self, key: &Key, by: &Arc<NodeIdentity>) {
        let Some(item) = self.items.remove(key) else { return };
        if let Some(namespace) = item.namespace() {
            self.index.remove(namespace, key);
        }
        if self.removed.len() < ITEMS_MAX {
            self.removed.insert(key.clone(), Arc::clone(by));
        }
    }

    /// Who took a key out of use, if nobody packed it since.
    pub(crate) fn remover(&self, key: &Key) -> Option<&Arc<NodeIdentity>> {
        self.removed.get(key)
    }

    pub(crate) fn set_aside(&mut self, entry: Arc<Quarantined>) {
        self.quarantine.push_back(entry);
        if self.quarantine.len() > QUARANTINE_MAX {
            self.quarantine.pop_front();
        }
    }

    /// The items of the namespaces that a pattern selects, in the order of namespace and key.
    pub(crate) fn selected<'a>(
        &'a self,
        pattern: &'a Pattern,
    ) -> impl Iterator<Item = &'a Arc<Item>> {
        self.index
            .selected(pattern)
            .map(|key| self.items.get(key).expect("the index names keys in use"))
    }
}
