//! Finds the first step of a run, and the next one.
//!
//! A step with a condition that does not hold is skipped: it appears in the trace and is not completed. The module
//! `loops` decides whether loops begin and turn.
//!
//! *Invariants*: total over decisions and contexts. The completed steps grow by the step that was left and by nothing
//! else. A loop that turns again drops what its last turn completed and decided, so a state does not grow with the
//! turns.

use piton_core::{Code, TextTooLong};
use serde_json::{Map, Value};

use super::artifacts::decision_in;
use super::finding;
use super::finding::Finding;
use super::loops::MissingContext;
use super::position::{StepPosition, index_of_loop, scope};
use super::render::pending;
use super::trace::{DecisionTrace, ExitCause};
use crate::bounds::{EMPTY_PLACES_MAX, MISSING_INPUTS_MAX};
use crate::compile::{CompiledLoop, CompiledStep, CompiledWorkflow, SequenceEntry};
use crate::event::TraceEntry;
use crate::loop_path::{LoopPath, LoopPosition};
use crate::name::LoopId;
use crate::predicate::PredicateScope;
use crate::snapshot::{CompletedSteps, Decisions, ExecutionState, Running, SnapshotError};
use crate::step_instance::StepInstanceKey;

/// The next state of a run, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextStep {
    pub next: ExecutionState,
    /// The trace of the walk, in order.
    pub traces: Vec<TraceEntry>,
    /// Context that was missing on the way. A loop without the context that it needs is skipped.
    pub findings: Vec<Finding>,
}

/// Finds the first state of a run of `workflow` with this `context`.
pub fn begin(
    workflow: &CompiledWorkflow,
    context: &Map<String, Value>,
) -> Result<NextStep, EngineError> {
    let walk = StepWalk { beginning: true, ..StepWalk::new(workflow, context) };
    walk.go(&workflow.sequence, 0)
}

/// Finds the state that follows the step that is pending in `state`, which counts as completed from then on.
/// `artifacts` were submitted for it, and `context` is the context of the run up to here.
pub fn next(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    context: &Map<String, Value>,
    artifacts: &[Value],
) -> Result<NextStep, EngineError> {
    let place = StepPosition::of(workflow, state)?;
    let decided = decision_in(workflow, &place, artifacts);
    // The decision is kept in the state under the key of its step. The loop looks it up at the end of its turn, which
    // may be several steps later.
    let StepPosition { running, entries, index, .. } = place;
    let walk = StepWalk {
        stack: running.loop_stack().positions().to_vec(),
        completed: running.completed().clone().with(place.key())?,
        decisions: running.decisions().clone().with(place.key(), decided)?,
        ..StepWalk::new(workflow, context)
    };
    walk.go(entries, index + 1)
}

pub(super) struct StepWalk<'a> {
    pub(super) workflow: &'a CompiledWorkflow,
    pub(super) context: &'a Map<String, Value>,
    /// Set when the run starts here.
    beginning: bool,
    pub(super) stack: Vec<LoopPosition>,
    completed: CompletedSteps,
    pub(super) decisions: Decisions,
    pub(super) trace: DecisionTrace,
    /// Context that is missing.
    lacking: Vec<(MissingContext, Finding)>,
    /// Number of positions in the outermost loop that were visited.
    places: u32,
}

impl<'a> StepWalk<'a> {
    fn new(workflow: &'a CompiledWorkflow, context: &'a Map<String, Value>) -> Self {
        Self {
            workflow,
            context,
            beginning: false,
            stack: Vec::new(),
            completed: CompletedSteps::default(),
            decisions: Decisions::default(),
            trace: DecisionTrace::default(),
            lacking: Vec::new(),
            places: 0,
        }
    }

    /// Advances to the first step from `entries[index]` on.
    fn go(mut self, entries: &'a [SequenceEntry], index: usize) -> Result<NextStep, EngineError> {
        let next = match self.seek(entries, index) {
            None => ExecutionState::Complete,
            Some(step) => {
                self.trace.selected(&step.step_id, self.stack.last());
                let pending =
                    pending(self.workflow, step, &self.stack, self.context, self.beginning)?;
                let running = Running::new(self.completed, path(&self.stack), Some(pending))?;
                ExecutionState::Running(running.with_decisions(self.decisions))
            }
        };
        let findings = self.lacking.into_iter().map(|(_, finding)| finding).collect();
        Ok(NextStep { next, traces: self.trace.into_entries(), findings })
    }

