//! Which step comes first, and which comes next.
//!
//! A loop is entered without a question, unless a decision step before it said something about it; then that
//! is asked first, and the loop may have no turn at all. At the end of each turn the decision of that turn is
//! asked. `stop` ends the loop, and so does `continue` when there is no turn left.
//!
//! *Invariants*: total over decisions. A turn whose decision is missing ends the loop and says so in the trace;
//! that the decision is missing was found, and recorded, when its step was judged. A loop never begins a turn
//! beyond its limit. An exit has one cause: the condition does not hold, or the limit is reached. What is
//! completed grows by the step that was left and by nothing else; a loop that turns again takes back what its
//! last turn completed and decided, so a state does not grow with the turns.

use piton_core::BoundedText;
use serde_json::{Map, Value};

use super::control::{self, is_decision};
use super::error::EngineError;
use super::place::{Place, find_loop, index_of_loop};
use super::trail::{ExitCause, Trail};
use crate::bounds::FUNCTIONS_BYTES_MAX;
use crate::compile::function::section;
use crate::compile::{CompiledLoop, CompiledStep, CompiledWorkflow, Entry};
use crate::event::TraceEntry;
use crate::loop_path::{Iteration, LoopPath, LoopPosition};
use crate::name::{LoopId, StepId};
use crate::snapshot::{
    CompletedSteps, Decisions, ExecutionState, LoopDecision, PendingStep, Running,
};
use crate::step_instance::StepInstanceKey;

/// Where a run goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The state that it comes to.
    pub next: ExecutionState,
    /// How, in order.
    pub traces: Vec<TraceEntry>,
}

/// Where a run of `workflow` begins, when it was told `context`.
pub fn begin(
    workflow: &CompiledWorkflow,
    context: &Map<String, Value>,
) -> Result<Flow, EngineError> {
    Walk::new(workflow, context).go(&workflow.sequence, 0)
}

/// Where a run goes from the step that is pending in `state`, which counts as completed from then on.
/// `artifacts` are what was handed in for it, and `context` is what the run was told up to here.
pub fn next(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    context: &Map<String, Value>,
    artifacts: &[Value],
) -> Result<Flow, EngineError> {
    let place = Place::of(workflow, state)?;
    let decided = control::decided(workflow, &place, artifacts);
    let Place { running, entries, index, .. } = place;
    let walk = Walk {
        stack: running.loop_stack().positions().to_vec(),
        completed: running.completed().clone().with(place.key())?,
        decisions: running.decisions().clone().with(place.key(), decided)?,
        ..Walk::new(workflow, context)
    };
    walk.go(entries, index + 1)
}

/// The step as an agent reads it, with the functions that it refers to.
fn pending(workflow: &CompiledWorkflow, step: &CompiledStep) -> Result<PendingStep, EngineError> {
    let functions = section(&workflow.functions_of(step), FUNCTIONS_BYTES_MAX);
    Ok(PendingStep {
        step_id: step.step_id.clone(),
        title: BoundedText::new(step.title.as_str())?,
        prompt: BoundedText::new([step.prompt.as_str(), functions.as_str()].concat())?,
        require_confirmation: step.require_confirmation,
    })
}

struct Walk<'a> {
    workflow: &'a CompiledWorkflow,
    stack: Vec<LoopPosition>,
    completed: CompletedSteps,
    decisions: Decisions,
    trail: Trail,
}

impl<'a> Walk<'a> {
    /// A walk that has not begun. What the run was told has no say in the strict dialect.
    fn new(workflow: &'a CompiledWorkflow, _context: &'a Map<String, Value>) -> Self {
        Self {
            workflow,
            stack: Vec::new(),
            completed: CompletedSteps::default(),
            decisions: Decisions::default(),
            trail: Trail::default(),
        }
    }

    /// Goes to the first step from `entries[index]` on.
    fn go(mut self, entries: &'a [Entry], index: usize) -> Result<Flow, EngineError> {
        let next = match self.seek(entries, index) {
            None => ExecutionState::Complete,
            Some(step_id) => {
                self.trail.selected(step_id, self.stack.last());
                let step = self
                    .workflow
                    .step(step_id)
                    .expect("a sound workflow has the steps of its lists");
                let pending = pending(self.workflow, step)?;
                let running = Running::new(self.completed, path(&self.stack), Some(pending))?;
                ExecutionState::Running(running.with_decisions(self.decisions))
            }
        };
        Ok(Flow { next, traces: self.trail.into_entries() })
    }

