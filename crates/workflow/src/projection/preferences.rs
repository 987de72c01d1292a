//! What a person wants, node by node.

use std::collections::HashMap;

use piton_core::NodeId;

use super::graph::RunGraph;
use crate::event::Preferences;

/// The preferences that were set on nodes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreferenceHistory {
    set: HashMap<NodeId, Preferences>,
}

impl PreferenceHistory {
    /// Takes note of a change: what is in force on `node` after it.
    pub fn set(&mut self, node: NodeId, effective: Preferences) {
        self.set.insert(node, effective);
    }

    /// What is in force on `node`: what was set on it, or on the nearest node that it came from.
    pub fn effective(&self, graph: &RunGraph, node: NodeId) -> Option<Preferences> {
        graph.ancestry(node).find_map(|node| self.set.get(&node.id).copied())
    }
}
