//! `advance_recorded`: an agent tried to advance a run, with the outcome.

use piton_core::{AttemptId, NodeId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blocker::BlockerReport;
use crate::run::AttemptIntent;

/// An attempt on a node, with its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdvanceRecorded {
    /// The attempt; the same one has the same outcome for ever.
    pub attempt_id: AttemptId,
    /// What it tried.
    pub intent: AttemptIntent,
    /// What came of it.
    pub outcome: AdvanceOutcome,
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum AdvanceOutcome {
    /// The run stays where it is.
    Blocked {
        /// Why.
        blockers: BlockerReport,
    },
    /// The run went on.
    Advanced {
        /// The node that the run reached.
        to_node_id: NodeId,
    },
}
