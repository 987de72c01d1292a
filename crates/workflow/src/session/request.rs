//! Requests, as callers send them.
//!
//! The comments on the fields of [`Continue`], [`Checkpoint`] and [`SubmittedOutput`] are the descriptions that agents
//! read in the schemas of the tools.

use std::sync::Arc;

use piton_core::{EventIndex, NodeId, RunId, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::compile::CompiledWorkflow;
use crate::event::{ObservationRecorded, PreferenceChange, PreferenceSource, Preferences};
use crate::projection::PersonName;
use crate::run::SourceKind;

/// A compiled workflow and the origin of its source.
#[derive(Clone, Debug)]
pub struct SourcedWorkflow {
    /// The workflow that the run is pinned to.
    pub compiled: Arc<CompiledWorkflow>,
    pub source_kind: SourceKind,
    /// Name of the source. It is shown and never opened.
    pub source_ref: String,
}

/// A request to start a run.
#[derive(Clone, Debug)]
pub struct Start {
    pub workflow: SourcedWorkflow,
    /// The goal of the run. It becomes the context's `goal` and the title of the session.
    pub goal: Option<String>,
    /// The context that the run starts with.
    pub context: Map<String, Value>,
    /// The preferences in force at its start.
    pub preferences: Preferences,
    /// Observations about the surroundings.
    pub observations: Vec<ObservationRecorded>,
    /// Makes starting twice harmless.
    pub key: Option<StartKey>,
}

/// A key that makes two starts one: starts with the same key and project find the same run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartKey {
    /// Text of the caller's choice.
    pub key: String,
    /// The project that the caller works in.
    pub project_dir: String,
}

/// The output of a step.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubmittedOutput {
    /// What was done in this step alone, in 10 to 30 lines of markdown: decisions, results (files, paths, numbers), and
    /// notable risks, questions and omissions. Earlier notes are kept.
    ///
    /// WRONG: the notes of all steps so far. RIGHT: the notes of this step.
    pub notes_markdown: Option<String>,
    /// Structured results, each a JSON object with a `kind`, where the step asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Value>,
}

/// A request to continue a run. An ack token submits an output; a state token alone asks for the state of the run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Continue {
    /// The right to submit the output of one step: copy it from the call after `Next:` of the last reply.
    /// Each reply brings a new one. If you lost it, call `resume_session`.
    ///
    /// WRONG: the ackToken of an earlier step, which repeats that step's answer. RIGHT: the one of the last reply.
    pub ack_token: Option<String>,
    /// Asks where a run stands, with a recap: send it alone.
    ///
    /// WRONG: a stateToken with an output. RIGHT: a stateToken alone, then the ackToken of its reply with the output.
    pub state_token: Option<String>,
    /// What the step produced. Only with an ackToken.
    pub output: Option<SubmittedOutput>,
    /// Only what changes in what the run knows; the rest is kept. `null` takes a key away. Only with an ackToken.
    ///
    /// WRONG: the whole context again. RIGHT: `{"branch": "fix-login"}`.
    pub context: Option<Map<String, Value>>,
    /// The two words that the run's replies begin with, such as `amber-otter`. It must fit the token; required while
    /// several runs are open.
    // Only a connection knows which runs are open, so it checks the label before the session gets the request.
    pub label: Option<String>,
    /// Observations about the surroundings. They are not sent: the caller's own code adds what it sees.
    #[serde(skip)]
    pub observations: Vec<ObservationRecorded>,
    /// Number of refusals of one step in a row with which the person is asked. It is not sent: the settings say it.
    #[serde(skip)]
    pub ask_after_refusals: Option<u32>,
}

/// A request to make a bookmark.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "agents know the token by this name")]
pub struct Checkpoint {
    /// The right to make one bookmark: copy it from the call after `Bookmark:` of the last reply.
    pub checkpoint_token: String,
    /// What to remember of this moment.
    pub output: Option<SubmittedOutput>,
    /// As for `continue_workflow`.
    pub label: Option<String>,
}

/// A person's verdict about the step that a run waits at.
#[derive(Clone, Debug)]
pub struct SettleRequest {
    pub session: SessionId,
    pub run: RunId,
    /// The node at which the person saw the question, if they saw one. Their verdict counts only if that question is
    /// still open: the run waits there, and nobody has decided since the agent's last attempt.
    pub node: Option<NodeId>,
    /// The earlier decision that this one replaces, as the person saw it.
    pub replaces: Option<EventIndex>,
    /// The person, if they gave a name. It is recorded.
    pub by: Option<PersonName>,
    pub verdict: PersonVerdict,
}

impl SettleRequest {
    /// Creates a verdict about whatever the run waits for.
    pub const fn new(session: SessionId, run: RunId, verdict: PersonVerdict) -> Self {
        Self { session, run, node: None, replaces: None, by: None, verdict }
    }
}

/// A person's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonVerdict {
    /// The run may continue.
    Approved,
    /// The information that was asked for.
    Answered(String),
    /// The run must not continue, for this reason.
    Refused(String),
}

/// A request to change the preferences of a run from its preferred tip on.
#[derive(Clone, Debug)]
pub struct Prefer {
    pub session: SessionId,
    pub run: RunId,
    /// The origin of the change.
    pub source: PreferenceSource,
    pub changes: Vec<PreferenceChange>,
}

/// A request to make a branch the one that its run is at.
#[derive(Clone, Debug)]
pub struct PreferBranch {
    pub session: SessionId,
    pub run: RunId,
    /// A node of the branch. The newest tip at or below it is preferred.
    pub node: NodeId,
    /// The person, if they gave a name.
    pub by: Option<PersonName>,
}
