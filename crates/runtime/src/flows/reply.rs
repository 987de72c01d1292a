//! What comes out.

use piton_backpack::BackpackId;
use piton_core::{Envelope, RunId};
use piton_flow::{Problem, RunStatus};
use serde::Serialize;

/// What is to be said about a description.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowChecked {
    /// Whether it runs.
    pub runs: bool,
    /// Errors and warnings, each with its place.
    pub problems: Vec<Problem>,
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
    /// The action with which it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Why it did not come to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Envelope>,
}
