//! Values that are set on some nodes of a run and in force on all of their descendants: the preferences of a person,
//! the observed capabilities of the agent, and the context of the run.
//!
//! Each node keeps a reference to the nearest node that has a value, so that a lookup costs the same at any depth. A
//! new node takes over the reference of its parent. A value that is set on a node with descendants is passed on to
//! those of them that have nothing nearer.
//!
//! A `context_set` event belongs to the run, and its id has the bytes of the attempt that it came with. It counts for
//! the node that the attempt led to and for the descendants of that node: a branch never sees the context of another.
//!
//! *Invariants*: a lookup finds the value that a walk from the node to the root would find first.

use std::collections::BTreeMap;

use piton_core::{AttemptId, ContextId, EventIndex, NodeId};

use super::advances::Advances;
use super::graph::RunGraph;
use crate::capability::{Capability, CapabilityStatus, EnforcementGrade};
use crate::event::{CapabilityObserved, ContextSet, Preferences, RunContext};
use crate::id_map::IdMap;
use crate::run::ContextSource;

/// The values of a run, and for each node the nearest one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Inherited<V> {
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

/// The contexts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contexts {
    initial: Option<RunContext>,
    by_id: IdMap<ContextId, RunContext>,
    by_node: Inherited<ContextId>,
}

impl Contexts {
    /// Returns the id of the context that comes with an attempt.
    pub fn id_of(attempt: AttemptId) -> ContextId {
        ContextId::from_bytes(*attempt.as_bytes())
    }

    /// Records a node that was just added to the graph.
    pub(super) fn add_node(&mut self, graph: &RunGraph, node: NodeId) {
        self.by_node.add_node(graph, node);
    }

    /// Records a context, and the node that it counts for if that is known already.
    pub(super) fn set(&mut self, graph: &RunGraph, set: &ContextSet, advances: &Advances) {
        if set.source == ContextSource::Initial {
            self.initial = Some(set.context.clone());
            return;
        }
        self.by_id.insert(set.context_id, set.context.clone());
        // The id of the context is the id of its attempt, which tells the node. If the attempt comes later, `reach`
        // finds the context instead.
        let attempt = AttemptId::from_bytes(*set.context_id.as_bytes());
        if let Some(node) = advances.reached(attempt) {
            self.by_node.set(graph, node, set.context_id);
        }
    }

    /// Records the node that an attempt led to.
    pub(super) fn reach(&mut self, graph: &RunGraph, attempt: AttemptId, node: NodeId) {
        let id = Self::id_of(attempt);
        if self.by_id.contains_key(&id) {
            self.by_node.set(graph, node, id);
        }
    }

    /// Returns the context that the run started with.
    pub const fn initial(&self) -> Option<&RunContext> {
        self.initial.as_ref()
    }

    /// Returns the context that `node` sees: the newest one on its way from the root, else the initial one.
    pub fn effective(&self, node: NodeId) -> Option<&RunContext> {
        let set = self.by_node.get(node);
        set.and_then(|id| self.by_id.get(id)).or(self.initial.as_ref())
    }
}
