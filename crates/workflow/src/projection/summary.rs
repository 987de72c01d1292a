//! A run in a few lines: its name, its subject, its progress, and the node to resume from.
//!
//! Lists show it, and the search for a run to resume reads it. It holds what these need and nothing else, so that it
//! can be kept without the events.
//!
//! *Step k of n*: n is the number of steps of the workflow, and k is the position of the pending step among them, in
//! the order of the file and counted from one. A step inside a loop counts once, no matter how often the loop turns,
//! so k goes back when a loop begins its next turn. At the end of a run nothing is pending, so there is no k.
//!
//! *Limitations*: times are as the events record them. They are for people, and order nothing but the offers for
//! resuming.

use piton_core::{
    BoundedText, EventIndex, NodeId, RunId, SessionId, TimestampMs, WorkflowHash, WorkflowId,
    shorten,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::run_state::{RunState, status};
use super::session_state::SessionState;
use crate::bounds::{
    NOTES_BYTES_MAX, OBSERVED_PATH_BYTES_MAX, RUN_GOAL_BYTES_MAX, RUN_TITLE_BYTES_MAX,
    STEP_TITLES_BYTES_MAX,
};
use crate::compile::CompiledWorkflow;
use crate::event::{ObservationKey, ObservedValue};
use crate::label::{Label, label};
use crate::name::StepId;
use crate::run::RunStatus;
use crate::snapshot::{
    ExecutionSnapshot, ExecutionState, StepTitle, derive_is_complete, derive_pending_step,
};

/// Version of [`RunSummary`]. It changes when the fields or their meanings change.
pub const SUMMARY_VERSION: u32 = 2;

/// An observed value, as text.
pub type SeenValue = BoundedText<OBSERVED_PATH_BYTES_MAX>;

/// A run, summed up at its preferred tip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunSummary {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// What people call it.
    pub label: Label,
    /// What it is about: its goal, else the first line of its notes, else its workflow.
    pub title: BoundedText<RUN_TITLE_BYTES_MAX>,
    /// What it is to reach, as far as it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<BoundedText<RUN_GOAL_BYTES_MAX>>,
    /// What it runs.
    pub workflow: WorkflowOutline,
    /// What is to do; nothing at the end of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepPlace>,
    /// How far it is.
    pub status: RunStatus,
    /// How many gaps are open.
    pub open_gaps: usize,
    /// How many nodes it has.
    pub nodes: usize,
    /// How many tips it has; more than one if it was forked.
    pub tips: usize,
    /// What was last seen around its session.
    pub surroundings: Surroundings,
    /// When it began.
    pub started_at: TimestampMs,
    /// When its newest event was recorded.
    pub active_at: TimestampMs,
    /// Its preferred tip.
    pub tip: NodeId,
    /// The newest event that touched the tip or its ancestors.
    pub activity: EventIndex,
    /// The notes at the tip: its own, or those of the step that led to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recap: Option<BoundedText<NOTES_BYTES_MAX>>,
}

/// A workflow, as far as a summary needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowOutline {
    /// The workflow.
    pub id: WorkflowId,
    /// The compiled workflow that the run is pinned to.
    pub hash: WorkflowHash,
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The titles of its steps in the order of the file, as many as are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub step_titles: Vec<String>,
}

/// Step k of n.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepPlace {
    /// The step.
    pub step_id: StepId,
    /// Its title.
    pub title: StepTitle,
    /// Its place among the steps of the workflow, from one.
    pub number: usize,
    /// How many steps the workflow has.
    pub of: usize,
}

/// What was last seen around a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Surroundings {
    /// The branch that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<SeenValue>,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_sha: Option<SeenValue>,
    /// The path of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_root: Option<SeenValue>,
}

/// The part of a tip's snapshot that a summary needs. A snapshot holds far more: the prompt, and all completed steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TipState {
    pub is_complete: bool,
    pub pending: Option<(StepId, StepTitle)>,
    /// The turn of the innermost loop around the pending step, from one.
    pub turn: Option<u32>,
}

impl From<&ExecutionSnapshot> for TipState {
    fn from(snapshot: &ExecutionSnapshot) -> Self {
        let pending = derive_pending_step(snapshot);
        Self {
            is_complete: derive_is_complete(snapshot),
            pending: pending.map(|step| (step.step_id.clone(), step.title.clone())),
            turn: match &snapshot.state {
                ExecutionState::Running(running) => {
                    running.loop_stack().positions().last().map(|place| place.iteration.get() + 1)
                }
                ExecutionState::Init | ExecutionState::Complete => None,
            },
        }
    }
}

