//! Which step comes first, and which comes next.
//!
//! A loop is entered without a question, unless a decision step before it said something about it; then that
//! is asked first, and the loop may have no turn at all. At the end of each turn the decision of that turn is
//! asked. `stop` ends the loop, and so does `continue` when there is no turn left.
//!
//! *Invariants*: total over decisions. A turn whose decision is missing ends the loop and says so in the trace;
//! that the decision is missing was found, and recorded, when its step was judged. A loop never begins a turn
//! beyond its limit. An exit has one cause: the condition does not hold, or the limit is reached. What is
//! completed grows by the step that was left and by nothing else.

use piton_core::BoundedText;

use super::control::{Controls, LoopDecision, is_decision};
use super::error::EngineError;
use super::place::{Place, find_loop, index_of_loop};
use super::trail::{ExitCause, Trail};
use crate::compile::{CompiledLoop, CompiledStep, CompiledWorkflow, Entry};
use crate::event::TraceEntry;
use crate::loop_path::{Iteration, LoopPath, LoopPosition};
use crate::name::{LoopId, StepId};
use crate::snapshot::{CompletedSteps, ExecutionState, PendingStep, Running};
use crate::step_instance::StepInstanceKey;

/// Where a run goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The state that it comes to.
    pub next: ExecutionState,
    /// How, in order.
    pub traces: Vec<TraceEntry>,
}

/// Where a run goes from `state`: to its first step, or to the one after the pending step, which counts as
/// completed from then on. `controls` are the decisions on the way here, that of the pending step included.
pub fn next(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    controls: &Controls,
) -> Result<Flow, EngineError> {
    let mut walk = Walk { workflow, controls, stack: Vec::new(), trail: Trail::default() };
    let (completed, found) = if *state == ExecutionState::Init {
        (CompletedSteps::default(), walk.seek(&workflow.sequence, 0))
    } else {
        let place = Place::of(workflow, state)?;
        let completed = place.running.completed().clone().with(place.key())?;
        walk.stack = place.running.loop_stack().positions().to_vec();
        (completed, walk.seek(place.entries, place.index + 1))
    };
    let next = match found {
        None => ExecutionState::Complete,
        Some(step_id) => {
            walk.trail.selected(step_id, walk.stack.last());
            let step = workflow.step(step_id).expect("a sound workflow has the steps of its lists");
            ExecutionState::Running(Running::new(completed, walk.path(), Some(pending(step)?))?)
        }
    };
    Ok(Flow { next, traces: walk.trail.into_entries() })
}

fn pending(step: &CompiledStep) -> Result<PendingStep, EngineError> {
    Ok(PendingStep {
        step_id: step.step_id.clone(),
        title: BoundedText::new(step.title.as_str())?,
        prompt: BoundedText::new(step.prompt.as_str())?,
        require_confirmation: step.require_confirmation,
    })
}

struct Walk<'a> {
    workflow: &'a CompiledWorkflow,
    controls: &'a Controls,
    stack: Vec<LoopPosition>,
    trail: Trail,
}

impl<'a> Walk<'a> {
    /// The first step from `entries[index]` on, with the stack as it is there; nothing at the end of the
    /// workflow.
    fn seek(&mut self, mut entries: &'a [Entry], mut index: usize) -> Option<&'a StepId> {
        // This comes to an end: a loop turns again only after a decision of the turn that ended, and there
        // are as many of those as there are controls.
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
                self.controls.get(&StepInstanceKey::new(&LoopPath::default(), step_id))?;
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
        let mut path = self.stack.clone();
        path.push(position.clone());
        let path = LoopPath::new(path).expect("the loops of a sound workflow make a path");
        Some(self.controls.get(&StepInstanceKey::new(&path, &step.step_id))?.decision)
    }

    /// The list that the walk is in.
    fn entries(&self) -> &'a [Entry] {
        match self.stack.last() {
            None => &self.workflow.sequence,
            Some(position) => &self.find(&position.loop_id).body,
        }
    }

    fn path(&self) -> LoopPath {
        LoopPath::new(self.stack.clone()).expect("the loops of a sound workflow make a path")
    }

    fn find(&self, loop_id: &LoopId) -> &'a CompiledLoop {
        find_loop(self.workflow, loop_id).expect("a sound workflow has the loops of its lists")
    }
}
