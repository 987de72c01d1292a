//! Lowers one loop.

use super::lower::ClassicLowering;
use crate::bounds::LOOP_DEPTH_MAX;
use crate::compile::function::FunctionScope;
use crate::compile::sequence::{CompiledCondition, CompiledLoop, Count, SequenceEntry};
use crate::compile::step::Confirmation;
use crate::compile::task::confirmed;
use crate::compile::warning::WarningCode;
use crate::name::{ConditionId, LoopId, StepId};
use crate::predicate::{Comparison, Predicate};
use crate::source::ProblemCode;
use crate::source::classic::{Drive, Loop, LoopBody};

impl ClassicLowering<'_> {
    pub(super) fn lower_loop(&mut self, of: &Loop) -> Option<SequenceEntry> {
        let loop_id = self.loop_id(of)?;
        if self.draft.around.len() >= LOOP_DEPTH_MAX {
            self.draft.problems.report_loop_depth(&of.at);
            return None;
        }
        let scope = FunctionScope::Loop { loop_id: loop_id.clone() };
        self.draft.functions.declare(&of.functions, &scope, self.draft.problems);
        // The body sees the loop as its innermost one; both changes are undone after it.
        self.draft.around.push(loop_id.clone());
        self.draft.notes_waived += usize::from(of.notes_optional);
        let body = match &of.body {
            LoopBody::Steps(steps) => self.body(steps),
            LoopBody::Named { at, id } => self.named_body(id, at),
        };
        self.draft.notes_waived -= usize::from(of.notes_optional);
        self.draft.around.pop();
        self.confirm_entry(of, &body);
        let condition_id: ConditionId =
            loop_id.as_str().parse().expect("ids of loops and conditions have one form");
        let condition = self.condition(of, &loop_id, &condition_id, &body)?;
        self.draft.conditions.insert(condition_id.clone(), condition);
        let compiled = CompiledLoop {
            loop_id: loop_id.clone(),
            title: Some(of.title.clone()),
            condition_id,
            max_iterations: of.turns_max,
            body,
            run_condition: of.run_condition.clone(),
            variables: Some(of.variables.clone()),
        };
        self.draft.loops.insert(loop_id.clone(), compiled);
        Some(SequenceEntry::Loop { loop_id })
    }

    /// Returns the name under which decisions about a loop are made: its own, unless it says otherwise.
    fn loop_id(&mut self, of: &Loop) -> Option<LoopId> {
        let (loop_id, at) = if let Drive::Control { loop_id: Some(loop_id) } = &of.drive {
            (loop_id.clone(), of.at.field("loop").field("conditionSource").field("loopId"))
        } else {
            let own = of.id.as_str().parse();
            (own.expect("ids of steps and loops have one form"), of.at.field("id"))
        };
        // Steps and loops share one set of ids in this dialect, and loops have a second one by which
        // decisions name them.
        let first = self.draft.loop_ids.insert(loop_id.clone());
        if !self.draft.step_ids.insert(of.id.clone()) || !first {
            let reason = format!("the id `{loop_id}` is used twice");
            let fix = "give each step and loop an id of its own";
            self.draft.problems.report(&at, ProblemCode::DuplicateId, reason, fix);
            return None;
        }
        Some(loop_id)
    }

    /// Returns the condition that the loop evaluates before each iteration.
    fn condition(
        &mut self,
        of: &Loop,
        loop_id: &LoopId,
        condition_id: &ConditionId,
        body: &[SequenceEntry],
    ) -> Option<CompiledCondition> {
        let id = || condition_id.clone();
        let decisions = self.draft.decisions(body);
        // A decision of a step outranks the stated condition, which is then without effect.
        let counts = matches!(of.drive, Drive::Either(_)) && decisions == 0;
        if of.condition_stated && !counts {
            self.draft.warn(WarningCode::NoEffect, format!("{}.loop.condition", of.id));
        }
        let by_context = match &of.drive {
            Drive::Control { .. } => None,
            Drive::Either(_) if decisions > 0 => None,
            Drive::Either(None) if self.draft.problems.any_within(&of.at) => return None,
            Drive::Either(None) => {
                let reason = "nothing says whether the loop turns once more";
                let fix = "give one step of the body the contract `wr.contracts.loop_control`, or add a \
                           `condition`";
                let at = of.at.field("loop");
                self.draft.problems.report(&at, ProblemCode::LoopWithoutControl, reason, fix);
                return None;
            }
            Drive::Context(predicate) | Drive::Either(Some(predicate)) => {
                let predicate = predicate.clone();
                Some(CompiledCondition::Context { condition_id: id(), predicate })
            }
            Drive::Count(count) => {
                Some(CompiledCondition::Count { condition_id: id(), count: count.clone() })
            }
            Drive::Items(key) => {
                Some(CompiledCondition::Items { condition_id: id(), key: key.clone() })
            }
        };
        let Some(condition) = by_context else {
            self.check_decisions(of, decisions);
            return Some(CompiledCondition::LoopControl {
                condition_id: id(),
                loop_id: loop_id.clone(),
            });
        };
        // A fixed number of iterations does not depend on anything that the agent says.
        if !matches!(condition, CompiledCondition::Count { count: Count::Turns(_), .. }) {
            self.draft.warn(WarningCode::ContextLoop, loop_id.as_str());
        }
        Some(condition)
    }

    /// Checks that exactly one step of the body, not counting nested loops, decides whether the loop
    /// continues.
    fn check_decisions(&mut self, of: &Loop, decisions: usize) {
        if decisions != 1 && !self.draft.problems.any_within(&of.at) {
            self.draft.problems.report_decisions(&of.at.field("body"), decisions);
        }
    }

    /// Adds the confirmation of a loop to the first step of its first iteration.
    fn confirm_entry(&mut self, of: &Loop, body: &[SequenceEntry]) {
        let (Some(asked), Some(first)) = (&of.confirmation, self.first_step(body)) else {
            return;
        };
        let first_turn = Predicate::Compare {
            variable: of.variables.iteration.clone(),
            operator: Comparison::Equals,
            operand: 1.into(),
        };
        let when = Predicate::both(Some(first_turn), asked.when.clone());
        let Some(step) = self.draft.steps.iter_mut().find(|step| step.step_id == first) else {
            return;
        };
        // The step already asks always, which covers the first iteration.
        if step.require_confirmation {
            return;
        }
        let own = step.confirmation.take();
        let (own_kind, own_when) = own.map_or((None, None), |own| (own.kind, own.when));
        // Two reasons to ask are alternatives. If the loop always asks, `when` is still limited to the first
        // iteration.
        let when = match own_when {
            None => when,
            Some(own) => Some(Predicate::Any { of: [own].into_iter().chain(when).collect() }),
        };
        let joined = Confirmation { kind: own_kind.or(asked.kind), when };
        (step.require_confirmation, step.confirmation) = confirmed(Some(&joined));
    }

    /// Returns the first step of a body, which may be inside a nested loop.
    fn first_step(&self, body: &[SequenceEntry]) -> Option<StepId> {
        match body.first()? {
            SequenceEntry::Step { step_id } => Some(step_id.clone()),
            SequenceEntry::Loop { loop_id } => {
                self.first_step(&self.draft.loops.get(loop_id)?.body)
            }
        }
    }
}
