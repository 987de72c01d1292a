//! Replies to agents.

use std::collections::BTreeSet;

use piton_core::{RunId, SessionId, TimestampMs, WorkflowHash, WorkflowId};
use piton_workflow::compile::{CompiledWorkflow, WarningCode};
use piton_workflow::label::Label;
use piton_workflow::projection::{StepPlace, WhyMatched};
use piton_workflow::session::{CheckpointBody, NextCall, ReplyBody, ReplyNotice};
use piton_workflow::source::{IdStatus, SourceProblem};
use piton_workflow::{RunStatus, SourceKind, Tag};
use serde::Serialize;

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunAnswer {
    /// What is recorded; the same call gives the same bytes.
    pub body: ReplyBody,
    /// What is true of this call only.
    pub beside: CallNotices,
}

/// That a bookmark was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckpointAnswer {
    /// What is recorded; the same call gives the same bytes.
    pub body: CheckpointBody,
    /// What is true of this call only.
    pub beside: CallNotices,
}

/// What is true of one call only.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CallNotices {
    /// What to know about this call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<ReplyNotice>,
    /// What to know about what was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The project directory that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
    /// What came of putting a question to a person, in a sentence or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Whether a person who was asked since agreed. After a no the next call must not be made yet.
    #[serde(skip)]
    pub is_agreed: Option<bool>,
    /// The other runs that are open in this connection, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_runs: Option<String>,
}

/// The workflows that there are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedWorkflows {
    /// Those that can be started, by id.
    pub workflows: Vec<WorkflowEntry>,
    /// How many there are that the query and the tags left out.
    pub left_out: usize,
    /// Every tag that a workflow here has, those left out included.
    pub tags: BTreeSet<Tag>,
    /// Files and directories that do not load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<UnloadedFile>,
    /// Files that another one with the same id takes the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shadowed: Vec<ShadowedFile>,
    /// What is wrong with the configuration of the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub config_problems: Vec<crate::config::ConfigProblem>,
    /// The project directory that was looked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
}

/// A workflow that can be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkflowEntry {
    /// The id that starts it. For a file whose id has no namespace, that older id.
    pub workflow_id: String,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When to use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// What kinds of work it is for.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<Tag>,
    /// Where its file was found.
    pub source_kind: SourceKind,
    /// Whether its id has a namespace.
    pub id_status: IdStatus,
    /// The id that its runs are recorded under, if that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical_id: Option<WorkflowId>,
    /// The id to write into its file, if that has no namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_id: Option<WorkflowId>,
    /// The hash of what a run would be pinned to.
    pub workflow_hash: WorkflowHash,
    /// How many steps it has.
    pub steps: usize,
    /// What its author should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WorkflowWarning>,
}

/// Something that the author of a workflow should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkflowWarning {
    /// What it is about.
    pub code: WarningCode,
    /// What it is about in this workflow.
    pub subject: String,
    /// What is meant, and what to do.
    pub message: String,
}

/// A file or directory that does not load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnloadedFile {
    /// What.
    pub path: String,
    /// Where it was found.
    pub source_kind: SourceKind,
    /// Everything that is wrong with it.
    pub problems: Vec<FileProblem>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum FileProblem {
    /// Something in it.
    Inside(SourceProblem),
    /// It cannot be read at all.
    Unreadable {
        /// Why.
        reason: String,
    },
}

/// A file that another one takes the place of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShadowedFile {
    /// The id of both.
    pub workflow_id: WorkflowId,
    /// The file that does not count.
    pub path: String,
    /// The file that does.
    pub by: String,
}

/// A workflow, shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InspectedWorkflow {
    /// What it is.
    pub entry: WorkflowEntry,
    /// Its steps by title, in their order; with `preview`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub step_titles: Vec<String>,
    /// The prompt of its first step; with `preview`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// The whole; with `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiled: Option<CompiledWorkflow>,
    /// That it was asked for by an older id, or is a routine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Whether it is a routine, which is a part of workflows and cannot be started.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_routine: bool,
}

/// Runs that could be continued.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResumeCandidates {
    /// The best first; at most five.
    pub candidates: Vec<ResumeCandidate>,
    /// What was searched for; nothing if ids were sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
    /// How many more match; all the others, if none does.
    pub more: usize,
    /// How many completed runs match and were not asked for; all of them, if none does.
    pub completed_left_out: usize,
    /// How many sessions cannot be read.
    pub unreadable: usize,
}

/// What runs were searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Searched {
    /// Words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The branch: what was sent, or what is checked out where the client works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    /// The commit, in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_head_sha: Option<String>,
    /// Whether completed runs were searched too.
    pub include_completed: bool,
}

/// A run that could be continued.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResumeCandidate {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// Two words for people. They find nothing.
    pub label: Label,
    /// What the run is about.
    pub title: String,
    /// Its workflow.
    pub workflow_id: WorkflowId,
    /// What it waits for; nothing at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepPlace>,
    /// How far it is.
    pub status: RunStatus,
    /// When its newest event was recorded, in milliseconds since 1970.
    pub active_at: TimestampMs,
    /// The branch that was last seen around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    /// The beginning of its newest notes.
    pub snippet: String,
    /// Why it is offered, strongest first; empty if it was asked for by id.
    pub why_matched: Vec<WhyMatched>,
    /// Asks where the run stands.
    pub state_token: String,
    /// The call that does.
    pub next_call: NextCall,
}
