//! A value that is set on some nodes of a run and in force on all of their descendants.
//!
//! Each node keeps a reference to the nearest node that has a value, so that a lookup costs the same at any depth. A
//! new node takes over the reference of its parent. A value that is set on a node with descendants is passed on to
//! those of them that have nothing nearer.
//!
//! *Invariants*: a lookup finds the value that a walk from the node to the root would find first.

use piton_core::NodeId;

use super::graph::RunGraph;
use crate::id_map::IdMap;

/// The values of a run, and for each node the nearest one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inherited<V> {
    set: IdMap<NodeId, V>,
    /// For each node of the graph, itself or the ancestor with the value in force; absent if there is none.
    nearest: IdMap<NodeId, NodeId>,
}

impl<V> Default for Inherited<V> {
    fn default() -> Self {
        Self { set: IdMap::default(), nearest: IdMap::default() }
    }
}

impl<V> Inherited<V> {
    /// Records a node that was just added to the graph.
    pub(super) fn add_node(&mut self, graph: &RunGraph, id: NodeId) {
        let of_parent = || {
            let parent = graph.parent(graph.node(id)?)?;
            self.nearest.get(&parent.id).copied()
        };
        // The value of a node may have been recorded before the node itself.
        let nearest = if self.set.contains_key(&id) { Some(id) } else { of_parent() };
        self.nearest.extend(nearest.map(|nearest| (id, nearest)));
    }

    /// Sets the value on a node. The node may be added to the graph later than its value.
    pub(super) fn set(&mut self, graph: &RunGraph, id: NodeId, value: V) {
        // A second value on the same node needs no propagation: everything below refers to the node already.
        let is_new = self.set.insert(id, value).is_none();
        let mut waiting: Vec<_> = graph.node(id).filter(|_| is_new).into_iter().collect();
        while let Some(node) = waiting.pop() {
            self.nearest.insert(node.id, id);
            let children = graph.children(node);
            // A child with a value of its own shields everything below it.
            waiting.extend(children.filter(|child| !self.set.contains_key(&child.id)));
        }
    }

    /// Returns the value in force on a node.
    pub(super) fn get(&self, id: NodeId) -> Option<&V> {
        self.set.get(self.nearest.get(&id)?)
    }
}
