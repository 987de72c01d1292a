//! Requests about flows.

use piton_backpack::flow::{Cancel, FlowProblem, RunEvent};
use piton_backpack::{BackpackId, Error, Key};
use piton_core::Envelope;
use serde_json::{Map, Value};

/// A notice to the listener of a run.
pub enum FlowNotice<'a> {
    Event(&'a RunEvent),
    /// A warning about the description of the flow.
    Warning(&'a FlowProblem),
    /// Number of events that were dropped while the listener was busy.
    Missed(u64),
}

/// Values packed before a run starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Initial {
    pub items: Map<String, Value>,
    /// Personal data: only nodes that are granted the key by name may read these values.
    pub pii: Map<String, Value>,
}

impl Initial {
    /// Refuses keys that cannot be packed, before anything is created.
    pub(super) fn check(&self) -> Result<(), Envelope> {
        for key in self.items.keys().chain(self.pii.keys()) {
            Key::parse(key).map_err(|error| Error::from(error).envelope())?;
        }
        Ok(())
    }
}

/// A request to run a flow.
pub struct RunFlow<'a> {
    /// Description of the flow.
    pub text: &'a str,
    /// The backpack that keeps the run. Without one, a new backpack is created.
    pub backpack: Option<BackpackId>,
    /// Values packed before the run starts.
    pub initial: Initial,
    /// Maximum number of nodes visited.
    pub steps_max: u64,
    pub cancel: Cancel,
}

/// A request to resume a run.
pub struct ResumeFlow<'a> {
    /// Description of the flow, instead of the one that the run kept. It must be the same flow.
    pub text: Option<&'a str>,
    /// The backpack that keeps the run.
    pub backpack: BackpackId,
    /// Maximum number of further nodes visited.
    pub steps_max: u64,
    pub cancel: Cancel,
}

/// A request to replay a run from one of its nodes, on a fork of its backpack.
pub struct ReplayFlow<'a> {
    /// The backpack that keeps the run.
    pub backpack: BackpackId,
    /// The node to begin with, as the backpack names it.
    pub from: &'a str,
    /// Another description, instead of the one that the run kept.
    pub text: Option<&'a str>,
    /// Node parameters to replace.
    pub params: Vec<NodeParam>,
    /// Values packed before the replay starts.
    pub initial: Initial,
    /// The backpack that keeps the replay. Without one, a new backpack is created.
    pub into: Option<BackpackId>,
    /// Maximum number of nodes visited.
    pub steps_max: u64,
    pub cancel: Cancel,
}

/// A parameter of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeParam {
    /// The node, as the backpack names it.
    pub node: String,
    pub name: String,
    pub value: Value,
}
