//! Edges: where a flow goes on, and what it hands on there.

use std::collections::BTreeMap;

use piton_backpack::Key;

/// Which keys are copied to which when an edge is taken.
pub type Mappings = BTreeMap<Key, Key>;

/// One edge. Its start is the node that holds it.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) condition: String,
    pub(crate) to: usize,
    pub(crate) mappings: Mappings,
}
