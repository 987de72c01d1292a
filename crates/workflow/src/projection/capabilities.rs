//! The observed capabilities of the agent, node by node.

use std::collections::BTreeMap;

use piton_core::{EventIndex, NodeId};

use super::graph::RunGraph;
use super::inherited::Inherited;
use crate::capability::{Capability, CapabilityStatus, EnforcementGrade};
use crate::event::CapabilityObserved;
use crate::id_map::IdMap;

/// The known status of a capability on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapabilityStanding {
    /// Status that counts when a step requires the capability: from the newest observation that was more than a
    /// claim.
    pub enforced: CapabilityStatus,
    /// Status that is shown: from the newest observation of all.
    pub shown: CapabilityStatus,
}

/// The observations of a run. None is ever removed.
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
    /// Records a node that was just added to the graph.
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

    /// Returns every observation on a node, in order.
    pub fn at_node(&self, node: NodeId) -> &[(EventIndex, CapabilityObserved)] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Returns the status of a capability on `node`, from observations on it and its ancestors.
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
