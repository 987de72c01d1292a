//! An index from namespaces to keys.
//!
//! *Invariants*: a query visits only namespaces below the literal prefix of its pattern.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};
use piton_core::{Namespace, Pattern};

use crate::text::Key;

/// The keys of every namespace.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NamespaceIndex(OrdMap<SharedNamespace, OrdSet<Key>>);

/// A namespace that is cheap to clone and ordered by its text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SharedNamespace(Arc<Namespace>);

impl Borrow<str> for SharedNamespace {
    fn borrow(&self) -> &str {
        self.0.as_str()
    }
}

impl Ord for SharedNamespace {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.as_str().cmp(other.0.as_str())
    }
}

impl PartialOrd for SharedNamespace {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
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
