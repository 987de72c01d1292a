//! Replies about flows.

use piton_backpack::BackpackId;
use piton_backpack::flow::{FlowProblem, RunStatus};
use piton_core::{Envelope, RunId};
use serde::Serialize;

use crate::backpack::inspect::BackpackDiff;

/// The result of checking a description.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowChecked {
    /// True if it can run.
    pub runs: bool,
    /// Errors and warnings, each with its position.
    pub problems: Vec<FlowProblem>,
}

/// The result of a run.
#[derive(Clone, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
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
