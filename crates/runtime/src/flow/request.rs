//! Requests about flows, and their results.

use piton_backpack::flow::{FlowProblem, RunEvent, RunOptions, RunStatus};
use piton_backpack::{BackpackId, Error, Key};
use piton_core::{Envelope, RunId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::backpack::inspect::BackpackDiff;

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
    pub options: RunOptions,
}

/// A request to resume a run.
pub struct ResumeFlow<'a> {
    /// Description of the flow, instead of the one that the run kept. It must be the same flow.
    pub text: Option<&'a str>,
    /// The backpack that keeps the run.
    pub backpack: BackpackId,
    pub options: RunOptions,
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
    pub options: RunOptions,
}

/// A parameter of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeParam {
    /// The node, as the backpack names it.
    pub node: String,
    pub name: String,
    pub value: Value,
}

/// The result of checking a description.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowChecked {
    /// True if it can run.
    pub runs: bool,
    /// Errors and warnings, each with its position.
    pub problems: Vec<FlowProblem>,
}

/// The result of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowRan {
    pub run_id: RunId,
    /// The backpack that keeps the run.
    pub backpack: BackpackId,
    pub status: RunStatus,
    /// Number of nodes visited.
    pub steps: u64,
    /// Oddities of the description and of the run that are not failures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The action that the run ended with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Reason that the run did not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Envelope>,
}

/// The result of a replay.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowReplayed {
    #[serde(flatten)]
    pub ran: FlowRan,
    /// The backpack of the original run.
    pub of: BackpackId,
    /// The node that the replay began with.
    pub from: String,
    /// Difference between the final states of the original run and the replay.
    pub outcome: BackpackDiff,
}
