//! What the agent was seen to be able to do, node by node.

use std::collections::BTreeMap;

use piton_core::{EventIndex, NodeId};

use super::{graph::RunGraph, inherited::Inherited};
use crate::{
    capability::{Capability, CapabilityStatus, EnforcementGrade},
    event::CapabilityObserved,
    id_map::IdMap,
};

/// What is known of a capability on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapabilityStanding {
    /// What counts when a step requires it: the newest observation that was more than a claim.
    pub enforced: CapabilityStatus,
    /// What is shown: the newest observation of all.
    pub shown: CapabilityStatus,
}

/// The observations of a run. None is ever taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    by_node: IdMap<NodeId, Vec<(EventIndex, CapabilityObserved)>>,
    known: BTreeMap<Capability, LatestObservations>,
}

/// The newest observations of one capability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LatestObservations {
    enforced: Inherited<CapabilityStatus>,
    shown: Inherited<CapabilityStatus>,
}

impl Capabilities {
    /// Takes note of a node that was just added to the graph.
    pub(super) fn add_node(&mut self, graph: &RunGraph, node: NodeId) {
        for known in self.known.values_mut() {
            known.enforced.add_node(graph, node);
            known.shown.add_node(graph, node);
        }
    }

    /// Adds an observation.
    pub(super) fn add(
        &mut self,
        graph: &RunGraph,
        node: NodeId,
        observed: &CapabilityObserved,
        index: EventIndex,
    ) {
        self.by_node.entry(node).or_default().push((index, observed.clone()));
        let known = self.known.entry(observed.capability()).or_default();
        known.shown.set(graph, node, observed.status());
        if observed.provenance().grade() == EnforcementGrade::Strong {
            known.enforced.set(graph, node, observed.status());
        }
    }

    /// Every observation on a node, in order.
    pub fn at_node(&self, node: NodeId) -> &[(EventIndex, CapabilityObserved)] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    /// What is known of a capability on `node`, from it and the nodes that it came from.
    pub fn capability(&self, node: NodeId, capability: Capability) -> CapabilityStanding {
        let newest = |of: fn(&LatestObservations) -> &Inherited<CapabilityStatus>| {
            let status = self.known.get(&capability).and_then(|known| of(known).get(node));
            status.copied().unwrap_or(CapabilityStatus::Unknown)
        };
        CapabilityStanding {
            enforced: newest(|known| &known.enforced),
            shown: newest(|known| &known.shown),
        }
    }
}
