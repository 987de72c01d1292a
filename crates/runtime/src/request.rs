//! Requests from agents, and from people by way of the command line or a web page. Runs are continued with the requests
//! of [`piton_workflow::session`].
//!
//! The comments on the fields are the descriptions that agents read in the schemas of the tools.

use piton_core::{Digest, NodeId, RunId, SessionId, WorkflowId};
use piton_workflow::run_index::RunField;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use piton_workflow::NodeAddress;
pub use piton_workflow::projection::PersonName;
pub use piton_workflow::session::{
    Checkpoint, Continue, PersonVerdict, SettleRequest, SubmittedOutput,
};

/// Lists the workflows that can be started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListWorkflows {
    /// Words that the id, name, description or use of a workflow must have. Leave it out to see all of them.
    pub query: Option<String>,
    /// Kinds of work, such as `review`: a workflow must have one of them. Each entry of the list names its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The absolute path of the directory that you work in; its workflows are listed too. Usually left out.
    pub project_dir: Option<String>,
}

piton_core::closed_set! {
    /// How much of a workflow is shown.
    #[derive(Default)]
    pub enum InspectMode {
        /// What it is and what it is for.
        Metadata => "metadata",
        /// The same, with its steps by title and the prompt of the first.
        #[default]
        Preview => "preview",
        /// The whole compiled workflow.
        Full => "full",
    }
}

piton_core::closed_set! {
    /// What a reply about runs is made from.
    #[derive(Default)]
    pub enum Freshness {
        /// Everything that was recorded until now: sessions are followed first.
        #[default]
        Now => "now",
        /// What is indexed or cached. It may be behind, and is there at once.
        Indexed => "indexed",
    }
}

/// Finds runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RunQuery {
    /// The query line: see [`run_query`](crate::run_query). An empty one asks for every run.
    pub query: String,
    /// What the runs are sorted by; by the time of their newest event, if it is left out.
    pub sort: Option<RunField>,
    /// Set to turn the order around. Times and counts begin with the largest, and texts with the first.
    pub is_reversed: bool,
    /// Number of runs before the first.
    pub from: u64,
    /// Maximum number of runs, at most 200; 50 if it is left out.
    pub limit: Option<usize>,
    pub freshness: Freshness,
}

/// Shows a workflow without starting it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InspectWorkflow {
    /// The id from `list_workflows`, such as `wr.code_review`.
    pub workflow_id: String,
    /// How much to show: `metadata`, `preview` (with the first step) or `full`.
    #[serde(default)]
    pub mode: InspectMode,
    /// The absolute path of the directory that you work in. Usually left out.
    pub project_dir: Option<String>,
}

/// Starts a run of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartWorkflow {
    /// The id from `list_workflows`, such as `wr.code_review`.
    pub workflow_id: String,
    /// What the run is to reach, in one line. People find the run by it.
    pub goal: Option<String>,
    /// What the run should know from its start, as a JSON object. It is kept: later calls send only what changes.
    pub context: Option<Map<String, Value>>,
    /// The absolute path of the directory that you work in. Usually left out; the reply says which one was used.
    pub project_dir: Option<String>,
    /// A key of your own choice, such as a ticket number. In one project it gives the same run again; with another
    /// workflow or goal it is refused.
    pub start_key: Option<String>,
}

/// Reads an artifact of an earlier step again.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetArtifact {
    /// Its digest, as a reply gives it.
    pub digest: String,
    /// For a large one: the `nextOffset` of the reply before.
    pub offset: Option<usize>,
}

/// Finds a run to continue: by id, by words, by branch or commit, or simply the open ones that were active last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResumeSession {
    /// Words of the run's goal, label, newest notes, step titles or workflow; all of them must occur.
    pub query: Option<String>,
    /// The session, if you know it.
    pub session_id: Option<SessionId>,
    /// The run, if you know it.
    pub run_id: Option<RunId>,
    /// The branch, or the beginning of its name. Without a query, branch or commit, those of the project directory
    /// count.
    pub git_branch: Option<String>,
    /// The commit that is checked out, in 40 hex digits.
    pub git_head_sha: Option<String>,
    /// Searches completed runs too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_completed: bool,
}

/// Names a session or a run as people do: by an id, the end of one, or the two words of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionReference(pub String);

/// Names a run by its ids, as a page does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunAddress {
    pub session: SessionId,
    pub run: RunId,
}

/// A part of the events of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventQuery {
    /// The index to begin at.
    pub from: u64,
    /// Number of events, at most [`EVENTS_PAGE_MAX`](crate::bounds::EVENTS_PAGE_MAX).
    pub limit: usize,
    /// Only the events of this node, if one is given.
    pub node: Option<NodeId>,
}

/// Compiles the text of a workflow file without saving it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckSource {
    /// The id or the path of the file that is edited. Leave it out for a new file of the user.
    pub source: Option<String>,
    pub text: String,
}

/// Saves the text of a workflow file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveSource {
    /// The id or the path of the file; for a new file, a path in a directory of workflows.
    pub source: String,
    pub text: String,
    /// The digest of the file as it was read. Leave it out for a new file.
    pub digest_read: Option<Digest>,
    /// Saves a text that does not load too.
    #[serde(default)]
    pub with_problems: bool,
}

/// Begins a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSource {
    pub id: WorkflowId,
    /// Writes it to the project instead of the user's configuration.
    #[serde(default)]
    pub project: bool,
    /// Replaces an existing file.
    #[serde(default)]
    pub replace: bool,
}

/// Copies a workflow under a new id.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CopySource {
    /// The id of the workflow, or the path of its file.
    pub source: String,
    pub target: NewSource,
}