    /// The first step from `entries[index]` on, with the stack as it is there; nothing at the end of the
    /// workflow.
    fn seek(&mut self, mut entries: &'a [Entry], mut index: usize) -> Option<&'a StepId> {
        // This comes to an end: a loop turns again only after a decision of the turn that ended, and that
        // decision is gone with the turn.
        loop {
            match entries.get(index) {
                Some(Entry::Step { step_id }) => return Some(step_id),
                Some(Entry::Loop { loop_id }) => {
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
                        entries = self.entries();
                        let ended = index_of_loop(entries, &of.loop_id);
                        index = ended.expect("a loop lies in the list around it") + 1;
                    }
                }
            }
        }
    }

    /// Begins the first turn of a loop, unless a decision from before it or its limit forbids that.
    fn enter(&mut self, of: &CompiledLoop) -> bool {
        let decision = self.decision_before(&of.loop_id);
        if let Some(decision) = decision {
            self.trail.evaluated(of, None, Some(decision));
        }
        if decision == Some(LoopDecision::Stop) {
            self.trail.exited(of, None, ExitCause::ConditionFalse);
            return false;
        }
        if of.max_iterations == 0 {
            self.trail.exited(of, None, ExitCause::LimitReached);
            return false;
        }
        self.trail.entered(of);
        let loop_id = of.loop_id.clone();
        self.stack.push(LoopPosition { loop_id, iteration: Iteration::ZERO });
        true
    }

    /// What comes after the turn `position` of a loop, which is off the stack: its next turn, or nothing.
    fn turn(&mut self, of: &CompiledLoop, position: &LoopPosition) -> Option<Iteration> {
        let turn = position.iteration;
        let decision = self.decision_of(of, position);
        self.trail.evaluated(of, Some(turn), decision);
        if decision != Some(LoopDecision::Continue) {
            self.trail.exited(of, Some(turn), ExitCause::ConditionFalse);
            return None;
        }
        let following = turn.get() + 1;
        let next = Iteration::new(following).ok().filter(|_| following < of.max_iterations);
        if next.is_none() {
            self.trail.exited(of, Some(turn), ExitCause::LimitReached);
        }
        next
    }

    /// Drops what was done and decided in the turn `position` of a loop, which is off the stack.
    fn forget(&mut self, position: &LoopPosition) {
        let turn = [self.stack.as_slice(), std::slice::from_ref(position)].concat();
        let turn = path(&turn);
        self.completed = std::mem::take(&mut self.completed).without_turn(&turn);
        self.decisions = std::mem::take(&mut self.decisions).without_turn(&turn);
    }

    /// The newest decision about a loop from before it: that of the last decision step at the top of the
    /// workflow that comes before the loop, or before the loop that it is in.
    fn decision_before(&self, loop_id: &LoopId) -> Option<LoopDecision> {
        let outermost = self.stack.first().map_or(loop_id, |position| &position.loop_id);
        let index = index_of_loop(&self.workflow.sequence, outermost)?;
        self.workflow.sequence[..index].iter().rev().find_map(|entry| {
            let Entry::Step { step_id } = entry else {
                return None;
            };
            let control =
                self.decisions.get(&StepInstanceKey::new(&LoopPath::default(), step_id))?;
            (control.loop_id == *loop_id).then_some(control.decision)
        })
    }

    /// The decision that the turn `position` of a loop came to.
    fn decision_of(&self, of: &CompiledLoop, position: &LoopPosition) -> Option<LoopDecision> {
        let decides = |entry: &Entry| match entry {
            Entry::Step { step_id } => self.workflow.step(step_id).filter(|step| is_decision(step)),
            Entry::Loop { .. } => None,
        };
        let step = of.body.iter().find_map(decides)?;
        let turn = [self.stack.as_slice(), std::slice::from_ref(position)].concat();
        Some(self.decisions.get(&StepInstanceKey::new(&path(&turn), &step.step_id))?.decision)
    }

    /// The list that the walk is in.
    fn entries(&self) -> &'a [Entry] {
        match self.stack.last() {
            None => &self.workflow.sequence,
            Some(position) => &self.find(&position.loop_id).body,
        }
    }

    fn find(&self, loop_id: &LoopId) -> &'a CompiledLoop {
        find_loop(self.workflow, loop_id).expect("a sound workflow has the loops of its lists")
    }
}

fn path(positions: &[LoopPosition]) -> LoopPath {
    LoopPath::new(positions.to_vec()).expect("the loops of a sound workflow make a path")
}
