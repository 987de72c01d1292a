//! The cost of a workflow's steps over many runs: attempts, refusals with their reasons, time, gaps and forks.
//!
//! *Invariants*: a step is known by its id, across all versions of the workflow. The time of a visit ends with the
//! first attempt that left it, or with the newest one that did not; waiting for a person does not count. Time until
//! somebody came back to begin another branch is nobody's work.
//!
//! *Limitations*: times are as the events record them. A refusal that lists several things counts once for each of
//! them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use piton_core::{TimestampMs, WorkflowHash, WorkflowId, shorten};
use schemars::JsonSchema;
use serde::Serialize;

use super::outputs::SideRecordBody;
use super::run_shape::{PersonWait, RunShape};
use super::run_state::RunState;
use super::session_state::SessionState;
use crate::bounds::{REFUSAL_REASON_BYTES_MAX, REFUSAL_REASONS_MAX};
use crate::compile::CompiledWorkflow;
use crate::event::{AdvanceOutcome, Blocker, BlockerCode, NodeKind, Resolution};
use crate::name::StepId;

/// The steps of a workflow, summed up over runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowStats {
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// Number of runs that were counted.
    pub runs: usize,
    /// Number of those that reached their end.
    pub completed: usize,
    /// Number of different versions that these runs are pinned to.
    pub versions: usize,
    /// The steps in the order of the newest version, then those of older versions.
    pub steps: Vec<StepStats>,
}

/// A step, summed up over runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepStats {
    /// The step.
    pub step_id: String,
    /// Its title, as the newest version that has it states it.
    pub title: String,
    /// Number of times that runs came to it; each turn of a loop is one.
    pub visits: usize,
    /// Number of attempts to leave it.
    pub attempts: usize,
    /// Number of attempts that were refused.
    pub refused: usize,
    /// Number of attempts that only asked a person. They are not refused.
    pub asked: usize,
    /// The reasons of refusals, the most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<RefusalReason>,
    /// Number of further reasons that are left out.
    pub refusals_left_out: usize,
    /// Time from coming to the step to the newest attempt to leave it, over all visits, in milliseconds.
    pub spent_ms: u64,
    /// The same, at the median visit.
    pub spent_median_ms: u64,
    /// Time that runs waited there for a person, in milliseconds.
    pub waited_ms: u64,
    /// Number of gaps that were recorded there.
    pub gaps: usize,
    /// Number of those that are open.
    pub open_gaps: usize,
    /// Number of times that a run went back to it and on in another way.
    pub forks: usize,
    /// Number of times that an agent left the way of the workflow there on purpose.
    pub divergences: usize,
}

/// A reason for which outputs were refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusalReason {
    /// The kind of thing that was missing.
    pub code: BlockerCode,
    /// The criterion that was not met, or what else was wrong.
    pub reason: String,
    /// Number of refusals with it.
    pub count: usize,
}

/// Sums up the runs of one workflow.
#[derive(Debug)]
pub struct WorkflowTally {
    workflow_id: WorkflowId,
    runs: usize,
    completed: usize,
    versions: BTreeSet<WorkflowHash>,
    /// The titles of steps, those of the newest version first.
    titles: Vec<(StepId, String)>,
    steps: HashMap<StepId, StepTally>,
}

#[derive(Debug, Default)]
struct StepTally {
    stats: StepStats,
    spent: Vec<u64>,
    reasons: BTreeMap<(BlockerCode, String), usize>,
}

impl WorkflowTally {
    /// Creates the tally of a workflow, without any run.
    pub fn new(workflow_id: WorkflowId) -> Self {
        Self {
            workflow_id,
            runs: 0,
            completed: 0,
            versions: BTreeSet::new(),
            titles: Vec::new(),
            steps: HashMap::new(),
        }
    }

    /// Adds a run of `session` with its shape and the workflow that it is pinned to. Newer runs come first, because their titles
    /// and their order count.
    pub fn add(
        &mut self,
        session: &SessionState,
        run: &RunState,
        shape: &RunShape,
        workflow: &CompiledWorkflow,
        is_complete: bool,
    ) {
        self.runs += 1;
        self.completed += usize::from(is_complete);
        if self.versions.insert(run.started.workflow_hash) {
            for step in &workflow.steps {
                if !self.titles.iter().any(|(known, _)| *known == step.step_id) {
                    self.titles.push((step.step_id.clone(), step.title.clone()));
                }
            }
        }
        let waits = waits_by_node(shape);
        // The log may have grown since the shape was made; what came after is left to the next call.
        for (place, node) in run.graph.nodes().enumerate().take(shape.nodes.id.len()) {
            let is_bookmark = node.kind == NodeKind::Checkpoint;
            let Some(step) = step_at(shape, place).filter(|_| !is_bookmark) else { continue };
            let step = self.steps.entry(step.clone()).or_default();
            step.stats.visits += 1;
            let waits = waits.get(&place).map_or(&[][..], Vec::as_slice);
            step.stats.waited_ms += waited_until(waits, None);
            let attempts = run.advances.at_node(node.id);
            let leaving = attempts.iter().find(|attempt| attempt.reached.is_some());
            if let Some(end) = leaving.or(attempts.last()) {
                let left = session.time_of(end.index);
                let spent = left.get().saturating_sub(shape.nodes.created[place].get());
                step.spent.push(spent.saturating_sub(waited_until(waits, Some(left))));
            }
            for gap in run.gaps.on(node.id) {
                let is_missing = matches!(gap.record.resolution, Resolution::Unresolved {});
                step.stats.gaps += usize::from(is_missing && !gap.is_of_person());
                step.stats.open_gaps += usize::from(gap.is_open() && !gap.is_of_person());
            }
            let records = run.side_records.at_node(node.id).iter();
            let left = records.filter(|one| matches!(one.body, SideRecordBody::Divergence(_)));
            step.stats.divergences += left.count();
        }
        self.add_attempts(run, shape);
        for fork in &shape.forks {
            let parent = shape.nodes.parent.get(*fork as usize).copied().flatten();
            let step = parent.and_then(|parent| step_at(shape, parent as usize));
            if let Some(step) = step {
                self.steps.entry(step.clone()).or_default().stats.forks += 1;
            }
        }
    }

