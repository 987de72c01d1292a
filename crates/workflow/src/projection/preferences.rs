//! What a person wants, node by node.

use piton_core::{EventIndex, NodeId};

use super::{graph::RunGraph, inherited::Inherited};
use crate::event::Preferences;

/// The preferences that were set on nodes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreferenceHistory {
    set: Inherited<Preferences>,
    changes: Vec<(EventIndex, NodeId, Preferences)>,
}

impl PreferenceHistory {
    /// Takes note of a node that was just added to the graph.
    pub(super) fn add_node(&mut self, graph: &RunGraph, node: NodeId) {
        self.set.add_node(graph, node);
    }

    /// Takes note of a change: what is in force on `node` after it.
    pub(super) fn set(
        &mut self,
        graph: &RunGraph,
        node: NodeId,
        effective: Preferences,
        index: EventIndex,
    ) {
        self.set.set(graph, node, effective);
        self.changes.push((index, node, effective));
    }

    /// What is in force on `node`: what was set on it, or on the nearest node that it came from.
    pub fn effective(&self, node: NodeId) -> Option<Preferences> {
        self.set.get(node).copied()
    }

    /// What was in force on `node` before the event at `index`.
    pub fn effective_before(
        &self,
        graph: &RunGraph,
        node: NodeId,
        index: EventIndex,
    ) -> Option<Preferences> {
        let until = self.changes.partition_point(|(changed, ..)| *changed < index);
        if until == self.changes.len() {
            return self.effective(node);
        }
        let newest_on = |node: NodeId| {
            let mut earlier = self.changes[..until].iter().rev();
            earlier.find(|(_, changed, _)| *changed == node).map(|(.., effective)| *effective)
        };
        graph.ancestry(node).find_map(|node| newest_on(node.id))
    }

    /// What was first set on `node`.
    pub fn first(&self, node: NodeId) -> Option<Preferences> {
        let mut changes = self.changes.iter();
        changes.find(|(_, changed, _)| *changed == node).map(|(.., effective)| *effective)
    }
}
