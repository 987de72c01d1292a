//! Filters over the events of a run.

use std::collections::BTreeSet;

use piton_core::Pattern;

use super::kind::EventName;
use super::run_event::RunEvent;
use crate::NodeId;

/// Selects events. An absent field selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only events of this node.
    pub node: Option<NodeId>,
    /// Only events of nodes in the namespaces that this selects.
    pub namespace: Option<Pattern>,
    /// Only events of these kinds.
    pub kinds: Option<BTreeSet<EventName>>,
}

impl EventFilter {
    /// True if the filter selects an event. A filter by node or namespace never selects events without a node.
    pub fn selects(&self, event: &RunEvent) -> bool {
        let of_node = |id: &NodeId| event.node.as_ref().is_some_and(|identity| identity.id == *id);
        let within = |pattern: &Pattern| {
            event.namespace().is_some_and(|namespace| pattern.matches(namespace))
        };
        self.node.as_ref().is_none_or(of_node)
            && self.namespace.as_ref().is_none_or(within)
            && self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&event.kind.name()))
    }
}
