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

use serde_json::Value;

use super::next_step::{StepWalk, path};
use super::position::{index_of_loop, scope};
use super::trace::ExitCause;
use crate::compile::{CompiledCondition, CompiledLoop, Count, SequenceEntry};
use crate::loop_path::{Iteration, LoopPath, LoopPosition};
use crate::name::LoopId;
use crate::predicate::PredicateScope;
use crate::snapshot::LoopDecision;
use crate::step_instance::StepInstanceKey;

/// Reason for a loop to end if its step submitted nothing that decides.
const NO_DECISION: &str = "no valid decision was submitted";

impl StepWalk<'_> {
    /// Begins the first turn of a loop, unless its condition, an earlier decision or its limit forbids that.
    pub(super) fn enter(&mut self, this_loop: &CompiledLoop) -> bool {
        let holds = self.is_begun(this_loop) && self.may_enter(this_loop);
        if !holds {
            self.trace.exited(this_loop, None, ExitCause::ConditionFalse);
            return false;
        }
        if this_loop.max_iterations == 0 {
            self.trace.exited(this_loop, None, ExitCause::LimitReached);
            return false;
        }
        self.trace.entered(this_loop);
        let loop_id = this_loop.loop_id.clone();
        self.stack.push(LoopPosition { loop_id, iteration: Iteration::ZERO });
        true
    }

    fn is_begun(&mut self, this_loop: &CompiledLoop) -> bool {
        let Some(when) = &this_loop.run_condition else {
            return true;
        };
        let holds = when.holds(&self.scope());
        self.trace.asked_to_begin(this_loop, holds, when);
        holds
    }

    fn may_enter(&mut self, this_loop: &CompiledLoop) -> bool {
        if let Some(answer) = self.element_at(this_loop, Iteration::ZERO) {
            return self.take(this_loop, None, answer);
        }
        // Without an earlier decision the loop begins: its first turn is where it can be decided about.
        let decision = self.decision_before(&this_loop.loop_id);
        if let Some(decision) = decision {
            self.decided(this_loop, None, Some(decision));
        }
        decision != Some(LoopDecision::Stop)
    }

    /// Returns the turn that follows the turn `position` of a loop, which is off the stack, or `None` if the loop
    /// ends.
    pub(super) fn turn(
        &mut self,
        this_loop: &CompiledLoop,
        position: &LoopPosition,
    ) -> Option<Iteration> {
        let turn = position.iteration;
        let following = Iteration::new(turn.get() + 1).ok();
        let told = following.and_then(|following| self.element_at(this_loop, following));
        let holds = if let Some(answer) = told {
            self.take(this_loop, Some(turn), answer)
        } else {
            let decision = self.decision_of(this_loop, position);
            self.decided(this_loop, Some(turn), decision);
            decision == Some(LoopDecision::Continue)
        };
        if !holds {
            self.trace.exited(this_loop, Some(turn), ExitCause::ConditionFalse);
            return None;
        }
        // The limit comes last, so that an exit names it as the cause only if the loop would have continued.
        let next = following.filter(|following| following.get() < this_loop.max_iterations);
        if next.is_none() {
            self.trace.exited(this_loop, Some(turn), ExitCause::LimitReached);
        }
        next
    }

    /// Returns the answer of a context-driven loop for the turn `turn`, or `None` if decisions drive the loop.
    fn element_at(&self, this_loop: &CompiledLoop, turn: Iteration) -> Option<ConditionAnswer> {
        let condition = self.workflow.condition_of(this_loop)?;
        if matches!(condition, CompiledCondition::LoopControl { .. }) {
            return None;
        }
        // The loop is off the stack here. Its turn is pushed to see what the condition would see inside it.
        let mut inside = self.stack.clone();
        inside.push(LoopPosition { loop_id: this_loop.loop_id.clone(), iteration: turn });
        let inside = scope(self.workflow, &inside, self.context);
        Some(answer(condition, turn.get(), &self.scope(), &inside))
    }

    fn take(
        &mut self,
        this_loop: &CompiledLoop,
        turn: Option<Iteration>,
        answer: ConditionAnswer,
    ) -> bool {
        let ConditionAnswer { holds, why, lack } = answer;
        self.trace.evaluated(this_loop, turn, holds, &why);
        if let Some(lack) = lack {
            self.note(this_loop, lack);
        }
        holds
    }

    fn decided(
        &mut self,
        this_loop: &CompiledLoop,
        turn: Option<Iteration>,
        decision: Option<LoopDecision>,
    ) {
        let (holds, why) = match decision {
            Some(LoopDecision::Continue) => (true, "the decision is to continue"),
            Some(LoopDecision::Stop) => (false, "the decision is to stop"),
            None => (false, NO_DECISION),
        };
        self.trace.evaluated(this_loop, turn, holds, why);
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
    fn decision_of(
        &self,
        this_loop: &CompiledLoop,
        position: &LoopPosition,
    ) -> Option<LoopDecision> {
        // Only a step directly in the body decides: one in a nested loop decides about that loop.
        let decides = |entry: &SequenceEntry| match entry {
            SequenceEntry::Step { step_id } => {
                self.workflow.step(step_id).filter(|step| step.is_decision())
            }
            SequenceEntry::Loop { .. } => None,
        };
        let step = this_loop.body.iter().find_map(decides)?;
        let turn = [self.stack.as_slice(), std::slice::from_ref(position)].concat();
        Some(self.decisions.get(&StepInstanceKey::new(&path(&turn), &step.step_id))?.decision)
    }
}

