//! One thing that happened in a run.

use piton_backpack::NodeIdentity;
use piton_core::{Namespace, RunId, TimestampMs};
use serde::Serialize;

use super::kind::EventKind;

/// One thing that happened, with when and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunEvent {
    /// Its number in the run, from 1, in the order in which things were told.
    pub id: u64,
    /// When.
    #[serde(rename = "timestampMs")]
    pub timestamp: TimestampMs,
    /// The run.
    #[serde(rename = "runId")]
    pub run: RunId,
    /// The node; absent if it is about the whole run.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeIdentity>,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

impl RunEvent {
    /// Where the node stands.
    pub fn namespace(&self) -> Option<&Namespace> {
        self.node.as_ref()?.namespace.as_ref()
    }

    /// The event as one line of JSON, without the newline.
    pub fn to_json_line(&self) -> String {
        serde_json::to_string(self).expect("an event holds texts and numbers only")
    }
}
