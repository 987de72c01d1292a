//! A value that is set on some nodes of a run and in force on everything that comes from them.
//!
//! For each node the nearest one that has a value is kept, so that a question costs the same at any
//! depth. A node takes over what is nearest to its parent when it is made. A value that is set on a
//! node which others came from already is told to those of them that have nothing nearer.
//!
//! *Invariants*: the answer is the one that a walk from the node to the root would find first.

use piton_core::NodeId;

use super::graph::RunGraph;
use crate::id_map::IdMap;

/// The values of a run, and for each node the nearest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inherited<V> {
    set: IdMap<NodeId, V>,
    /// A node of the graph, and itself or the ancestor whose value is in force; absent if none is.
    nearest: IdMap<NodeId, NodeId>,
}

impl<V> Default for Inherited<V> {
    fn default() -> Self {
        Self { set: IdMap::default(), nearest: IdMap::default() }
    }
}

impl<V> Inherited<V> {
    /// Takes note of a node that was just added to the graph.
    pub(super) fn add_node(&mut self, graph: &RunGraph, id: NodeId) {
        let of_parent = || {
            let parent = graph.parent(graph.node(id)?)?;
            self.nearest.get(&parent.id).copied()
        };
        let nearest = if self.set.contains_key(&id) { Some(id) } else { of_parent() };
        self.nearest.extend(nearest.map(|nearest| (id, nearest)));
    }

    /// Sets the value on a node, which may come later than its value.
    pub(super) fn set(&mut self, graph: &RunGraph, id: NodeId, value: V) {
        let is_new = self.set.insert(id, value).is_none();
        let mut waiting: Vec<_> = graph.node(id).filter(|_| is_new).into_iter().collect();
        while let Some(node) = waiting.pop() {
            self.nearest.insert(node.id, id);
            let children = graph.children(node);
            waiting.extend(children.filter(|child| !self.set.contains_key(&child.id)));
        }
    }

    /// The value that is in force on a node.
    pub(super) fn get(&self, id: NodeId) -> Option<&V> {
        self.set.get(self.nearest.get(&id)?)
    }
}
