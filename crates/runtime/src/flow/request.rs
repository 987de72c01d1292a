//! What goes in.

use piton_backpack::{BackpackId, Error, Key};
use piton_core::Envelope;
use piton_flow::{Cancel, FlowProblem, RunEvent};
use serde_json::{Map, Value};

/// What a listener hears of a run.
pub enum FlowNotice<'a> {
    /// An event.
    Event(&'a RunEvent),
    /// Something is odd about the description of the flow.
    Warning(&'a FlowProblem),
    /// So many events were told while the listener was busy.
    Missed(u64),
}

/// What is packed before a run starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Initial {
    /// Values by key.
    pub items: Map<String, Value>,
    /// Values about a person: only nodes that are granted the key by name may read them.
    pub pii: Map<String, Value>,
}

impl Initial {
    /// Refuses what cannot be packed, before anything is made for it.
    pub(super) fn check(&self) -> Result<(), Envelope> {
        for key in self.items.keys().chain(self.pii.keys()) {
            Key::parse(key).map_err(|error| Error::from(error).envelope())?;
        }
        Ok(())
    }
}

/// A flow to run.
pub struct RunFlow<'a> {
    /// Its description.
    pub text: &'a str,
    /// The backpack that keeps the run; a new one if there is none.
    pub backpack: Option<BackpackId>,
    /// What is packed before it starts.
    pub initial: Initial,
    /// The most nodes that it visits.
    pub steps_max: u64,
    /// How it is stopped.
    pub cancel: Cancel,
}

/// A run to go on with.
pub struct ResumeFlow<'a> {
    /// The description, if it is not to be the one that the run kept. It must say the same.
    pub text: Option<&'a str>,
    /// The backpack that keeps it.
    pub backpack: BackpackId,
    /// The most further nodes that it visits.
    pub steps_max: u64,
    /// How it is stopped.
    pub cancel: Cancel,
}

/// A run to run again from one of its nodes, on a fork of its backpack.
pub struct ReplayFlow<'a> {
    /// The backpack that keeps the run.
    pub backpack: BackpackId,
    /// The node to begin with, as the backpack names it.
    pub from: &'a str,
    /// Another description, if it is not to be the one that the run kept.
    pub text: Option<&'a str>,
    /// What parameters of nodes are to be instead.
    pub params: Vec<NodeParam>,
    /// What is packed before it starts.
    pub initial: Initial,
    /// The backpack that keeps the replay; a new one if there is none.
    pub into: Option<BackpackId>,
    /// The most nodes that it visits.
    pub steps_max: u64,
    /// How it is stopped.
    pub cancel: Cancel,
}

/// A parameter of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeParam {
    /// The node, as the backpack names it.
    pub node: String,
    /// The parameter.
    pub name: String,
    /// What it is to be.
    pub value: Value,
}
