//! Decides whether a loop begins, and whether it has another turn.
//!
//! A loop that decision steps drive is entered unconditionally, unless a decision step before it decided about it.
//! Then that decision applies first, and the loop may have no turn at all. At the end of each turn, the decision of
//! that turn applies. `stop` ends the loop, and so does `continue` if no turn is left.
//!
//! A loop that is driven by the context is asked before every turn, the first one included.
//!
//! *Invariants*: a turn without a decision ends the loop and says so in the trace; the missing decision itself was
//! found and recorded when its step was judged. A loop never begins a turn beyond its limit. An exit has one cause:
//! the condition does not hold, the limit is reached, or there is nothing to do.

use super::decision_trace::ExitCause;
use super::flow::{StepWalk, path};
use super::missing_context::{GivenContext, ask};
use super::scope::{condition_of, scope};
use super::step_position::index_of_loop;
use crate::compile::{CompiledCondition, CompiledLoop, SequenceEntry};
use crate::loop_path::{Iteration, LoopPath, LoopPosition};
use crate::name::LoopId;
use crate::snapshot::LoopDecision;
use crate::step_instance::StepInstanceKey;

impl StepWalk<'_> {
    /// Begins the first turn of a loop, unless its condition, an earlier decision or its limit forbids that.
    pub(super) fn enter(&mut self, of: &CompiledLoop) -> bool {
        let holds = self.is_begun(of) && self.may_enter(of);
        if !holds {
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

    fn is_begun(&mut self, of: &CompiledLoop) -> bool {
        let Some(when) = &of.run_condition else {
            return true;
        };
        let holds = when.holds(&self.scope());
        self.trail.asked_to_begin(of, holds, when);
        holds
    }

    fn may_enter(&mut self, of: &CompiledLoop) -> bool {
        if let Some(answer) = self.element_at(of, Iteration::ZERO) {
            return self.take(of, None, answer);
        }
        // Without an earlier decision the loop begins: its first turn is where it can be decided about.
        let decision = self.decision_before(&of.loop_id);
        if let Some(decision) = decision {
            self.decided(of, None, Some(decision));
        }
        decision != Some(LoopDecision::Stop)
    }

    /// Returns the turn that follows the turn `position` of a loop, which is off the stack, or `None` if the loop
    /// ends.
    pub(super) fn turn(&mut self, of: &CompiledLoop, position: &LoopPosition) -> Option<Iteration> {
        let turn = position.iteration;
        let following = Iteration::new(turn.get() + 1).ok();
        let told = following.and_then(|following| self.element_at(of, following));
        let holds = if let Some(answer) = told {
            self.take(of, Some(turn), answer)
        } else {
            let decision = self.decision_of(of, position);
            self.decided(of, Some(turn), decision);
            decision == Some(LoopDecision::Continue)
        };
        if !holds {
            self.trail.exited(of, Some(turn), ExitCause::ConditionFalse);
            return None;
        }
        // The limit comes last, so that an exit names it as the cause only if the loop would have continued.
        let next = following.filter(|following| following.get() < of.max_iterations);
        if next.is_none() {
            self.trail.exited(of, Some(turn), ExitCause::LimitReached);
        }
        next
    }

    /// Returns the answer of a context-driven loop for the turn `turn`, or `None` if decisions drive the loop.
    fn element_at(&self, of: &CompiledLoop, turn: Iteration) -> Option<GivenContext> {
        let condition = condition_of(self.workflow, of)?;
        if matches!(condition, CompiledCondition::LoopControl { .. }) {
            return None;
        }
        // The loop is off the stack here. Its turn is pushed to see what the condition would see inside it.
        let mut inside = self.stack.clone();
        inside.push(LoopPosition { loop_id: of.loop_id.clone(), iteration: turn });
        let inside = scope(self.workflow, &inside, self.context);
        Some(ask(condition, turn.get(), &self.scope(), &inside))
    }

    fn take(&mut self, of: &CompiledLoop, turn: Option<Iteration>, answer: GivenContext) -> bool {
        let GivenContext { holds, why, lack } = answer;
        self.trail.evaluated(of, turn, holds, &why);
        if let Some(lack) = lack {
            self.note(of, lack);
        }
        holds
    }

    fn decided(
        &mut self,
        of: &CompiledLoop,
        turn: Option<Iteration>,
        decision: Option<LoopDecision>,
    ) {
        let (holds, why) = match decision {
            Some(LoopDecision::Continue) => (true, "the decision is to continue"),
            Some(LoopDecision::Stop) => (false, "the decision is to stop"),
            None => (false, super::messages::NO_DECISION),
        };
        self.trail.evaluated(of, turn, holds, why);
    }

    /// Returns the newest decision about a loop from before it: that of the last decision step at the top of the
    /// workflow before the loop, or before the outermost loop around it.
    fn decision_before(&self, loop_id: &LoopId) -> Option<LoopDecision> {
        let outermost = self.stack.first().map_or(loop_id, |position| &position.loop_id);
        let index = index_of_loop(&self.workflow.sequence, outermost)?;
        // From the loop backward. A step that was skipped, or that decided about another loop, does not end the
        // search.
        self.workflow.sequence[..index].iter().rev().find_map(|entry| {
            let SequenceEntry::Step { step_id } = entry else {
                return None;
            };
            let control =
                self.decisions.get(&StepInstanceKey::new(&LoopPath::default(), step_id))?;
            (control.loop_id == *loop_id).then_some(control.decision)
        })
    }

    /// Returns the decision of the turn `position` of a loop.
    fn decision_of(&self, of: &CompiledLoop, position: &LoopPosition) -> Option<LoopDecision> {
        // Only a step directly in the body decides: one in a nested loop decides about that loop.
        let decides = |entry: &SequenceEntry| match entry {
            SequenceEntry::Step { step_id } => {
                self.workflow.step(step_id).filter(|step| step.is_decision())
            }
            SequenceEntry::Loop { .. } => None,
        };
        let step = of.body.iter().find_map(decides)?;
        let turn = [self.stack.as_slice(), std::slice::from_ref(position)].concat();
        Some(self.decisions.get(&StepInstanceKey::new(&path(&turn), &step.step_id))?.decision)
    }
}
