//! A map that evicts its oldest entry when it is full.

use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::id_map::IdMap;

/// A shared map with a maximum number of entries.
#[derive(Debug)]
pub(super) struct BoundedMap<K, V> {
    entries_max: usize,
    entries: Mutex<BoundedEntries<K, V>>,
}

#[derive(Debug)]
struct BoundedEntries<K, V> {
    values: IdMap<K, V>,
    order: VecDeque<K>,
}

impl<K: Copy + Eq + Hash, V: Clone> BoundedMap<K, V> {
    pub(super) fn new(entries_max: usize) -> Self {
        let entries = BoundedEntries { values: IdMap::default(), order: VecDeque::new() };
        Self { entries_max, entries: Mutex::new(entries) }
    }

    fn entries(&self) -> MutexGuard<'_, BoundedEntries<K, V>> {
        // A panic in one task must not make the map unusable for all later ones.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, key: K) -> Option<V> {
        self.entries().values.get(&key).cloned()
    }

    /// Returns the value under `key`, inserting `value` if there is none.
    pub(super) fn get_or_insert(&self, key: K, value: V) -> V {
        let mut entries = self.entries();
        if let Some(present) = entries.values.get(&key) {
            return present.clone();
        }
        // Eviction is by age, not by use: reads then need no bookkeeping.
        if entries.order.len() >= self.entries_max
            && let Some(oldest) = entries.order.pop_front()
        {
            entries.values.remove(&oldest);
        }
        entries.order.push_back(key);
        entries.values.insert(key, value.clone());
        value
    }

    pub(super) fn remove(&self, key: K) {
        let mut entries = self.entries();
        // `order` holds exactly the keys of `values`; a stale entry would evict a later value under the same key.
        if entries.values.remove(&key).is_some() {
            entries.order.retain(|other| *other != key);
        }
    }

    /// Returns the keys that satisfy `wanted`.
    pub(super) fn keys(&self, wanted: impl Fn(&K) -> bool) -> Vec<K> {
        self.entries().values.keys().filter(|key| wanted(key)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::BoundedMap;

    #[test]
    fn a_full_map_forgets_the_oldest_and_keeps_the_first_value_of_a_key() {
        let map = BoundedMap::new(2);
        assert_eq!((map.get_or_insert(1, 'a'), map.get_or_insert(1, 'b')), ('a', 'a'));
        map.get_or_insert(2, 'b');
        map.remove(1);
        map.get_or_insert(3, 'c');
        assert_eq!((map.get(1), map.get(2), map.get(3)), (None, Some('b'), Some('c')));
        map.get_or_insert(4, 'd');
        assert_eq!((map.get(2), map.get(4)), (None, Some('d')));
        assert_eq!(map.keys(|key| *key > 3), [4]);
    }
}
