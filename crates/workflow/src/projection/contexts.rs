//! The context of a run, as each of its nodes sees it.
//!
//! A `context_set` event belongs to the run, and its id has the bytes of the attempt that it came with. It counts for
//! the node that the attempt led to and for the descendants of that node: a branch never sees the context of another.

use piton_core::{AttemptId, ContextId, NodeId};

use super::advances::Advances;
use super::graph::RunGraph;
use super::inherited::Inherited;
use crate::event::{ContextSet, RunContext};
use crate::id_map::IdMap;
use crate::run::ContextSource;

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