/// The answer of a loop's condition.
pub(super) struct ConditionAnswer {
    /// True if the condition lets the turn begin. The limit of the loop is checked elsewhere.
    pub(super) holds: bool,
    /// The reason for the answer, in words.
    pub(super) why: String,
    /// The missing context, if that is the reason.
    pub(super) lack: Option<MissingContext>,
}

/// A context value that is missing or of the wrong type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MissingContext {
    pub(super) key: String,
    /// Description of the value that must be there.
    pub(super) wanted: &'static str,
    /// Description of the value that is there instead, if any.
    pub(super) found: Option<&'static str>,
}

impl ConditionAnswer {
    fn new(holds: bool, why: String) -> Self {
        Self { holds, why, lack: None }
    }

    fn lacking(key: &str, wanted: &'static str, value: Option<&Value>) -> Self {
        let found = value.map(kind);
        let why = match found {
            None => format!("`{key}` is not in the context"),
            Some(found) => format!("`{key}` is {found}, not {wanted}"),
        };
        let lack = Some(MissingContext { key: key.to_owned(), wanted, found });
        Self { holds: false, why, lack }
    }
}

/// Decides whether the turn `turn` of a loop begins. `outside` is the scope around the loop, `inside` the scope of
/// that turn. Loops that decision steps drive are not asked here.
fn answer(
    condition: &CompiledCondition,
    turn: u32,
    outside: &PredicateScope<'_>,
    inside: &PredicateScope<'_>,
) -> ConditionAnswer {
    match condition {
        CompiledCondition::LoopControl { .. } => ConditionAnswer::new(false, NO_DECISION.into()),
        CompiledCondition::Context { predicate, .. } => {
            ConditionAnswer::new(predicate.holds(inside), format!("it asks that {predicate}"))
        }
        CompiledCondition::Count { .. } | CompiledCondition::Items { .. } => {
            match turns(condition, outside) {
                Ok(turns) => {
                    ConditionAnswer::new(turn < turns, format!("it is to have {turns} turns"))
                }
                Err(lack) => lack,
            }
        }
    }
}

/// Returns the number of turns that a loop is to have, if it is known. A counting loop may ask for more than its
/// limit.
fn turns(
    condition: &CompiledCondition,
    outside: &PredicateScope<'_>,
) -> Result<u32, ConditionAnswer> {
    // An explicit `null` counts as missing.
    let there = |key: &str| outside.get(key).filter(|value| !value.is_null());
    match condition {
        CompiledCondition::Count { count: Count::Turns(turns), .. } => Ok(*turns),
        CompiledCondition::Count { count: Count::Key(key), .. } => {
            let value = there(key);
            // A number that does not fit is as good as the largest one: the limit of the loop ends it either way.
            let number = value.and_then(Value::as_u64);
            let lack = || ConditionAnswer::lacking(key, "a whole number", value);
            number.map(|number| u32::try_from(number).unwrap_or(u32::MAX)).ok_or_else(lack)
        }
        CompiledCondition::Items { key, .. } => {
            let value = there(key);
            let items = value.and_then(Value::as_array);
            let lack = || ConditionAnswer::lacking(key, "a list", value);
            items.map(|items| u32::try_from(items.len()).unwrap_or(u32::MAX)).ok_or_else(lack)
        }
        CompiledCondition::LoopControl { .. } | CompiledCondition::Context { .. } => Ok(u32::MAX),
    }
}

/// Returns the number of turns that a loop will have, and true if it is exact. Otherwise it is the loop's limit.
pub(super) fn expected_turns(
    condition: Option<&CompiledCondition>,
    this_loop: &CompiledLoop,
    outside: &PredicateScope<'_>,
) -> (u32, bool) {
    let turns = condition.and_then(|condition| turns(condition, outside).ok());
    match turns {
        Some(turns) if turns <= this_loop.max_iterations => (turns, true),
        _ => (this_loop.max_iterations, false),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number that does not fit",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
