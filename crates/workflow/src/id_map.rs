//! Maps and sets keyed by ids.
//!
//! An advance looks up an id of sixteen bytes some fifty times, and callers cannot choose these ids. The
//! standard hash would take longer than the rest of such a lookup. This one has a different seed in every
//! process, which is enough to make chosen ids in a file from elsewhere no worse than others.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

/// A map keyed by ids.
pub(crate) type IdMap<K, V> = HashMap<K, V, RandomState>;

/// A set of ids.
pub(crate) type IdSet<K> = HashSet<K, RandomState>;
