//! The shape of a run, its events, and the workflow that it is pinned to, as a page asks for them.

use piton_core::{Envelope, EventIndex, NodeId, RunId, SessionId, WorkflowHash, WorkflowId};
use piton_store::port::Cursor;
use piton_workflow::compile::{CompiledWorkflow, Drift};
use piton_workflow::projection::{RunShape, RunSummary, WorkflowStats};
use piton_workflow::{SessionEvent, SourceKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::maintenance::SetAsideShown;

/// A run with all of its nodes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShapedRun {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The run, summed up; none if the content at its tip is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<RunSummary>,
    /// Set if it survives its retention time.
    pub kept: bool,
    /// The nodes.
    pub shape: RunShape,
    /// The end of the events that were read. The same cursor means the same shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// Set if the session has grown since. Only a reply that was asked for from the cache can be behind.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_behind: bool,
    /// The damage of the session. The rest of the reply is then about its valid beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<Envelope>,
}

/// Some events of a session, as they are recorded.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    /// The session.
    pub session_id: SessionId,
    /// The events, in order.
    pub events: Vec<SessionEvent>,
    /// The index that the next page begins at; none after the last event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<EventIndex>,
    /// Number of valid events in the session.
    pub total: u64,
    /// The node that the events are about, if only those were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// The damage behind the last valid event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<Envelope>,
    /// The data that repairs and interrupted writes took out of the session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<SetAsideShown>,
}

/// The workflow that a run keeps to, whatever happens to its file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PinnedRun {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The workflow, as people name it.
    pub workflow_id: WorkflowId,
    /// The hash of the compiled workflow.
    pub workflow_hash: WorkflowHash,
    /// Where its source was found.
    pub source_kind: SourceKind,
    /// The source at that time.
    pub source_ref: String,
    /// The compiled workflow.
    pub compiled: CompiledWorkflow,
}

/// The warning that a run follows something else than its source says now.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDrift {
    /// The run.
    pub run_id: RunId,
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// Set if the two differ.
    pub is_drifted: bool,
    /// The differences, if there is a current workflow of this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Number of values that are left out of the differences because they are too large together.
    pub values_left_out: usize,
    /// The reason why there is nothing to compare with: the source is gone or does not load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Envelope>,
}

/// The steps of a workflow over its runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CountedRuns {
    /// The sums.
    #[serde(flatten)]
    pub stats: WorkflowStats,
    /// Number of older runs that were not read.
    pub runs_left_out: usize,
    /// Number of runs that cannot be read.
    pub unreadable: usize,
}
