//! Requests, as callers send them.

use std::sync::Arc;

use piton_core::{NodeId, RunId, SessionId};
use serde_json::{Map, Value};

use crate::compile::CompiledWorkflow;
use crate::event::{ObservationRecorded, PreferenceChange, PreferenceSource, Preferences};
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

/// The output that an agent submits for a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubmittedOutput {
    /// Account of what was done and decided in this step.
    pub notes_markdown: Option<String>,
    /// The results of the step, as JSON.
    pub artifacts: Vec<Value>,
}

/// A request to continue a run. An ack token submits an output; a state token alone asks for the state of the run.
#[derive(Clone, Debug, Default)]
pub struct Continue {
    /// The token that may submit an output.
    pub ack_token: Option<String>,
    /// The position that the caller believes the run to be at.
    pub state_token: Option<String>,
    pub output: Option<SubmittedOutput>,
    /// Changes to the context of the run; `null` removes a key.
    pub context: Option<Map<String, Value>>,
    /// Observations about the surroundings.
    pub observations: Vec<ObservationRecorded>,
}

/// A request to make a bookmark.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The token that may make it.
    pub checkpoint_token: String,
    /// Notes and artifacts to keep with the bookmark.
    pub output: Option<SubmittedOutput>,
}

/// A person's verdict about the step that a run waits at.
#[derive(Clone, Debug)]
pub struct SettleRequest {
    pub session: SessionId,
    pub run: RunId,
    /// The node at which the person was asked, if they were. Their verdict counts only if the run still waits there.
    pub node: Option<NodeId>,
    pub verdict: PersonVerdict,
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
