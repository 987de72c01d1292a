//! The tools, each with everything that is said about it in one place.

use piton_core::Envelope;
use piton_runtime::reply::{
    Body, CheckpointBody, InspectedWorkflow, ListedWorkflows, ResumeCandidates,
};
use piton_runtime::request::{
    CheckpointWorkflow, ContinueWorkflow, InspectWorkflow, ListWorkflows, ResumeSession,
    StartWorkflow,
};

use super::schema::{Object, input, output};
use super::words;

piton_core::closed_set! {
    /// Names a tool of the set `workflow`.
    pub enum ToolName {
        /// Which workflows there are.
        ListWorkflows => "list_workflows",
        /// What a workflow does.
        InspectWorkflow => "inspect_workflow",
        /// Starts a run.
        StartWorkflow => "start_workflow",
        /// Hands in a step and gets the next.
        ContinueWorkflow => "continue_workflow",
        /// Makes a bookmark.
        CheckpointWorkflow => "checkpoint_workflow",
        /// Finds a run to go on with.
        ResumeSession => "resume_session",
    }
}

/// What a client may know before it lets an agent call a tool. None of the tools reaches anything outside of Piton
/// or destroys anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Whether it writes nothing.
    pub read_only: bool,
    /// Whether the same call twice does no more than once.
    pub idempotent: bool,
}

impl ToolName {
    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ListWorkflows => "List workflows",
            Self::InspectWorkflow => "Inspect a workflow",
            Self::StartWorkflow => "Start a workflow",
            Self::ContinueWorkflow => "Continue a workflow",
            Self::CheckpointWorkflow => "Bookmark a workflow",
            Self::ResumeSession => "Resume a session",
        }
    }

    /// What it does, for agents.
    pub const fn description(self) -> &'static str {
        match self {
            Self::ListWorkflows => words::LIST_WORKFLOWS,
            Self::InspectWorkflow => words::INSPECT_WORKFLOW,
            Self::StartWorkflow => words::START_WORKFLOW,
            Self::ContinueWorkflow => words::CONTINUE_WORKFLOW,
            Self::CheckpointWorkflow => words::CHECKPOINT_WORKFLOW,
            Self::ResumeSession => words::RESUME_SESSION,
        }
    }

    /// What a client may know about it.
    pub const fn hints(self) -> Hints {
        match self {
            Self::ListWorkflows | Self::InspectWorkflow | Self::ResumeSession => {
                Hints { read_only: true, idempotent: true }
            }
            // Without a `startKey` each call starts a run of its own.
            Self::StartWorkflow => Hints { read_only: false, idempotent: false },
            Self::ContinueWorkflow | Self::CheckpointWorkflow => {
                Hints { read_only: false, idempotent: true }
            }
        }
    }

    /// The schema of what it takes.
    pub fn input_schema(self) -> Object {
        match self {
            Self::ListWorkflows => input::<ListWorkflows>(),
            Self::InspectWorkflow => input::<InspectWorkflow>(),
            Self::StartWorkflow => input::<StartWorkflow>(),
            Self::ContinueWorkflow => input::<ContinueWorkflow>(),
            Self::CheckpointWorkflow => input::<CheckpointWorkflow>(),
            Self::ResumeSession => input::<ResumeSession>(),
        }
    }

    /// The schema of what it answers as structured content.
    pub fn output_schema(self) -> Object {
        match self {
            Self::ListWorkflows => output::<ListedWorkflows>(),
            Self::InspectWorkflow => output::<InspectedWorkflow>(),
            Self::StartWorkflow | Self::ContinueWorkflow => output::<Body>(),
            Self::CheckpointWorkflow => output::<CheckpointBody>(),
            Self::ResumeSession => output::<ResumeCandidates>(),
        }
    }

    /// The schema of what every tool answers as structured content when it fails.
    pub fn error_schema() -> Object {
        output::<Envelope>()
    }
}
