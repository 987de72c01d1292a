//! The contents of a backpack at one moment: items, their namespaces, and the quarantine.
//!
//! *Invariants*: a clone costs a few reference counts and shares everything; changing it does not affect the original.
//! The index names exactly the keys in use that have a namespace.

use std::borrow::Borrow;
use std::ops::Bound;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet, Vector};
use piton_core::{Namespace, Pattern};

use super::item::{Item, Quarantined};
use crate::bounds::{ITEMS_MAX, QUARANTINE_MAX};
use crate::history::commit::{Act, Commit};
use crate::names::{Key, NodeIdentity};

/// The state of a backpack. Equal states hold equal items and the same quarantine.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ItemState {
    pub(crate) items: OrdMap<Key, Arc<Item>>,
    index: NamespaceIndex,
    pub(crate) quarantine: Vector<Arc<Quarantined>>,
    /// The node that removed each key that was not packed again since.
    removed: OrdMap<Key, Arc<NodeIdentity>>,
}

impl ItemState {
    /// Applies a commit to this state.
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
        // A key in use has no remover, so only a new key can have an entry here.
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
        // Bounded like the keys themselves: beyond that, a diff no longer names who removed a key.
        if self.removed.len() < ITEMS_MAX {
            self.removed.insert(key.clone(), Arc::clone(by));
        }
    }

    /// Returns the node that removed a key, if the key was not packed since.
    pub(crate) fn remover(&self, key: &Key) -> Option<&Arc<NodeIdentity>> {
        self.removed.get(key)
    }

    pub(crate) fn set_aside(&mut self, entry: Arc<Quarantined>) {
        self.quarantine.push_back(entry);
        if self.quarantine.len() > QUARANTINE_MAX {
            self.quarantine.pop_front();
        }
    }

    /// Returns the items of the namespaces that a pattern selects, ordered by namespace and key.
    pub(crate) fn selected<'a>(
        &'a self,
        pattern: &'a Pattern,
    ) -> impl Iterator<Item = &'a Arc<Item>> {
        self.index
            .selected(pattern)
            .map(|key| self.items.get(key).expect("the index names keys in use"))
    }
}

/// The keys of every namespace.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NamespaceIndex(OrdMap<SharedNamespace, OrdSet<Key>>);

/// A namespace that is cheap to clone and ordered by its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SharedNamespace(Arc<Namespace>);

impl Borrow<str> for SharedNamespace {
    fn borrow(&self) -> &str {
        self.0.as_str()
    }
}

impl NamespaceIndex {
    pub(crate) fn insert(&mut self, namespace: &Namespace, key: Key) {
        match self.0.get_mut(namespace.as_str()) {
            Some(keys) => {
                keys.insert(key);
            }
            None => {
                self.0.insert(SharedNamespace(Arc::new(namespace.clone())), OrdSet::unit(key));
            }
        }
    }

    pub(crate) fn remove(&mut self, namespace: &Namespace, key: &Key) {
        let Some(keys) = self.0.get_mut(namespace.as_str()) else { return };
        keys.remove(key);
        // An empty entry would make the index differ from one that never had the key, and states are compared.
        if keys.is_empty() {
            self.0.remove(namespace.as_str());
        }
    }

    /// Returns the keys of all namespaces that a pattern selects.
    pub(crate) fn selected<'a>(&'a self, pattern: &'a Pattern) -> impl Iterator<Item = &'a Key> {
        let prefix = pattern.literal_prefix();
        // Names below a prefix start with it and a dot. The next character after the dot is `/`, hence the upper bound.
        let below = (format!("{prefix}."), format!("{prefix}/"));
        let itself = self.0.get_key_value(prefix).into_iter();
        let below = if prefix.is_empty() {
            self.0.range::<_, str>(..)
        } else {
            let bounds = (Bound::Included(below.0.as_str()), Bound::Excluded(below.1.as_str()));
            self.0.range::<_, str>(bounds)
        };
        itself
            .chain(below)
            .filter(|(namespace, _)| pattern.matches(&namespace.0))
            .flat_map(|(_, keys)| keys.iter())
    }
}
