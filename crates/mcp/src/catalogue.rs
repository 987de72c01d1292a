//! The tools as agents read them, in sets.
//!
//! Each set has a [`Catalogue`]: its name, its part of the instructions, and a [`ToolCard`] for each of its tools.
//! [`sets`] is the registry: generators, snapshots and tests go through it.
//!
//! To add a set:
//! 1. Write the names, texts and cards of its tools at the end of this file, and add its catalogue to [`sets`]. The
//!    schemas come from types of requests and replies in `piton-runtime`.
//! 2. Give each tool the argument `run` with [`ToolCard::within_a_run`]: what a step allows depends on it.
//! 3. Implement `ToolSet` for it in a module of `sets`, and decide in `sets::server_builder` which connections get it.
//!    A connection that may use only some of the tools gets a catalogue with those alone.
//! 4. Accept the snapshot of its list in `tests/it/registry.rs`, and run `cargo xtask generate`.
//!
//! *Invariants*: schemas come from the types of requests and replies, never from here. A tool takes an object and
//! refuses every field that its schema does not have. Tool names are unique across all sets. Remarks about a single
//! field are at that field, in the types of the requests.

use std::sync::{Arc, LazyLock};

use piton_core::Envelope;
use piton_runtime::backpack::request::{
    HistoryShown, KeysListed, ListKeys, Pack, Packed, ShowHistory, Unpack, Unpacked,
};
use piton_runtime::context::{
    Appended, ComposeContext, Composed, GetContext, NodeContext, PutFrame, RegenerateFrames,
    Regenerated, Right, Role, SynthesizeFrames, Synthesized,
};
use piton_runtime::reply::{
    ArtifactPart, CheckpointBody, InspectedWorkflow, ListedWorkflows, ReplyBody, ResumeCandidates,
};
use piton_runtime::request::{
    Checkpoint, Continue, GetArtifact, InspectWorkflow, ListWorkflows, ResumeSession, StartWorkflow,
};
use piton_runtime::workspaces::{FileWorld, Tool, card};

pub use piton_core::tool_card::{Hints, Object, RUN, ToolCard, input, output};

/// A set of tools as agents read it: the whole set, or the part that one connection gets.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// Name of the set in configuration and documentation.
    pub name: &'static str,
    /// Instructions that agents read when they connect.
    pub instructions: String,
    /// The tools, in the order in which they are listed.
    pub tools: Vec<ToolCard>,
}

