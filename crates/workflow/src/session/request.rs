//! What a caller sends.

use std::sync::Arc;

use piton_core::{NodeId, RunId, SessionId};
use serde_json::{Map, Value};

use crate::compile::CompiledWorkflow;
use crate::event::{ObservationRecorded, PreferenceChange, Preferences};
use crate::preference::PreferenceSource;
use crate::run::SourceKind;

/// A compiled workflow, and where its source was found.
#[derive(Clone, Debug)]
pub struct SourcedWorkflow {
    /// What the run is pinned to.
    pub compiled: Arc<CompiledWorkflow>,
    /// Where its source was found.
    pub source_kind: SourceKind,
    /// Which source that was. It is shown and never opened.
    pub source_ref: String,
}

/// Begins a run.
#[derive(Clone, Debug)]
pub struct Start {
    /// What to run.
    pub workflow: SourcedWorkflow,
    /// What the run is to reach. It becomes the context's `goal` and the title of the session.
    pub goal: Option<String>,
    /// What the run is told at its start.
    pub context: Map<String, Value>,
    /// The preferences in force at its start.
    pub preferences: Preferences,
    /// What is known of the surroundings.
    pub observations: Vec<ObservationRecorded>,
    /// Makes starting twice harmless.
    pub key: Option<StartKey>,
}

/// Two starts with the same key are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartKey {
    /// Whatever the caller chose.
    pub key: String,
    /// The project that the caller works in.
    pub project_dir: String,
}

/// What an agent hands in for a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubmittedOutput {
    /// What was done and decided in this step.
    pub notes_markdown: Option<String>,
    /// What the step produced, as JSON.
    pub artifacts: Vec<Value>,
}

/// Goes on: an ack token hands in an output, a state token alone asks where the run stands.
#[derive(Clone, Debug, Default)]
pub struct Continue {
    /// The right to hand in an output.
    pub ack_token: Option<String>,
    /// Where the caller believes the run to stand.
    pub state_token: Option<String>,
    /// What is handed in.
    pub output: Option<SubmittedOutput>,
    /// What changes in what the run was told; `null` takes a key away.
    pub context: Option<Map<String, Value>>,
    /// What is known of the surroundings.
    pub observations: Vec<ObservationRecorded>,
}

/// Makes a bookmark.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The right to make it.
    pub checkpoint_token: String,
    /// What to remember of this moment.
    pub output: Option<SubmittedOutput>,
}

/// What a person says about the step that a run waits at.
#[derive(Clone, Debug)]
pub struct SettleRequest {
    /// The session.
    pub session: SessionId,
    /// The run.
    pub run: RunId,
    /// Where they were asked, if they were: what they say counts only if the run still waits there.
    pub node: Option<NodeId>,
    /// What they say.
    pub verdict: PersonVerdict,
}

/// What a person says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonVerdict {
    /// Go on.
    Approved,
    /// What was asked for.
    Answered(String),
    /// Do not go on, and why.
    Refused(String),
}

/// Changes the preferences of a run from its preferred tip on.
#[derive(Clone, Debug)]
pub struct Prefer {
    /// The session.
    pub session: SessionId,
    /// The run.
    pub run: RunId,
    /// Who wants it.
    pub source: PreferenceSource,
    /// What changes.
    pub changes: Vec<PreferenceChange>,
}