    /// Returns the first step from `entries[index]` on that is to be done, and leaves the stack as it is there.
    /// Returns `None` at the end of the workflow.
    fn seek(
        &mut self,
        mut entries: &'a [SequenceEntry],
        mut index: usize,
    ) -> Option<&'a CompiledStep> {
        // This terminates: the list of the workflow is walked once, and the number of positions visited in each of
        // its loops is limited.
        loop {
            // Counting restarts at the top level, so the limit applies to each outermost loop by itself.
            self.places = if self.stack.is_empty() { 0 } else { self.places + 1 };
            if self.places > EMPTY_PLACES_MAX {
                (entries, index) = self.give_up();
                continue;
            }
            match entries.get(index) {
                Some(SequenceEntry::Step { step_id }) => {
                    let step = self.workflow.step(step_id);
                    let step = step.expect("a sound workflow has the steps of its lists");
                    if self.is_to_be_done(step) {
                        return Some(step);
                    }
                    index += 1;
                }
                Some(SequenceEntry::Loop { loop_id }) => {
                    let this_loop = self.find(loop_id);
                    if self.enter(this_loop) {
                        (entries, index) = (&this_loop.body, 0);
                    } else {
                        index += 1;
                    }
                }
                None => {
                    // The end of a body. An empty stack means that this was the workflow itself.
                    let position = self.stack.pop()?;
                    let this_loop = self.find(&position.loop_id);
                    if let Some(iteration) = self.turn(this_loop, &position) {
                        // Each turn starts clean, so that the same step can be completed and decided again.
                        self.forget(&position);
                        self.stack.push(LoopPosition { iteration, ..position });
                        (entries, index) = (&this_loop.body, 0);
                    } else {
                        (entries, index) = self.behind(this_loop);
                    }
                }
            }
        }
    }

    fn is_to_be_done(&mut self, step: &CompiledStep) -> bool {
        let Some(when) = &step.run_condition else {
            return true;
        };
        let holds = when.holds(&self.scope());
        self.trace.asked_to_run(&step.step_id, self.stack.last(), holds, when);
        holds
    }

    /// Leaves the outermost loop, in which there was nothing to do for too long.
    fn give_up(&mut self) -> (&'a [SequenceEntry], usize) {
        let outermost = self.stack.first().cloned().expect("places are counted inside of loops");
        // The loops inside it are left with it, without trace entries of their own.
        self.stack.clear();
        let this_loop = self.find(&outermost.loop_id);
        self.trace.exited(this_loop, Some(outermost.iteration), ExitCause::NothingToDo);
        self.behind(this_loop)
    }

    /// Returns the position after a loop, which is off the stack.
    fn behind(&self, this_loop: &CompiledLoop) -> (&'a [SequenceEntry], usize) {
        let entries = self.entries();
        let ended = index_of_loop(entries, &this_loop.loop_id);
        (entries, ended.expect("a loop lies in the list around it") + 1)
    }

    /// Drops the completed steps and decisions of the turn `position` of a loop, which is off the stack.
    fn forget(&mut self, position: &LoopPosition) {
        let turn = [self.stack.as_slice(), std::slice::from_ref(position)].concat();
        let turn = path(&turn);
        self.completed = std::mem::take(&mut self.completed).without_turn(&turn);
        self.decisions = std::mem::take(&mut self.decisions).without_turn(&turn);
    }

    /// Records that a loop lacks context. One walk reports each key once, up to a limit.
    pub(super) fn note(&mut self, this_loop: &CompiledLoop, lack: MissingContext) {
        let known = self.lacking.iter().any(|(other, _)| other.key == lack.key);
        if !known && self.lacking.len() < MISSING_INPUTS_MAX {
            let finding = finding::lack(&this_loop.loop_id, &lack);
            self.lacking.push((lack, finding));
        }
    }

    /// Returns the scope at the current position.
    pub(super) fn scope(&self) -> PredicateScope<'a> {
        scope(self.workflow, &self.stack, self.context)
    }

    /// Returns the list at the current position.
    fn entries(&self) -> &'a [SequenceEntry] {
        match self.stack.last() {
            None => &self.workflow.sequence,
            Some(position) => &self.find(&position.loop_id).body,
        }
    }

    fn find(&self, loop_id: &LoopId) -> &'a CompiledLoop {
        self.workflow.find_loop(loop_id).expect("a sound workflow has the loops of its lists")
    }
}

pub(super) fn path(positions: &[LoopPosition]) -> LoopPath {
    LoopPath::new(positions.to_vec()).expect("the loops of a sound workflow make a path")
}

/// Reasons for the engine to find no next state. Nothing that an agent submits leads here; findings report that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    #[error("the run is complete: there is no step to go on from")]
    Complete,
    /// No step is pending, so there is none to continue from.
    #[error("no step is pending, so none can be completed")]
    NothingPending,
    /// The state belongs to another workflow, or was made by hand.
    #[error("the workflow has no step at `{key}`, where the run stands")]
    Misplaced {
        /// The position that the state claims.
        key: StepInstanceKey,
    },
    /// A title or prompt of the workflow is too long to be shown. The compiler makes none.
    #[error("a text of the next step cannot be shown: {0}")]
    Text(#[from] TextTooLong),
    /// The next state would break a rule of snapshots.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl EngineError {
    /// Returns the code of the failure.
    pub const fn code(&self) -> Code {
        match self {
            Self::Complete | Self::NothingPending => Code::ValidationError,
            Self::Misplaced { .. } => Code::StoreInvariantViolation,
            Self::Text(_) => Code::StoreLimitExceeded,
            Self::Snapshot(error) => error.code(),
        }
    }
}
