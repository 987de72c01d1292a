//! The tools, each with all its texts in one place.

use std::sync::{Arc, LazyLock};

use piton_runtime::reply::{
    ArtifactPart, CheckpointBody, InspectedWorkflow, ListedWorkflows, ReplyBody, ResumeCandidates,
};
use piton_runtime::request::{
    CheckpointWorkflow, ContinueWorkflow, GetArtifact, InspectWorkflow, ListWorkflows,
    ResumeSession, StartWorkflow,
};

use super::words;
use crate::catalogue::{Catalogue, Hints, Object, ToolCard, input, output};

piton_core::closed_set! {
    /// Names a tool of the set `workflow`.
    pub enum WorkflowTool {
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
        /// Reads an artifact of an earlier step.
        GetArtifact => "get_artifact",
        /// Finds a run to go on with.
        ResumeSession => "resume_session",
    }
}

/// Returns the set as agents read it.
pub fn catalogue() -> Arc<Catalogue> {
    static WHOLE: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
        Arc::new(Catalogue {
            name: "workflow",
            instructions: words::INSTRUCTIONS.to_owned(),
            tools: WorkflowTool::ALL.iter().map(|tool| tool.card()).collect(),
        })
    });
    Arc::clone(&WHOLE)
}

impl WorkflowTool {
    fn card(self) -> ToolCard {
        ToolCard {
            name: self.as_str(),
            title: self.title(),
            description: self.description().to_owned(),
            hints: self.hints(),
            input: Arc::new(self.input_schema()),
            output: Arc::new(self.output_schema()),
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::ListWorkflows => "List workflows",
            Self::InspectWorkflow => "Inspect a workflow",
            Self::StartWorkflow => "Start a workflow",
            Self::ContinueWorkflow => "Continue a workflow",
            Self::CheckpointWorkflow => "Bookmark a workflow",
            Self::GetArtifact => "Get an artifact",
            Self::ResumeSession => "Resume a session",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::ListWorkflows => words::LIST_WORKFLOWS,
            Self::InspectWorkflow => words::INSPECT_WORKFLOW,
            Self::StartWorkflow => words::START_WORKFLOW,
            Self::ContinueWorkflow => words::CONTINUE_WORKFLOW,
            Self::CheckpointWorkflow => words::CHECKPOINT_WORKFLOW,
            Self::GetArtifact => words::GET_ARTIFACT,
            Self::ResumeSession => words::RESUME_SESSION,
        }
    }

    const fn hints(self) -> Hints {
        let (read_only, idempotent) = match self {
            Self::ListWorkflows
            | Self::InspectWorkflow
            | Self::GetArtifact
            | Self::ResumeSession => (true, true),
            // Without a `startKey`, each call starts a new run.
            Self::StartWorkflow => (false, false),
            Self::ContinueWorkflow | Self::CheckpointWorkflow => (false, true),
        };
        Hints { read_only, destructive: false, idempotent }
    }

    /// Returns the schema of the arguments.
    pub fn input_schema(self) -> Object {
        match self {
            Self::ListWorkflows => input::<ListWorkflows>(),
            Self::InspectWorkflow => input::<InspectWorkflow>(),
            Self::StartWorkflow => input::<StartWorkflow>(),
            Self::ContinueWorkflow => input::<ContinueWorkflow>(),
            Self::CheckpointWorkflow => input::<CheckpointWorkflow>(),
            Self::GetArtifact => input::<GetArtifact>(),
            Self::ResumeSession => input::<ResumeSession>(),
        }
    }

    /// Returns the schema of the structured content of its replies.
    pub fn output_schema(self) -> Object {
        match self {
            Self::ListWorkflows => output::<ListedWorkflows>(),
            Self::InspectWorkflow => output::<InspectedWorkflow>(),
            Self::StartWorkflow | Self::ContinueWorkflow => output::<ReplyBody>(),
            Self::CheckpointWorkflow => output::<CheckpointBody>(),
            Self::GetArtifact => output::<ArtifactPart>(),
            Self::ResumeSession => output::<ResumeCandidates>(),
        }
    }
}
