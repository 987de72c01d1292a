//! What a person wants, node by node.

use piton_core::NodeId;

use super::{graph::RunGraph, inherited::Inherited};
use crate::event::Preferences;

/// The preferences that were set on nodes of a run.
#[derive(Clone, Debug, Default)]
pub struct PreferenceHistory {
    set: Inherited<Preferences>,
}

impl PreferenceHistory {
    /// Takes note of a node that was just added to the graph.
    pub(super) fn add_node(&mut self, graph: &RunGraph, node: NodeId) {
        self.set.add_node(graph, node);
    }

    /// Takes note of a change: what is in force on `node` after it.
    pub(super) fn set(&mut self, graph: &RunGraph, node: NodeId, effective: Preferences) {
        self.set.set(graph, node, effective);
    }

    /// What is in force on `node`: what was set on it, or on the nearest node that it came from.
    pub fn effective(&self, node: NodeId) -> Option<Preferences> {
        self.set.get(node).copied()
    }
}