impl Catalogue {
    /// Returns the tool with the given name.
    pub fn tool(&self, name: &str) -> Option<&ToolCard> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// Returns every set with all its tools, in the order in which agents read them.
pub fn sets() -> Vec<Arc<Catalogue>> {
    vec![workflow(), workspaces(), context(Role::Synthesis), backpack()]
}

/// Returns the schema of the structured content of every failed call.
pub fn error_schema() -> Object {
    output::<Envelope>()
}

/// Hints of a tool that writes nothing.
const READ_ONLY: Hints = Hints { read_only: true, destructive: false, idempotent: true };

/// Hints of a tool that writes, and writes nothing more when the call is repeated.
const IDEMPOTENT: Hints = Hints { read_only: false, destructive: false, idempotent: true };

/// Hints of a tool that writes with every call.
const WRITING: Hints = Hints { read_only: false, destructive: false, idempotent: false };

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

/// Returns the set `workflow`, which every connection has.
pub fn workflow() -> Arc<Catalogue> {
    static WHOLE: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
        Arc::new(Catalogue {
            name: "workflow",
            instructions: WORKFLOW_INSTRUCTIONS.to_owned(),
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
const WORKFLOW_INSTRUCTIONS: &str = "\
Use Piton when the person asks for it, and for work with several steps that has to be thorough or that others must be \
able to check or resume: finding a bug, reviewing a change, planning, research. Leave it out for a quick question or a \
small edit. It takes you through a workflow step by step and keeps a durable record of every step.

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

/// Placeholder for the Filesystem Map while there is no connection.
const MAP: &str = "\
Files: (here stands the Filesystem Map: each Workspace with its prefix, its scope and its purpose, and nothing of the \
machine.)";

/// Returns the whole set `workspaces`, as an agent with a Workspace of every scope reads it. The Workspaces themselves
/// describe each tool and its arguments.
pub fn workspaces() -> Arc<Catalogue> {
    static WHOLE: LazyLock<Arc<Catalogue>> =
        LazyLock::new(|| Arc::new(build_catalogue(Tool::ALL, MAP.to_owned())));
    Arc::clone(&WHOLE)
}

/// Returns the catalogue of these Workspaces: their map, and the tools that can succeed.
pub fn world_catalogue(world: &FileWorld) -> Catalogue {
    build_catalogue(&world.tools(), world.map().trim_end().to_owned())
}

fn build_catalogue(tools: &[Tool], instructions: String) -> Catalogue {
    let tools = tools.iter().map(|tool| card(*tool).clone().within_a_run()).collect();
    Catalogue { name: "workspaces", instructions, tools }
}

piton_core::closed_set! {
    /// Names a tool of the set `context`.
    pub enum ContextTool {
        /// Shows a node with its frames.
        GetContext => "get_context",
        /// Composes what to read about a node.
        ComposeContext => "compose_context",
        /// Writes a frame.
        PutFrame => "put_frame",
        /// Makes the frame of a directory.
        Synthesize => "synthesize",
        /// Regenerates frames.
        Regenerate => "regenerate",
    }
}

/// Returns the part of the set `context` that an agent of a role gets.
pub fn context(role: Role) -> Arc<Catalogue> {
    let tools: Vec<ToolCard> = ContextTool::ALL
        .iter()
        .filter(|tool| role.allows(tool.needs()))
        .map(|tool| tool.card().within_a_run())
        .collect();
    let mut instructions = CONTEXT_INSTRUCTIONS.to_owned();
    if role.allows(Right::Append) {
        instructions = format!("{instructions} {FOR_WRITERS}");
    }
    Arc::new(Catalogue { name: "context", instructions, tools })
}

impl ContextTool {
    /// Returns the right that an agent needs to call the tool.
    pub const fn needs(self) -> Right {
        match self {
            Self::GetContext | Self::ComposeContext => Right::Read,
            Self::PutFrame => Right::Append,
            Self::Synthesize | Self::Regenerate => Right::Synthesize,
        }
    }

    fn card(self) -> ToolCard {
        let name = self.as_str();
        match self {
            Self::GetContext => ToolCard::new::<GetContext, NodeContext>(
                name,
                "Show the context of a file",
                GET_CONTEXT,
                READ_ONLY,
            ),
            Self::ComposeContext => ToolCard::new::<ComposeContext, Composed>(
                name,
                "Compose context for a file",
                COMPOSE_CONTEXT,
                READ_ONLY,
            ),
            Self::PutFrame => ToolCard::new::<PutFrame, Appended>(
                name,
                "Put a frame on a file",
                PUT_FRAME,
                IDEMPOTENT,
            ),
            Self::Synthesize => ToolCard::new::<SynthesizeFrames, Synthesized>(
                name,
                "Synthesise a directory",
                SYNTHESIZE,
                IDEMPOTENT,
            ),
            Self::Regenerate => ToolCard::new::<RegenerateFrames, Regenerated>(
                name,
                "Regenerate frames",
                REGENERATE,
                IDEMPOTENT,
            ),
        }
    }
}

/// Instructions that an agent reads when it connects.
const CONTEXT_INSTRUCTIONS: &str = "\
Context: what agents wrote about the files and directories of this project, each piece a frame with its type, its \
agent, and whether it is fresh. Before you read many files, ask compose_context about the one that you work on.";

/// Additional instructions for an agent that may write.
const FOR_WRITERS: &str = "\
When you have understood a file or directory, keep it with put_frame, for whoever comes next.";

const GET_CONTEXT: &str = "\
Shows a file or directory and the frames on it. A stale frame says why: read the file before you rely on it.";

const COMPOSE_CONTEXT: &str = "\
Puts together what is written about a file or directory, the directory that it is in, and what lies beside it: the \
most relevant first, within a budget of tokens.";

const PUT_FRAME: &str = "\
Puts a frame on a file or directory as it is now. Frames are never overwritten: a new one of the same type takes the \
place of the old one, which stays in the history. To repeat a call is harmless.";

const SYNTHESIZE: &str = "\
Makes the frame of a directory from the frames of its entries, by a fixed rule and without a model.";

const REGENERATE: &str = "\
Regenerates synthesised frames whose entries have changed since. What was written by hand is listed as stale and \
stays as it is.";

piton_core::closed_set! {
    /// Names a tool of the set `backpack`.
    pub enum BackpackTool {
        /// Stores a value.
        Pack => "pack",
        /// Reads a value.
        Unpack => "unpack",
        /// Lists what can be read.
        Keys => "keys",
        /// Shows who did what.
        History => "history",
    }
}

/// Returns the set `backpack`, for connections that are attached to a backpack.
pub fn backpack() -> Arc<Catalogue> {
    static WHOLE: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
        Arc::new(Catalogue {
            name: "backpack",
            instructions: BACKPACK_INSTRUCTIONS.to_owned(),
            tools: BackpackTool::ALL.iter().map(|tool| tool.card().within_a_run()).collect(),
        })
    });
    Arc::clone(&WHOLE)
}

impl BackpackTool {
    fn card(self) -> ToolCard {
        let name = self.as_str();
        match self {
            // Replaced values stay in the history, so nothing is destroyed.
            Self::Pack => ToolCard::new::<Pack, Packed>(name, "Store a value", PACK, WRITING),
            // Reading is recorded as well.
            Self::Unpack => {
                ToolCard::new::<Unpack, Unpacked>(name, "Read a value", UNPACK, WRITING)
            }
            Self::Keys => ToolCard::new::<ListKeys, KeysListed>(name, "List keys", KEYS, READ_ONLY),
            Self::History => ToolCard::new::<ShowHistory, HistoryShown>(
                name,
                "Show the history",
                HISTORY,
                READ_ONLY,
            ),
        }
    }
}

const BACKPACK_INSTRUCTIONS: &str = "\
You are attached to a backpack: values under keys, shared with other agents, with a history that says who wrote what. \
Call keys to see what you may read, unpack to read a value, pack to store one, history to see who did what. What you \
pack outlives this conversation.";

const PACK: &str = "\
Stores a value under a key, for other agents and for later. It is durable when this returns. The value before is \
replaced and stays in the history. A refusal says what you may not do; nothing is changed by it.";

const UNPACK: &str = "\
Reads the value under a key, with who stored it and when. A value that is too long comes in parts: call again with the \
`nextOffset` of the reply. Reading is recorded.";

const KEYS: &str = "\
Lists the keys in use that you may read, in order.";

const HISTORY: &str = "\
Shows who packed, read or deleted what, the newest first, as far as you may read the keys.";
