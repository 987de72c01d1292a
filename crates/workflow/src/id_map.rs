//! Maps and sets by ids.
//!
//! An advance looks some fifty times for an id of sixteen bytes, which nobody who calls can choose. The standard
//! hash would take longer than all the rest of such a look. This one has a seed of its own in every process, which
//! is enough to make chosen ids in a file from elsewhere no worse than others.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

/// A map by ids.
pub(crate) type IdMap<K, V> = HashMap<K, V, RandomState>;

/// A set of ids.
pub(crate) type IdSet<K> = HashSet<K, RandomState>;