    fn add_attempts(&mut self, run: &RunState, shape: &RunShape) {
        let places: HashMap<_, _> = shape.nodes.id.iter().zip(0..).collect();
        for (node, attempt) in run.advances.all() {
            let place = places.get(&node).copied();
            let Some(step) = place.and_then(|place| step_at(shape, place)) else { continue };
            let step = self.steps.entry(step.clone()).or_default();
            step.stats.attempts += 1;
            if attempt.outcome.only_asks_person() {
                step.stats.asked += 1;
            } else if let AdvanceOutcome::Blocked { blockers } = &attempt.outcome {
                step.stats.refused += 1;
                for blocker in blockers.blockers() {
                    for reason in reasons(blocker) {
                        *step.reasons.entry((blocker.code, reason)).or_default() += 1;
                    }
                }
            }
        }
    }

    /// Returns the sums.
    pub fn finish(mut self) -> WorkflowStats {
        let mut steps: Vec<StepStats> = Vec::with_capacity(self.titles.len());
        for (step_id, title) in std::mem::take(&mut self.titles) {
            // A step that no run came to is listed too: that nobody gets there is worth knowing.
            let tally = self.steps.remove(&step_id).unwrap_or_default();
            steps.push(tally.finish(&step_id, title));
        }
        WorkflowStats {
            workflow_id: self.workflow_id,
            runs: self.runs,
            completed: self.completed,
            versions: self.versions.len(),
            steps,
        }
    }
}

impl StepTally {
    fn finish(mut self, step_id: &StepId, title: String) -> StepStats {
        self.spent.sort_unstable();
        let mut refusals: Vec<RefusalReason> = self
            .reasons
            .into_iter()
            .map(|((code, reason), count)| RefusalReason { code, reason, count })
            .collect();
        refusals.sort_by_key(|refusal| std::cmp::Reverse(refusal.count));
        let refusals_left_out = refusals.len().saturating_sub(REFUSAL_REASONS_MAX);
        refusals.truncate(REFUSAL_REASONS_MAX);
        StepStats {
            step_id: step_id.to_string(),
            title,
            spent_ms: self.spent.iter().sum(),
            spent_median_ms: self.spent.get(self.spent.len() / 2).copied().unwrap_or_default(),
            refusals,
            refusals_left_out,
            ..self.stats
        }
    }
}

fn step_at(shape: &RunShape, place: usize) -> Option<&StepId> {
    let row = shape.nodes.step.get(place).copied().flatten()?;
    shape.steps.get(row as usize).map(|step| &step.step_id)
}

fn waits_by_node(shape: &RunShape) -> HashMap<usize, Vec<&PersonWait>> {
    let mut waits: HashMap<_, Vec<_>> = HashMap::new();
    for wait in &shape.waits {
        waits.entry(wait.node as usize).or_default().push(wait);
    }
    waits
}

/// Returns the milliseconds that a run waited for a person, as far as that ended before a time. A wait that goes on has
/// no length yet.
fn waited_until(waits: &[&PersonWait], end: Option<TimestampMs>) -> u64 {
    let ended = waits.iter().filter_map(|wait| Some((wait.from, wait.until?)));
    let counted = ended.filter(|(_, until)| end.is_none_or(|end| *until <= end));
    counted.map(|(from, until)| until.get().saturating_sub(from.get())).sum()
}

/// Returns the things that a blocker lists, or the one thing that it states.
fn reasons(blocker: &Blocker) -> Vec<String> {
    let short = |text: &str| shorten(text.trim(), REFUSAL_REASON_BYTES_MAX).into_owned();
    let mut parts = blocker.message.as_str().split("\n- ");
    let head = parts.next().map(short);
    let items: Vec<String> = parts.map(short).collect();
    if items.is_empty() { head.into_iter().collect() } else { items }
}
