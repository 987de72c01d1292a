//! As whom a call acts.

use piton_backpack::NodeId;
use piton_backpack::bounds::NODE_BYTES_MAX;
use piton_core::Provenance;

use crate::connection::Standing;

/// How an agent is named that nobody named.
const NOBODY: &str = "agent";

/// As whom a call acts, and for which step of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acting {
    /// The name of the agent.
    pub agent: String,
    /// The step.
    pub provenance: Option<Provenance>,
}

impl Acting {
    /// The agent that the configuration names, else what its client calls itself.
    pub fn new(configured: Option<&NodeId>, client: Option<String>, standing: &Standing) -> Self {
        let client = client.map(|name| plain(&name)).filter(|name| !name.is_empty());
        let named = configured.map(ToString::to_string).or(client);
        let agent = named.unwrap_or_else(|| NOBODY.to_owned());
        Self { agent, provenance: standing.provenance.clone() }
    }
}

/// A name that a client made up, as one that a backpack takes.
fn plain(name: &str) -> String {
    let kept: String = name.chars().filter(|letter| !letter.is_control()).collect();
    let kept = kept.trim();
    kept[..kept.floor_char_boundary(NODE_BYTES_MAX)].to_owned()
}
