//! The preferences of a person, node by node.

use piton_core::{EventIndex, NodeId};

use super::graph::RunGraph;
use super::inherited::Inherited;
use crate::event::Preferences;

/// The preferences that were set on nodes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreferenceHistory {
    set: Inherited<Preferences>,
    changes: Vec<(EventIndex, NodeId, Preferences)>,
}

impl PreferenceHistory {
    /// Records a node that was just added to the graph.
    pub(super) fn add_node(&mut self, graph: &RunGraph, node: NodeId) {
        self.set.add_node(graph, node);
    }

    /// Records a change, with the preferences in force on `node` after it.
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

    /// Returns the preferences in force on `node`: those set on it, or on its nearest ancestor that has any.
    pub fn effective(&self, node: NodeId) -> Option<Preferences> {
        self.set.get(node).copied()
    }

    /// Returns the preferences that were in force on `node` before the event at `index`.
    pub fn effective_before(
        &self,
        graph: &RunGraph,
        node: NodeId,
        index: EventIndex,
    ) -> Option<Preferences> {
        // Changes are in the order of events. If none came later, the index of current values has the answer.
        let until = self.changes.partition_point(|(changed, ..)| *changed < index);
        if until == self.changes.len() {
            return self.effective(node);
        }
        // Otherwise the past is rebuilt: the nearest node with an earlier change, and its newest such change.
        let newest_on = |node: NodeId| {
            let mut earlier = self.changes[..until].iter().rev();
            earlier.find(|(_, changed, _)| *changed == node).map(|(.., effective)| *effective)
        };
        graph.ancestry(node).find_map(|node| newest_on(node.id))
    }

    /// Returns the preferences that were first set on `node`.
    pub fn first(&self, node: NodeId) -> Option<Preferences> {
        let mut changes = self.changes.iter();
        changes.find(|(_, changed, _)| *changed == node).map(|(.., effective)| *effective)
    }
}
