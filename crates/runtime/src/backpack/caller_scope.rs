//! As whom a call acts.

use piton_backpack::bounds::NODE_BYTES_MAX;
use piton_backpack::{Key, NodeId, NodeIdentity};
use piton_core::Provenance;
use piton_workflow::compile::StateAccess;

use crate::connection::CallBasis;

/// How an agent is named that nobody named.
const NOBODY: &str = "agent";

/// As whom a call acts, and for which step of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerScope {
    /// The name of the agent.
    pub agent: String,
    /// The step.
    pub provenance: Option<Provenance>,
    /// The only keys that the step leaves, if it narrows them.
    pub narrowed: Option<StateAccess>,
}

impl CallerScope {
    /// The agent that the configuration names, else what its client calls itself. Nobody acts as the runner of flows,
    /// which keeps to itself what it needs to resume a run.
    pub fn new(configured: Option<&NodeId>, client: Option<String>, standing: &CallBasis) -> Self {
        let client = client.map(|name| plain(&name)).filter(|name| !name.is_empty());
        let named = configured.map(ToString::to_string).or(client);
        let agent = named
            .filter(|name| name != NodeIdentity::FLOW_RUNNER)
            .unwrap_or_else(|| NOBODY.to_owned());
        let narrowed = standing.access.as_ref().and_then(|access| access.state.clone());
        Self { agent, provenance: standing.provenance.clone(), narrowed }
    }

    /// Whether the step leaves reading of `key`.
    pub(super) fn leaves_reading(&self, key: &Key) -> bool {
        self.leaves(key, |access| &access.read)
    }

    /// Whether the step leaves writing of `key`.
    pub(super) fn leaves_writing(&self, key: &Key) -> bool {
        self.leaves(key, |access| &access.write)
    }

    fn leaves(&self, key: &Key, list: impl Fn(&StateAccess) -> &Vec<String>) -> bool {
        let named = |access| list(access).iter().any(|named| named == key.as_str());
        self.narrowed.as_ref().is_none_or(named)
    }
}

/// A name that a client made up, as one that a backpack takes.
fn plain(name: &str) -> String {
    let kept: String = name.chars().filter(|letter| !letter.is_control()).collect();
    let kept = kept.trim();
    kept[..kept.floor_char_boundary(NODE_BYTES_MAX)].to_owned()
}
