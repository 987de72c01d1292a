//! The kinds of events.

use piton_core::Code;
use serde::Serialize;

use crate::node::Phase;

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

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// A run begins, or goes on after its process died.
    RunStart {
        /// Whether it goes on.
        resumed: bool,
    },
    /// A run ends.
    RunEnd {
        /// How.
        status: RunStatus,
        /// How many nodes it visited.
        steps: u64,
    },
    /// A node begins.
    NodeStart {
        /// The number of the visit in its run, from 1.
        step: u64,
    },
    /// A node has read what it needs.
    PrepDone,
    /// A node has done its work.
    ExecDone {
        /// How many attempts it took, of all entries of a batch together.
        attempts: u64,
    },
    /// A node is done.
    NodeEnd {
        /// Where the flow goes on.
        action: String,
    },
    /// An attempt failed and is tried again, or the node failed.
    Error {
        /// In which phase.
        phase: Phase,
        /// The attempt, if it is one that is tried again.
        #[serde(skip_serializing_if = "Option::is_none")]
        attempt: Option<u32>,
        /// The code, if it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// What happened.
        message: String,
    },
    /// Something is odd.
    Warning {
        /// What.
        message: String,
    },
    /// A model is asked. What it is asked lies in the quarantine of the backpack, which no node sees.
    ModelRequest {
        /// How many messages.
        messages: usize,
        /// How many bytes they have.
        bytes: usize,
    },
    /// A piece of a model's answer.
    ModelChunk {
        /// Its number in this attempt.
        index: usize,
        /// The text; withheld if the node has read something protected.
        text: String,
    },
    /// A tool was called.
    ToolCall {
        /// Which.
        tool: String,
        /// The start of its arguments; withheld if the node has read something protected.
        arguments: String,
        /// Whether it succeeded.
        succeeded: bool,
        /// How many bytes it gave back.
        result_bytes: usize,
    },
    /// A value was stored.
    BackpackPack(Touched),
    /// A value was read.
    BackpackUnpack(Touched),
    /// A key was removed.
    BackpackDelete(Touched),
    /// Something was taken out of use.
    BackpackQuarantine(Touched),
    /// Something was refused.
    BackpackDenied(Touched),
}

/// A key that was touched, without its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Touched {
    /// The key.
    pub key: String,
    /// The commit.
    pub commit: String,
    /// The version that was stored or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// A few words about the value; a protected one is not shown.
    pub summary: String,
}

impl EventKind {
    /// The name of the kind.
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
