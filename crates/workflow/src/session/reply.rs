//! Replies, as callers get them.
//!
//! *Invariants*: the body contains only recorded or pinned facts, so repeating a call repeats it byte for byte under
//! one key ring. Anything that is true of one call alone goes into notices beside it. Nothing here quotes what the
//! caller sent.

use piton_core::{NodeId, RunId, SessionId, WorkflowId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{BlockerReport, Preferences};
use crate::label::{Label, label};
use crate::name::{LoopId, StepId};
use crate::projection::PersonDecision;
use crate::run::NextIntent;

/// Name of the tool that continues a run.
pub const TOOL_CONTINUE: &str = "continue_workflow";

/// Name of the tool that makes a bookmark.
const TOOL_CHECKPOINT: &str = "checkpoint_workflow";

piton_core::closed_set! {
    /// How a call ended.
    pub enum ReplyKind {
        /// The run stands where the body says.
        Ok => "ok",
        /// The step is not finished: something is missing.
        Blocked => "blocked",
    }
}

/// A reply to a call about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The recorded facts; the same call gives the same bytes.
    pub body: ReplyBody,
    /// Remarks that are true of this call only.
    pub notices: Vec<ReplyNotice>,
    /// The consent of the person, if they were asked during this call. After a no the next call must not be made yet.
    pub is_agreed: Option<bool>,
}

impl From<ReplyBody> for Reply {
    /// Creates a reply without any remarks.
    fn from(body: ReplyBody) -> Self {
        Self { body, notices: Vec::new(), is_agreed: None }
    }
}

/// What a reply says about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplyBody {
    /// How the call ended.
    pub kind: ReplyKind,
    /// Which run this is about.
    pub run: RunLine,
    /// Whether the run is at its end.
    pub is_complete: bool,
    /// What is to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingReply>,
    /// The preferences in force.
    pub preferences: Preferences,
    /// What to do with this reply.
    ///
    /// - `perform_pending_then_continue`: do the pending step, then make `nextCall` with its output.
    /// - `await_user_confirmation`: a person has to agree first, or refused: show them the pending step and wait for
    ///   their yes; then the same.
    /// - `rehydrate_only`: nothing can be submitted from this reply; make `stateCall` to see where the run stands.
    /// - `complete`: the run is done; tell the person the result.
    pub next_intent: NextIntent,
    /// Asks again where the run stands, from here.
    pub state_token: String,
    /// Submits the output of the pending step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_token: Option<String>,
    /// Makes a bookmark here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_token: Option<String>,
    /// The call that goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_call: Option<NextCall>,
    /// The call that makes a bookmark here, without finishing the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_call: Option<NextCall>,
    /// The call that asks where the run stands, where that is what to do: a person is waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_call: Option<NextCall>,
    /// What is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blockers: Option<BlockerReport>,
    /// What persons decided about the step before, or on the way here, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionLine>,
    /// What was missing in the output that this reply answers, and was recorded while the run went on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps_recorded: Vec<GapLine>,
}

/// Names a run in every reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunLine {
    /// Two words for people. They find nothing.
    pub label: Label,
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// Its workflow.
    pub workflow_id: WorkflowId,
    /// The place of the step that is to do among those of the workflow, counted from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// How many steps the workflow has.
    pub of: usize,
    /// The turn of the innermost loop that the step is in, counted from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// How many turns that loop has at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns_max: Option<u32>,
    /// The turns of the loops around that one, from the inside out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<LoopTurn>,
}

/// A turn of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoopTurn {
    /// The loop.
    pub loop_id: LoopId,
    /// The turn, counted from one.
    pub turn: u32,
    /// How many turns the loop has at most.
    pub turns_max: u32,
}

/// The step that is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PendingReply {
    /// The step.
    pub step_id: StepId,
    /// Its title.
    pub title: String,
    /// What to do, and what is asked of the output.
    pub prompt: String,
    /// The kind of the artifact that the output must have, if the step has a contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_kind: Option<String>,
}

/// A call, ready to be made once the output is added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NextCall {
    /// The tool.
    pub tool: String,
    /// Its parameters.
    pub params: NextParams,
}

/// The parameters of a next call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NextParams {
    /// The token that submits the output, in its short form where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_token: Option<String>,
    /// The token that asks where the run stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_token: Option<String>,
    /// The token that makes a bookmark, in its short form where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_token: Option<String>,
    /// The run that the token belongs to, as a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
}

impl NextCall {
    /// Creates the call that submits the output of a pending step of `run`.
    pub(super) fn submit(run: RunId, ack_token: String) -> Self {
        let params = NextParams { ack_token: Some(ack_token), ..NextParams::of(run) };
        Self { tool: TOOL_CONTINUE.to_owned(), params }
    }

    /// Creates the call that asks for the state of `run`.
    pub(super) fn ask(run: RunId, state_token: String) -> Self {
        let params = NextParams { state_token: Some(state_token), ..NextParams::of(run) };
        Self { tool: TOOL_CONTINUE.to_owned(), params }
    }

    /// Creates the call that makes a bookmark in `run`.
    pub(super) fn bookmark(run: RunId, checkpoint_token: String) -> Self {
        let params = NextParams { checkpoint_token: Some(checkpoint_token), ..NextParams::of(run) };
        Self { tool: TOOL_CHECKPOINT.to_owned(), params }
    }
}

impl NextParams {
    /// Creates parameters with the label of `run` and no token yet.
    fn of(run: RunId) -> Self {
        Self { label: Some(label(run)), ..Self::default() }
    }
}

/// What a person decided about a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionLine {
    /// The title of the step.
    pub step: String,
    /// What they decided.
    #[serde(flatten)]
    pub decision: PersonDecision,
}

/// Something that was recorded as missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GapLine {
    /// What.
    pub summary: String,
}

/// Something that is true of one call.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyNotice {
    /// The token was used before with another output; that one counts, and this one was not recorded.
    OutputNotRecorded {
        /// What happened and what to do.
        message: String,
        /// Submits the new output.
        ack_token: String,
        /// The call that does, once the output is added. It is not the next call of the run.
        submit_call: NextCall,
    },
    /// The notes are longer than what is kept of them.
    NotesCut {
        /// How much is kept, and where the rest belongs.
        message: String,
    },
    /// The run is given more freedom than the author of its workflow recommends.
    BeyondRecommendation {
        /// What goes beyond what.
        message: String,
    },
    /// The workflow was found under another id than the one asked for.
    OtherId {
        /// The id to use.
        message: String,
    },
    /// The project directory that was used.
    ProjectDir {
        /// The directory.
        path: String,
    },
    /// Other runs are open in the same connection.
    OtherRuns {
        /// The runs, in one line.
        message: String,
    },
    /// A person was asked during the call.
    PersonAsked {
        /// The result, in a sentence or two.
        message: String,
    },
}

/// A reply to a call that makes a bookmark.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointReply {
    /// The recorded facts; the same call gives the same bytes.
    pub body: CheckpointBody,
    /// Remarks that are true of this call only.
    pub notices: Vec<ReplyNotice>,
}

/// What a reply says about a bookmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckpointBody {
    /// Which run this is about.
    pub run: RunLine,
    /// The bookmark.
    pub checkpoint_node_id: NodeId,
    /// Asks where the run stood at the bookmark.
    pub state_token: String,
    /// Makes the next bookmark on the same step.
    pub checkpoint_token: String,
    /// The call that goes back to it.
    pub next_call: NextCall,
}
