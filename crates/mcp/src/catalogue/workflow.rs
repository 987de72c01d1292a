//! The set `workflow`, which every connection has: its tools with their texts, schemas and hints.
//!
//! Remarks about a single field are at that field, in the types of the requests.

use std::sync::{Arc, LazyLock};

use piton_runtime::reply::{
    ArtifactPart, CheckpointBody, InspectedWorkflow, ListedWorkflows, ReplyBody, ResumeCandidates,
};
use piton_runtime::request::{
    Checkpoint, Continue, GetArtifact, InspectWorkflow, ListWorkflows, ResumeSession, StartWorkflow,
};

use super::ToolCard;
use super::registry::{Catalogue, IDEMPOTENT, READ_ONLY, WRITING};

piton_core::closed_set! {
    /// Names a tool of the set `workflow`.
    pub enum WorkflowTool {
        /// Lists the workflows that there are.
        ListWorkflows => "list_workflows",
        /// Shows what a workflow does.
        InspectWorkflow => "inspect_workflow",
        /// Starts a run.
        StartWorkflow => "start_workflow",
        /// Submits a step and gets the next.
        ContinueWorkflow => "continue_workflow",
        /// Makes a bookmark.
        CheckpointWorkflow => "checkpoint_workflow",
        /// Reads an artifact of an earlier step.
        GetArtifact => "get_artifact",
        /// Finds a run to continue.
        ResumeSession => "resume_session",
    }
}

/// Returns the set as agents read it.
pub fn catalogue() -> Arc<Catalogue> {
    static WHOLE: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
        Arc::new(Catalogue {
            name: "workflow",
            instructions: INSTRUCTIONS.to_owned(),
            tools: WorkflowTool::ALL.iter().map(|tool| tool.card()).collect(),
        })
    });
    Arc::clone(&WHOLE)
}

impl WorkflowTool {
    /// Returns the complete description of the tool.
    pub fn card(self) -> ToolCard {
        let name = self.as_str();
        match self {
            Self::ListWorkflows => ToolCard::new::<ListWorkflows, ListedWorkflows>(
                name,
                "List workflows",
                LIST_WORKFLOWS,
                READ_ONLY,
            ),
            Self::InspectWorkflow => ToolCard::new::<InspectWorkflow, InspectedWorkflow>(
                name,
                "Inspect a workflow",
                INSPECT_WORKFLOW,
                READ_ONLY,
            ),
            // Without a `startKey`, each call starts a new run.
            Self::StartWorkflow => ToolCard::new::<StartWorkflow, ReplyBody>(
                name,
                "Start a workflow",
                START_WORKFLOW,
                WRITING,
            ),
            Self::ContinueWorkflow => ToolCard::new::<Continue, ReplyBody>(
                name,
                "Continue a workflow",
                CONTINUE_WORKFLOW,
                IDEMPOTENT,
            ),
            Self::CheckpointWorkflow => ToolCard::new::<Checkpoint, CheckpointBody>(
                name,
                "Bookmark a workflow",
                CHECKPOINT_WORKFLOW,
                IDEMPOTENT,
            ),
            Self::GetArtifact => ToolCard::new::<GetArtifact, ArtifactPart>(
                name,
                "Get an artifact",
                GET_ARTIFACT,
                READ_ONLY,
            ),
            Self::ResumeSession => ToolCard::new::<ResumeSession, ResumeCandidates>(
                name,
                "Resume a session",
                RESUME_SESSION,
                READ_ONLY,
            ),
        }
    }
}

/// The protocol, as agents read it when they connect.
const INSTRUCTIONS: &str = "\
Piton takes you through workflows step by step and keeps a durable record of every step.

1. list_workflows shows what there is; start_workflow starts a run and returns its first step.
2. Do what the step asks. Then make the call after `Next:` at the end of the reply, with your output.
3. Continue until a reply says that the run is done.

Copy that call whole, always from the newest reply of the run that you mean: its token is the right to submit this step, \
and its label, the two words that the reply begins with, says which run you mean. Sending the same output \
or bookmark again is harmless: you get the same reply. Sending start_workflow again starts another run, unless both \
calls have the same `startKey`. After a break, or if you lost a token, call resume_session.";

const LIST_WORKFLOWS: &str = "\
Lists the workflows that can be started: what each does and when to use it. Then start one with start_workflow, or \
look inside with inspect_workflow.";

const INSPECT_WORKFLOW: &str = "\
Shows a workflow without starting it. Nothing is recorded.";

const START_WORKFLOW: &str = "\
Starts a run and returns its first step. Do what the step asks, then make the call after `Next:` with your output.";

const CONTINUE_WORKFLOW: &str = "\
Submits the output of the pending step and returns the next step. What a reply asks of you:
- A step: do it, then make the call after `Next:` with its output.
- \"Ask the person before you do this step\": show it to them and wait for their yes; then the same.
- \"is not finished\": the output lacked something, and the reply lists what. Send the whole output again, with the call \
after `Next:` of that reply: its token is new.
- \"done\": the run is complete; tell the person the result.
RIGHT: {\"ackToken\": \"(of the newest reply)\", \"label\": \"(of the same reply)\", \"output\": {\"notesMarkdown\": \
\"(this step)\"}}
WRONG: the token of one run with the label or output of another.";

const CHECKPOINT_WORKFLOW: &str = "\
Makes a bookmark at the pending step without finishing it, before something risky or a long break. The call after \
`Next:` in the reply leads back to it.";

const GET_ARTIFACT: &str = "\
Reads an artifact that a reply lists by its digest.";

const RESUME_SESSION: &str = "\
Finds runs to continue: after a break, in a new chat, or when a token was lost. Offers open runs, newest first; without \
arguments, those on the checked-out branch and commit come first. Make the call after `Next:` of the run that is meant; \
if several fit, ask the person.";
