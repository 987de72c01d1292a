//! Requests from agents.

use piton_core::{RunId, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Lists the workflows that can be started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListWorkflows {
    /// Words that the id, name, description or use of a workflow must have. Leave it out to see all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Kinds of work, such as `review`: a workflow must have one of them. Each entry of the list names its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The absolute path of the directory that you work in; its workflows are listed too. Usually left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// Shows a workflow without starting it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InspectWorkflow {
    /// The id from `list_workflows`, such as `wr.code_review`.
    pub workflow_id: String,
    /// How much to show: `metadata`, `preview` (with the first step) or `full`.
    #[serde(default)]
    pub mode: InspectMode,
    /// The absolute path of the directory that you work in. Usually left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
}

/// Starts a run of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartWorkflow {
    /// The id from `list_workflows`, such as `wr.code_review`.
    pub workflow_id: String,
    /// What the run is to reach, in one line. People find the run by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What the run should know from its start, as a JSON object. It is kept: later calls send only what changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// The absolute path of the directory that you work in. Usually left out; the reply says which one was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
    /// A key of your own choice, such as a ticket number. In one project it gives the same run again; with another
    /// workflow or goal it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_key: Option<String>,
}

/// What a step produced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepOutput {
    /// What was done in this step alone, in 10 to 30 lines of markdown: decisions, results (files, paths, numbers), and
    /// notable risks, questions and omissions. Earlier notes are kept.
    ///
    /// WRONG: the notes of all steps so far. RIGHT: the notes of this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes_markdown: Option<String>,
    /// Structured results, each a JSON object with a `kind`, where the step asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Value>,
}

/// Hands in the output of a step and gets the next one; or asks where a run stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContinueWorkflow {
    /// The right to submit the output of one step: copy it from the call after `Next:` of the last reply.
    /// Each reply brings a new one. If you lost it, call `resume_session`.
    ///
    /// WRONG: the ackToken of an earlier step, which repeats that step's answer. RIGHT: the one of the last reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_token: Option<String>,
    /// Asks where a run stands, with a recap: send it alone.
    ///
    /// WRONG: a stateToken with an output. RIGHT: a stateToken alone, then the ackToken of its reply with the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_token: Option<String>,
    /// What the step produced. Only with an ackToken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<StepOutput>,
    /// Only what changes in what the run knows; the rest is kept. `null` takes a key away. Only with an ackToken.
    ///
    /// WRONG: the whole context again. RIGHT: `{"branch": "fix-login"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// The two words that the run's replies begin with, such as `amber-otter`. It must fit the token; required while
    /// several runs are open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Makes a bookmark in a run that can be come back to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckpointWorkflow {
    /// The right to make one bookmark: copy it from the call after `Bookmark:` of the last reply.
    pub checkpoint_token: String,
    /// What to remember of this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<StepOutput>,
    /// As for `continue_workflow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Reads an artifact of an earlier step again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetArtifact {
    /// Its digest, as a reply gives it.
    pub digest: String,
    /// For a large one: the `nextOffset` of the reply before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
}

/// Finds a run to continue: by id, by words, by branch or commit, or simply the open ones that were active last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResumeSession {
    /// Words of the run's goal, label, newest notes, step titles or workflow; all of them must occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The session, if you know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The run, if you know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The branch, or the beginning of its name. Without a query, branch or commit, those of the project directory
    /// count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    /// The commit that is checked out, in 40 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_head_sha: Option<String>,
    /// Searches completed runs too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_completed: bool,
}
