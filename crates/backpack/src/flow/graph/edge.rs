//! Edges: where a flow continues, and the values that it passes on.

use std::collections::BTreeMap;

use crate::Key;

/// Keys whose values are copied to other keys when an edge is taken.
pub type Mappings = BTreeMap<Key, Key>;

/// An edge. It belongs to the node that it leaves.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) condition: String,
    pub(crate) to: usize,
    pub(crate) mappings: Mappings,
}
