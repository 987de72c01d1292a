//! A single event of a run.

use piton_core::{Code, Namespace, RunId, TimestampMs};
use serde::Serialize;

use crate::NodeIdentity;
use crate::flow::bounds::EVENT_TEXT_BYTES_MAX;
use crate::flow::node::Phase;

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

piton_core::closed_set! {
    /// How a run stands.
    pub enum RunStatus {
        /// It is under way, or its process died.
        Running => "running",
        /// It came to an end.
        Done => "done",
        /// A node failed, a contract was broken, or the step limit was reached.
        Failed => "failed",
        /// Somebody stopped it.
        Cancelled => "cancelled",
    }
}

piton_core::closed_set! {
    /// The name of a kind of event.
    pub enum EventName {
        /// A run begins.
        RunStart => "run_start",
        /// A run ends.
        RunEnd => "run_end",
        /// A node begins.
        NodeStart => "node_start",
        /// A node has read what it needs.
        PrepDone => "prep_done",
        /// A node has done its work.
        ExecDone => "exec_done",
        /// A node is done.
        NodeEnd => "node_end",
        /// Something failed.
        Error => "error",
        /// Something is odd.
        Warning => "warning",
        /// A model is asked.
        ModelRequest => "model_request",
        /// A piece of a model's answer.
        ModelChunk => "model_chunk",
        /// A tool was called.
        ToolCall => "tool_call",
        /// A value was stored.
        BackpackPack => "backpack_pack",
        /// A value was read.
        BackpackUnpack => "backpack_unpack",
        /// A key was removed.
        BackpackDelete => "backpack_delete",
        /// Something was taken out of use.
        BackpackQuarantine => "backpack_quarantine",
        /// Something was refused.
        BackpackDenied => "backpack_denied",
    }
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// A run begins, or resumes after its process died.
    RunStart {
        /// Set when the run resumes.
        resumed: bool,
    },
    /// A run ends.
    RunEnd {
        status: RunStatus,
        /// Number of nodes that the run visited.
        steps: u64,
    },
    /// A node begins.
    NodeStart {
        /// The number of the visit in its run, starting at 1.
        step: u64,
    },
    /// A node has read its inputs.
    PrepDone,
    /// A node has done its work.
    ExecDone {
        /// Number of attempts, summed over all entries of a batch.
        attempts: u64,
    },
    /// A node is done.
    NodeEnd {
        /// The action that decides where the flow continues.
        action: String,
    },
    /// An attempt failed and is retried, or the node failed.
    Error {
        phase: Phase,
        /// The number of the attempt, if it is retried.
        #[serde(skip_serializing_if = "Option::is_none")]
        attempt: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        message: String,
    },
    /// Something is unusual, but not an error.
    Warning { message: String },
    /// A model is asked. The request itself is in the quarantine of the backpack, which no node sees.
    ModelRequest {
        /// Number of messages.
        messages: usize,
        /// Total size of the messages in bytes.
        bytes: usize,
    },
    /// A piece of a model's answer.
    ModelChunk {
        /// The number of the piece in this attempt.
        index: usize,
        /// The text; withheld if the node has read a protected value.
        text: String,
    },
    /// A tool was called.
    ToolCall {
        tool: String,
        /// The start of the arguments; withheld if the node has read a protected value.
        arguments: String,
        succeeded: bool,
        /// Size of the result in bytes.
        result_bytes: usize,
    },
    /// A value was stored.
    BackpackPack(Touched),
    /// A value was read.
    BackpackUnpack(Touched),
    /// A key was removed.
    BackpackDelete(Touched),
    /// A value was taken out of use.
    BackpackQuarantine(Touched),
    /// An operation was refused.
    BackpackDenied(Touched),
}

/// A key that a commit is about, without its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Touched {
    pub key: String,
    pub commit: String,
    /// The version that was stored or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// A short description of the value; a protected value is not shown.
    pub summary: String,
}

impl EventKind {
    /// Returns the name of the kind.
    pub const fn name(&self) -> EventName {
        match self {
            Self::RunStart { .. } => EventName::RunStart,
            Self::RunEnd { .. } => EventName::RunEnd,
            Self::NodeStart { .. } => EventName::NodeStart,
            Self::PrepDone => EventName::PrepDone,
            Self::ExecDone { .. } => EventName::ExecDone,
            Self::NodeEnd { .. } => EventName::NodeEnd,
            Self::Error { .. } => EventName::Error,
            Self::Warning { .. } => EventName::Warning,
            Self::ModelRequest { .. } => EventName::ModelRequest,
            Self::ModelChunk { .. } => EventName::ModelChunk,
            Self::ToolCall { .. } => EventName::ToolCall,
            Self::BackpackPack(_) => EventName::BackpackPack,
            Self::BackpackUnpack(_) => EventName::BackpackUnpack,
            Self::BackpackDelete(_) => EventName::BackpackDelete,
            Self::BackpackQuarantine(_) => EventName::BackpackQuarantine,
            Self::BackpackDenied(_) => EventName::BackpackDenied,
        }
    }
}

/// Returns the start of a text, up to the limit for events.
pub(crate) fn cut(text: &str) -> String {
    piton_core::truncate(text, EVENT_TEXT_BYTES_MAX).into_owned()
}
