//! Backpacks with a clock and ids that tests control.

use std::sync::Arc;

use piton_backpack::{
    Backpack, BackpackId, BackpackPorts, CommitId, Filter, NodeId, NodeIdentity, Options,
    Permissions, Scope, WriteOutcome,
};
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{Namespace, TimestampMs};

/// A backpack and the clock that it looks at.
pub(crate) struct Rig {
    pub(crate) backpack: Backpack,
    pub(crate) clock: Arc<ManualClock>,
}

/// Ports with a clock that starts at 1,000 ms.
pub(crate) fn ports(seed: u64) -> (BackpackPorts, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(TimestampMs(1_000)));
    let entropy = Arc::new(SeededEntropy::new(seed));
    (BackpackPorts { clock: Arc::clone(&clock) as _, entropy }, clock)
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self::with(Options::default())
    }

    pub(crate) fn with(options: Options) -> Self {
        let (ports, clock) = ports(7);
        let id = "pack_test".parse::<BackpackId>().unwrap();
        Self { backpack: Backpack::empty(id, options, ports), clock }
    }

    /// A node without declared permissions.
    pub(crate) fn node(&self, id: &str) -> Scope {
        self.backpack.scope(NodeIdentity::new(id, id).unwrap(), None).unwrap()
    }

    /// A node without declared permissions in a namespace.
    pub(crate) fn node_in(&self, id: &str, namespace: &str) -> Scope {
        self.backpack.scope(identity(id, namespace), None).unwrap()
    }

    /// A node with declared permissions.
    pub(crate) fn limited(&self, id: &str, permissions: Permissions) -> Scope {
        self.backpack.scope(NodeIdentity::new(id, id).unwrap(), Some(permissions)).unwrap()
    }

    /// A node with declared permissions in a namespace.
    pub(crate) fn limited_in(&self, id: &str, namespace: &str, permissions: Permissions) -> Scope {
        self.backpack.scope(identity(id, namespace), Some(permissions)).unwrap()
    }

    /// How many commits are in memory.
    pub(crate) fn history_len(&self) -> usize {
        self.backpack.debug().history(&Filter::default()).unwrap().len()
    }
}

pub(crate) fn identity(id: &str, namespace: &str) -> NodeIdentity {
    NodeIdentity::new(id, &format!("{id} node"))
        .unwrap()
        .within(Namespace::parse(namespace).unwrap())
}

pub(crate) fn node(id: &str) -> NodeId {
    NodeId::parse(id).unwrap()
}

/// The commit of a write that happened.
pub(crate) fn done(outcome: Result<WriteOutcome, piton_backpack::Error>) -> CommitId {
    outcome.unwrap().done().expect("it happened")
}
