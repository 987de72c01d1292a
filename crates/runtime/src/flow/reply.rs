//! What comes out.

use piton_backpack::BackpackId;
use piton_core::{Envelope, RunId};
use piton_flow::{FlowProblem, RunStatus};
use serde::Serialize;

use crate::backpack::inspect::BackpackDiff;

/// What is to be said about a description.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowChecked {
    /// Whether it runs.
    pub runs: bool,
    /// Errors and warnings, each with its place.
    pub problems: Vec<FlowProblem>,
}

/// What became of a run.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowRan {
    /// Which.
    pub run_id: RunId,
    /// What keeps it.
    pub backpack: BackpackId,
    /// How it stands.
    pub status: RunStatus,
    /// How many nodes it visited.
    pub steps: u64,
    /// What is odd about its description and about what happened, and no failure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The action with which it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Why it did not come to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Envelope>,
}

/// What became of a run that was run again.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowReplayed {
    /// What became of the replay.
    #[serde(flatten)]
    pub ran: FlowRan,
    /// The backpack of the run that was run again.
    pub of: BackpackId,
    /// The node that it began with.
    pub from: String,
    /// What the replay left behind against what the run left behind.
    pub outcome: BackpackDiff,
}
