//! What the agent was seen to be able to do, node by node.

use std::collections::HashMap;

use piton_core::{EventIndex, NodeId};

use super::graph::RunGraph;
use crate::{
    capability::{Capability, CapabilityStatus, EnforcementGrade},
    event::CapabilityObserved,
};

/// What is known of a capability on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What counts when a step requires it: the newest observation that was more than a claim.
    pub enforced: CapabilityStatus,
    /// What is shown: the newest observation of all.
    pub shown: CapabilityStatus,
}

/// The observations of a run. None is ever taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    by_node: HashMap<NodeId, Vec<(EventIndex, CapabilityObserved)>>,
}

impl Capabilities {
    /// Adds an observation.
    pub fn add(&mut self, node: NodeId, observed: &CapabilityObserved, index: EventIndex) {
        self.by_node.entry(node).or_default().push((index, observed.clone()));
    }

    /// Every observation on a node, in order.
    pub fn of(&self, node: NodeId) -> &[(EventIndex, CapabilityObserved)] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    /// What is known of a capability on `node`, from it and the nodes that it came from.
    pub fn standing(&self, graph: &RunGraph, node: NodeId, capability: Capability) -> Standing {
        let newest = |counts: &dyn Fn(&CapabilityObserved) -> bool| {
            let on_node = |node: NodeId| {
                let observed = self.of(node).iter().rev().map(|(_, observed)| observed);
                observed
                    .filter(|observed| observed.capability() == capability)
                    .find(|observed| counts(observed))
            };
            let found = graph.ancestry(node).find_map(|node| on_node(node.id));
            found.map_or(CapabilityStatus::Unknown, CapabilityObserved::status)
        };
        let is_strong = |observed: &CapabilityObserved| {
            observed.provenance().grade() == EnforcementGrade::Strong
        };
        Standing { enforced: newest(&is_strong), shown: newest(&|_| true) }
    }
}
