//! Everything that is recorded about one node of a run.

use piton_core::{
    AttemptId, Envelope, EventIndex, GapId, NodeId, OutputId, RunId, SessionId, TimestampMs,
    WorkflowId,
};
use piton_workflow::capability::Capability;
use piton_workflow::compile::{OutputContract, PromptPiece, StepAccess, StepProvenance};
use piton_workflow::contract::criteria::Criterion;
use piton_workflow::event::{
    Blocker, CapabilityObserved, DivergenceRecorded, GapRecorded, Preferences, TraceEntry,
};
use piton_workflow::label::Label;
use piton_workflow::projection::StepPlace;
use piton_workflow::{CapabilityStatus, NodeKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::session::{ArtifactShown, DecisionShown};
use super::shown_list::ShownList;
use crate::provenance::WrittenThings;

/// A node of a run with everything that is recorded about it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepDetail {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The run as people call it.
    pub label: Label,
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// The node.
    pub node_id: NodeId,
    /// The node that it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<NodeId>,
    /// A step or a bookmark.
    pub kind: NodeKind,
    /// The event that created it.
    pub event: EventIndex,
    /// The time of its creation.
    pub created_at: TimestampMs,
    /// Set if the run had left its parent before, so that it began another branch.
    pub is_fork: bool,
    /// Set if the run is here.
    pub is_preferred_tip: bool,
    /// The step; none at the end of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepPlace>,
    /// The turn of the innermost loop around it, from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Where the step came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<StepProvenance>,
    /// The prompt as the agent read it, in parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompt: Vec<PromptPiece>,
    /// Number of bytes of the prompt that are left out at its end.
    pub prompt_bytes_left_out: usize,
    /// The contract of its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_contract: Option<OutputContract>,
    /// The criteria for its notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    /// The access of the step; none if it leaves everything that the configuration grants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<StepAccess>,
    /// The preferences in force.
    pub preferences: Preferences,
    /// The attempts to leave it, oldest first.
    pub attempts: ShownList<AttemptDetail>,
    /// The outputs that were submitted, oldest first, superseded ones included.
    pub outputs: ShownList<OutputDetail>,
    /// The decisions of persons, newest first: that one counts.
    pub decisions: ShownList<DecisionShown>,
    /// The gaps, oldest first, with those that resolve others.
    pub gaps: ShownList<GapDetail>,
    /// The reasons of the engine for its choices.
    pub trace: StepTrace,
    /// The places where the agent left the way of the workflow on purpose.
    pub divergences: ShownList<DivergenceDetail>,
    /// The capabilities of the agent as they are known here, with what was observed here.
    pub capabilities: Vec<CapabilityDetail>,
    /// The context that the step sees, by key.
    pub context: ShownList<ContextValue>,
    /// The nodes that came from it, bookmarks included.
    pub children: ShownList<NodeId>,
    /// The damage of the session. The rest of the reply is then about its valid beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<Envelope>,
    /// The reason why the snapshot of the node cannot be read: prompt and step are missing then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<Envelope>,
}

/// A part of a long prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptPart {
    /// The node.
    pub node_id: NodeId,
    /// Number of bytes of the whole prompt.
    pub bytes: usize,
    /// The byte that this part begins at.
    pub offset: usize,
    /// The part.
    pub text: String,
    /// The byte that the next part begins at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// An attempt to leave a step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttemptDetail {
    /// The attempt.
    pub attempt_id: AttemptId,
    /// The event that recorded it.
    pub event: EventIndex,
    /// The time.
    pub at: TimestampMs,
    /// The node that it led to; none if it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<NodeId>,
    /// The reasons for a refusal, each with a fix.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
}

/// Something that was submitted at a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutputDetail {
    /// The output.
    pub output_id: OutputId,
    /// The event that recorded it.
    pub event: EventIndex,
    /// The time.
    pub at: TimestampMs,
    /// The event of the attempt that it came with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<EventIndex>,
    /// The earlier output that it corrects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<OutputId>,
    /// Set when a later output took its place.
    pub superseded: bool,
    /// Its text, if it is notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The artifact, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactShown>,
}

/// A gap at a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GapDetail {
    /// The gap, with its evidence.
    pub gap: GapRecorded,
    /// The event that recorded it.
    pub event: EventIndex,
    /// The time.
    pub at: TimestampMs,
    /// Set if something is still missing.
    pub is_open: bool,
    /// The record that resolved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<GapId>,
}

/// The reasons of the engine at a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepTrace {
    /// Whether a page folds it until somebody asks. It always does: the trace explains and decides nothing.
    pub collapsed: bool,
    /// The traces, oldest first.
    pub traces: ShownList<TraceDetail>,
}

/// One trace of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceDetail {
    /// The event that recorded it.
    pub event: EventIndex,
    /// The event of the attempt that it explains; none at the start of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<EventIndex>,
    /// The entries.
    pub entries: Vec<TraceEntry>,
}

/// A place where the agent left the way of the workflow on purpose.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DivergenceDetail {
    /// The event that recorded it.
    pub event: EventIndex,
    /// The time.
    pub at: TimestampMs,
    /// What the agent did instead, and why.
    pub divergence: DivergenceRecorded,
}

/// A capability of the agent, as it is known at a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapabilityDetail {
    /// The capability.
    pub capability: Capability,
    /// The status that counts when a step requires it.
    pub enforced: CapabilityStatus,
    /// The newest status, claims included.
    pub shown: CapabilityStatus,
    /// The observations at this node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<CapabilityObserved>,
}

/// A value of the context.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextValue {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Value,
}

/// The keys, files and frames that were written at a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepWrites {
    /// The node.
    pub node_id: NodeId,
    /// The things.
    pub written: WrittenThings,
    /// Remarks about what could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
