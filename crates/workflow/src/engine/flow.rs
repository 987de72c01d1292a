//! Which step comes first, and which comes next.
//!
//! A step whose condition does not hold is passed by: it is told in the trace and not completed. Whether loops
//! begin and turn is said in `turning`.
//!
//! *Invariants*: total over decisions and contexts. What is completed grows by the step that was left and by
//! nothing else; a loop that turns again takes back what its last turn completed and decided, so a state does not
//! grow with the turns.

use serde_json::{Map, Value};

use super::control;
use super::decision_trace::{DecisionTrace, ExitCause};
use super::error::EngineError;
use super::finding::Finding;
use super::missing_context::MissingContext;
use super::render::pending;
use super::report;
use super::scope::scope;
use super::step_position::{StepPosition, find_loop, index_of_loop};
use crate::bounds::{EMPTY_PLACES_MAX, LACKS_MAX};
use crate::compile::{CompiledLoop, CompiledStep, CompiledWorkflow, SequenceEntry};
use crate::event::TraceEntry;
use crate::loop_path::{LoopPath, LoopPosition};
use crate::name::LoopId;
use crate::predicate::PredicateScope;
use crate::snapshot::{CompletedSteps, Decisions, ExecutionState, Running};

/// Where a run goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The state that it comes to.
    pub next: ExecutionState,
    /// How, in order.
    pub traces: Vec<TraceEntry>,
    /// What the run should have been told on the way and was not. A loop that lacks something is passed by.
    pub findings: Vec<Finding>,
}

/// Where a run of `workflow` begins, when it was told `context`.
pub fn begin(
    workflow: &CompiledWorkflow,
    context: &Map<String, Value>,
) -> Result<Flow, EngineError> {
    let walk = StepWalk { beginning: true, ..StepWalk::new(workflow, context) };
    walk.go(&workflow.sequence, 0)
}

/// Where a run goes from the step that is pending in `state`, which counts as completed from then on.
/// `artifacts` are what was handed in for it, and `context` is what the run was told up to here.
pub fn next(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    context: &Map<String, Value>,
    artifacts: &[Value],
) -> Result<Flow, EngineError> {
    let place = StepPosition::of(workflow, state)?;
    let decided = control::decided(workflow, &place, artifacts);
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
    /// Whether the run begins here.
    beginning: bool,
    pub(super) stack: Vec<LoopPosition>,
    completed: CompletedSteps,
    pub(super) decisions: Decisions,
    pub(super) trail: DecisionTrace,
    /// What the run should have been told.
    lacking: Vec<(MissingContext, Finding)>,
    /// How many places of the outermost loop were looked at.
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
            trail: DecisionTrace::default(),
            lacking: Vec::new(),
            places: 0,
        }
    }

    /// Goes to the first step from `entries[index]` on.
    fn go(mut self, entries: &'a [SequenceEntry], index: usize) -> Result<Flow, EngineError> {
        let next = match self.seek(entries, index) {
            None => ExecutionState::Complete,
            Some(step) => {
                self.trail.selected(&step.step_id, self.stack.last());
                let pending =
                    pending(self.workflow, step, &self.stack, self.context, self.beginning)?;
                let running = Running::new(self.completed, path(&self.stack), Some(pending))?;
                ExecutionState::Running(running.with_decisions(self.decisions))
            }
        };
        let findings = self.lacking.into_iter().map(|(_, finding)| finding).collect();
        Ok(Flow { next, traces: self.trail.into_entries(), findings })
    }

    /// The first step from `entries[index]` on that is to be done, with the stack as it is there; nothing at the
    /// end of the workflow.
    fn seek(
        &mut self,
        mut entries: &'a [SequenceEntry],
        mut index: usize,
    ) -> Option<&'a CompiledStep> {
        // This comes to an end: the list of the workflow is gone through once, and for each of its loops a
        // limited number of places is looked at.
        loop {
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
                    let of = self.find(loop_id);
                    if self.enter(of) {
                        (entries, index) = (&of.body, 0);
                    } else {
                        index += 1;
                    }
                }
                None => {
                    let position = self.stack.pop()?;
                    let of = self.find(&position.loop_id);
                    if let Some(iteration) = self.turn(of, &position) {
                        self.forget(&position);
                        self.stack.push(LoopPosition { iteration, ..position });
                        (entries, index) = (&of.body, 0);
                    } else {
                        (entries, index) = self.behind(of);
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
        self.trail.asked_to_run(&step.step_id, self.stack.last(), holds, when);
        holds
    }

    /// Leaves the outermost loop, in which nothing was to do for too long.
    fn give_up(&mut self) -> (&'a [SequenceEntry], usize) {
        let outermost = self.stack.first().cloned().expect("places are counted inside of loops");
        self.stack.clear();
        let of = self.find(&outermost.loop_id);
        self.trail.exited(of, Some(outermost.iteration), ExitCause::NothingToDo);
        self.behind(of)
    }

    /// The place behind a loop, which is off the stack.
    fn behind(&self, of: &CompiledLoop) -> (&'a [SequenceEntry], usize) {
        let entries = self.entries();
        let ended = index_of_loop(entries, &of.loop_id);
        (entries, ended.expect("a loop lies in the list around it") + 1)
    }

    /// Drops what was done and decided in the turn `position` of a loop, which is off the stack.
    fn forget(&mut self, position: &LoopPosition) {
        let turn = [self.stack.as_slice(), std::slice::from_ref(position)].concat();
        let turn = path(&turn);
        self.completed = std::mem::take(&mut self.completed).without_turn(&turn);
        self.decisions = std::mem::take(&mut self.decisions).without_turn(&turn);
    }

    /// Keeps that a loop should have been told something. What one walk lacks is told up to a limit, each key
    /// once.
    pub(super) fn note(&mut self, of: &CompiledLoop, lack: MissingContext) {
        let known = self.lacking.iter().any(|(other, _)| other.key == lack.key);
        if !known && self.lacking.len() < LACKS_MAX {
            let finding = report::lack(&of.loop_id, &lack);
            self.lacking.push((lack, finding));
        }
    }

    /// What holds where the walk is.
    pub(super) fn scope(&self) -> PredicateScope<'a> {
        scope(self.workflow, &self.stack, self.context)
    }

    /// The list that the walk is in.
    fn entries(&self) -> &'a [SequenceEntry] {
        match self.stack.last() {
            None => &self.workflow.sequence,
            Some(position) => &self.find(&position.loop_id).body,
        }
    }

    fn find(&self, loop_id: &LoopId) -> &'a CompiledLoop {
        find_loop(self.workflow, loop_id).expect("a sound workflow has the loops of its lists")
    }
}

pub(super) fn path(positions: &[LoopPosition]) -> LoopPath {
    LoopPath::new(positions.to_vec()).expect("the loops of a sound workflow make a path")
}
