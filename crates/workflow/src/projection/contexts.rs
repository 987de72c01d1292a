//! The context of a run, as each of its nodes sees it.
//!
//! A `context_set` is of the run, and its id has the bytes of the attempt that it came with. It
//! counts for the node that the attempt led to, and for what comes from that node: a branch never
//! sees what another was told.

use std::collections::HashMap;

use piton_core::{AttemptId, ContextId, NodeId};

use super::{advances::Advances, graph::RunGraph};
use crate::{
    event::{Context, ContextSet},
    run::ContextSource,
};

/// The contexts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contexts {
    initial: Option<Context>,
    by_id: HashMap<ContextId, Context>,
    by_node: HashMap<NodeId, ContextId>,
}

impl Contexts {
    /// The id of the context that comes with an attempt.
    pub fn id_of(attempt: AttemptId) -> ContextId {
        ContextId::from_bytes(*attempt.as_bytes())
    }

    /// Takes note of a context, and of the node it counts for if that is known already.
    pub fn set(&mut self, set: &ContextSet, advances: &Advances) {
        if set.source == ContextSource::Initial {
            self.initial = Some(set.context.clone());
            return;
        }
        self.by_id.insert(set.context_id, set.context.clone());
        let attempt = AttemptId::from_bytes(*set.context_id.as_bytes());
        if let Some(node) = advances.reached(attempt) {
            self.by_node.insert(node, set.context_id);
        }
    }

    /// Takes note of the node that an attempt led to.
    pub fn reach(&mut self, attempt: AttemptId, node: NodeId) {
        let id = Self::id_of(attempt);
        if self.by_id.contains_key(&id) {
            self.by_node.insert(node, id);
        }
    }

    /// What `node` sees: the newest context on its way from the root, else the initial one.
    pub fn effective(&self, graph: &RunGraph, node: NodeId) -> Option<&Context> {
        let set = graph.ancestry(node).find_map(|node| self.by_node.get(&node.id));
        set.and_then(|id| self.by_id.get(id)).or(self.initial.as_ref())
    }
}
