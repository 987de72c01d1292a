//! A map that forgets what was put in first when it is full.

use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::id_map::IdMap;

/// A shared map of at most so many entries.
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
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, key: K) -> Option<V> {
        self.entries().values.get(&key).cloned()
    }

    /// What is there under `key`, or `value` from now on.
    pub(super) fn get_or_insert(&self, key: K, value: V) -> V {
        let mut entries = self.entries();
        if let Some(present) = entries.values.get(&key) {
            return present.clone();
        }
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
        if entries.values.remove(&key).is_some() {
            entries.order.retain(|other| *other != key);
        }
    }

    /// The keys that `wanted` says yes to.
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
