//! A single event of a run.

use piton_core::{Namespace, RunId, TimestampMs};
use serde::Serialize;

use super::kind::EventKind;
use crate::NodeIdentity;

/// An event with its time and its node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunEvent {
    /// The number of the event in the run, starting at 1, in the order of emission.
    pub id: u64,
    #[serde(rename = "timestampMs")]
    pub timestamp: TimestampMs,
    #[serde(rename = "runId")]
    pub run: RunId,
    /// The node; absent if the event is about the whole run.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeIdentity>,
    #[serde(flatten)]
    pub kind: EventKind,
}

impl RunEvent {
    /// Returns the namespace of the node.
    pub fn namespace(&self) -> Option<&Namespace> {
        self.node.as_ref()?.namespace.as_ref()
    }

    /// Returns the event as one line of JSON, without the newline.
    pub fn to_json_line(&self) -> String {
        serde_json::to_string(self).expect("an event holds texts and numbers only")
    }
}
