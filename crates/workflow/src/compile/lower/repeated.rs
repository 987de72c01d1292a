//! One loop, and the conditions that loops continue by.

use std::collections::BTreeSet;

use super::Lowering;
use crate::compile::function::FunctionScope;
use crate::compile::sequence::{CompiledLoop, SequenceEntry};
use crate::compile::workflow::CompiledStep;
use crate::source::strict::{Condition, Loop};
use crate::source::{Pointer, ProblemCode};

impl Lowering<'_> {
    pub(super) fn repeated(&mut self, of: &Loop) -> Option<SequenceEntry> {
        if !self.loop_ids.insert(of.id.clone()) {
            self.problems.report_twice(&of.at.field("loopId"), "loop", &of.id);
            return None;
        }
        let scope = FunctionScope::Loop { loop_id: of.id.clone() };
        self.functions.declare(&of.functions, &scope, self.problems);
        self.check_while(of);
        // The body sees the loop as its innermost one: for the scope of functions and for decisions.
        self.around.push(of.id.clone());
        let body = self.body(&of.body);
        self.around.pop();
        self.check_decision(of, &body);
        let compiled = CompiledLoop {
            loop_id: of.id.clone(),
            title: of.title.as_ref().map(|title| title.as_str().to_owned()),
            condition_id: of.condition.clone(),
            max_iterations: of.turns_max,
            body,
            run_condition: None,
            variables: None,
        };
        self.loops.insert(of.id.clone(), compiled);
        Some(SequenceEntry::Loop { loop_id: of.id.clone() })
    }

    /// Checks that the condition of a loop exists and is about this loop.
    fn check_while(&mut self, of: &Loop) {
        // A condition counts as used even if it is wrong, so that `check_conditions` does not report it
        // again.
        self.conditions_used.insert(of.condition.clone());
        let at = of.at.field("while").field("conditionId");
        match self.conditions.get(&of.condition) {
            Some(loop_id) if *loop_id == of.id => {}
            Some(other) => {
                let reason =
                    format!("the condition `{}` is about the loop `{other}`", of.condition);
                let fix = format!("declare a condition about `{}`", of.id);
                self.problems.report(&at, ProblemCode::LoopWithoutControl, reason, fix);
            }
            // A condition that could not be read may be the one that is meant.
            None if self.problems.any_within(&Pointer::root().field("conditions")) => {}
            None => {
                let reason = format!("there is no condition `{}`", of.condition);
                let fix = "declare it in `conditions`, with kind `loop_control`";
                self.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
            }
        }
    }

    /// Checks that exactly one step of the body, not counting nested loops, decides whether the loop
    /// continues.
    fn check_decision(&mut self, of: &Loop, body: &[SequenceEntry]) {
        let at = of.at.field("body");
        // A step that could not be read may be the decision.
        if self.problems.any_within(&at) {
            return;
        }
        let is_decision = |entry: &&SequenceEntry| {
            let SequenceEntry::Step { step_id } = entry else {
                return false;
            };
            let step = self.steps.iter().find(|step| step.step_id == *step_id);
            step.is_some_and(CompiledStep::is_decision)
        };
        let decisions = body.iter().filter(is_decision).count();
        if decisions != 1 {
            self.problems.report_decisions(&at, decisions);
        }
    }

    /// Checks that conditions have distinct ids and are about loops that exist.
    pub(super) fn check_conditions(&mut self, conditions: &[Condition]) {
        let mut seen = BTreeSet::new();
        for Condition { at, id, loop_id } in conditions {
            if !seen.insert(id) {
                self.problems.report_twice(&at.field("conditionId"), "condition", id);
            }
            // A loop that uses the condition has already reported that it is about another one.
            let told = self.steps_incomplete || self.conditions_used.contains(id);
            if !self.loop_ids.contains(loop_id) && !told {
                let reason = format!("there is no loop `{loop_id}`");
                let fix = "name a loop of this workflow";
                let at = at.field("loopId");
                self.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
            }
        }
    }
}