impl RunSummary {
    /// Summarizes `run`, a run of `session`, with the state of its preferred tip and the workflow that it is pinned
    /// to. Returns `None` for a run without a node.
    pub fn of(
        session: &SessionState,
        run: &RunState,
        tip: &TipState,
        workflow: &CompiledWorkflow,
    ) -> Option<Self> {
        let session_id = session.session()?;
        let node = run.graph.preferred_tip()?;
        let recap = recap_at(run, node.id);
        let goal = run.goal(node.id);
        Some(Self {
            session_id,
            run_id: run.id,
            label: label(run.id),
            title: title(run, node.id, goal, recap, workflow),
            goal: goal.map(BoundedText::truncated),
            workflow: WorkflowOutline {
                id: run.started.workflow_id.clone(),
                hash: run.started.workflow_hash,
                name: workflow.name.clone(),
                step_titles: step_titles(workflow),
            },
            step: StepPlace::of(tip, workflow),
            status: status(run, tip.is_complete),
            open_gaps: run.gaps.open().len(),
            nodes: run.graph.node_count(),
            tips: run.graph.tip_count(),
            surroundings: Surroundings::of(session),
            started_at: run.started_at,
            active_at: run.active_at,
            tip: node.id,
            activity: run.graph.last_activity()?,
            recap: recap.map(BoundedText::truncated),
        })
    }
}

impl StepPlace {
    /// Locates the pending step of a tip in the workflow. Returns `None` if the workflow has no such step.
    pub fn of(tip: &TipState, workflow: &CompiledWorkflow) -> Option<Self> {
        let (step_id, title) = tip.pending.as_ref()?;
        let place = workflow.steps.iter().position(|step| step.step_id == *step_id)?;
        Some(Self {
            step_id: step_id.clone(),
            title: title.clone(),
            number: place + 1,
            of: workflow.steps.len(),
        })
    }
}

impl Surroundings {
    fn of(session: &SessionState) -> Self {
        let seen = |key| session.observed(key).map(|observed| text_of(&observed.value));
        Self {
            branch: seen(ObservationKey::GitBranch),
            head_sha: seen(ObservationKey::GitHeadSha),
            repo_root: seen(ObservationKey::RepoRoot),
        }
    }
}

fn text_of(value: &ObservedValue) -> SeenValue {
    match value {
        ObservedValue::ShortString(text) => SeenValue::truncated(text.as_str()),
        ObservedValue::GitSha1(sha) => SeenValue::truncated(sha.as_str()),
        ObservedValue::Sha256(digest) => SeenValue::truncated(&digest.to_string()),
        ObservedValue::Path(path) => SeenValue::truncated(path.as_str()),
    }
}

/// Returns the current notes at a tip: its own, or those of the step that led to it.
fn recap_at(run: &RunState, tip: NodeId) -> Option<&str> {
    let mut nodes = run.way_up(tip).take(2);
    nodes.find_map(|(node, next)| run.notes_toward(node, next)?.notes())
}

/// Returns the titles of a workflow's steps, as many as are kept.
fn step_titles(workflow: &CompiledWorkflow) -> Vec<String> {
    let mut room = STEP_TITLES_BYTES_MAX;
    let mut fits = |title: &&String| {
        let left = room.checked_sub(title.len());
        room = left.unwrap_or(0);
        left.is_some()
    };
    workflow.steps.iter().map(|step| &step.title).take_while(|title| fits(title)).cloned().collect()
}

fn title(
    run: &RunState,
    tip: NodeId,
    goal: Option<&str>,
    recap: Option<&str>,
    workflow: &CompiledWorkflow,
) -> BoundedText<RUN_TITLE_BYTES_MAX> {
    let first = run.way_up(tip).last();
    let first = first.and_then(|(root, next)| run.notes_toward(root, next)?.notes());
    let name = workflow.name.as_deref();
    let texts = [goal, first, recap, name, Some(run.started.workflow_id.as_str())];
    let line = texts.into_iter().flatten().find_map(headline).unwrap_or_default();
    BoundedText::new(shorten(line, RUN_TITLE_BYTES_MAX)).expect("it was shortened to the bound")
}

/// Returns the first line of a text that says something, without the marks of a heading or a list.
pub fn headline(text: &str) -> Option<&str> {
    let is_mark = |character: char| character.is_whitespace() || "#*->".contains(character);
    let lines = text.lines().map(|line| line.trim_start_matches(is_mark).trim_end());
    lines.into_iter().find(|line| !line.is_empty())
}
