//! Checks that a compiled workflow from elsewhere is consistent.
//!
//! The compiler only makes consistent ones. A workflow that is read from a disk or a bundle may have been
//! made by anyone, and the engine relies on every name pointing at something and on no loop being inside
//! itself.

use std::collections::BTreeSet;

use super::sequence::{CompiledCondition, SequenceEntry};
use super::workflow::{CompiledWorkflow, CompiledWorkflowError};
use crate::bounds::LOOP_DEPTH_MAX;

impl CompiledWorkflow {
    /// Refuses a workflow with a dangling name, or with a step at two places.
    pub(super) fn check(&self) -> Result<(), CompiledWorkflowError> {
        let mut walk = LoopCheck { workflow: self, steps: BTreeSet::new(), loops: BTreeSet::new() };
        walk.entries(&self.sequence, 0)?;
        // The walk found every entry exactly once. Equal counts therefore mean that nothing is unreachable
        // and no id is repeated.
        ensure(walk.loops.len() == self.loops.len(), || {
            "a loop has no place or no id of its own".into()
        })?;
        ensure(walk.steps.len() == self.steps.len(), || {
            "a step has no place or no id of its own".into()
        })?;
        for step in &self.steps {
            if let Some(contract) = &step.output_contract {
                let name = &contract.contract_ref;
                ensure(self.contract(name).is_some(), || {
                    format!("the contract `{name}` is missing")
                })?;
            }
            for id in &step.assessment_refs {
                ensure(self.assessment(id).is_some(), || {
                    format!("the assessment `{id}` is missing")
                })?;
            }
            let found = self.functions_of(step).len();
            ensure(found == step.functions.len(), || {
                format!("a function of the step `{}` is missing", step.step_id)
            })?;
        }
        Ok(())
    }
}

struct LoopCheck<'a> {
    workflow: &'a CompiledWorkflow,
    steps: BTreeSet<&'a str>,
    loops: BTreeSet<&'a str>,
}

impl<'a> LoopCheck<'a> {
    fn entries(
        &mut self,
        entries: &'a [SequenceEntry],
        depth: usize,
    ) -> Result<(), CompiledWorkflowError> {
        for entry in entries {
            match entry {
                SequenceEntry::Step { step_id } => {
                    let known = self.workflow.step(step_id).is_some();
                    ensure(known, || format!("the step `{step_id}` is missing"))?;
                    let first = self.steps.insert(step_id.as_str());
                    ensure(first, || format!("the step `{step_id}` stands at two places"))?;
                }
                SequenceEntry::Loop { loop_id } => {
                    let mut loops = self.workflow.loops.iter();
                    let Some(of) = loops.find(|of| of.loop_id == *loop_id) else {
                        return Err(unsound(format!("the loop `{loop_id}` is missing")));
                    };
                    // Each loop is entered once. This also ends the walk if a loop contains itself.
                    let first = self.loops.insert(loop_id.as_str());
                    ensure(first, || format!("the loop `{loop_id}` stands at two places"))?;
                    // The depth bounds the recursion here and the loop stack of every run.
                    ensure(depth < LOOP_DEPTH_MAX, || {
                        "loops lie too deeply inside each other".into()
                    })?;
                    let is_its_own = |condition: &CompiledCondition| match condition {
                        // A condition about another loop would let that loop's decision drive this one.
                        CompiledCondition::LoopControl { loop_id, .. } => {
                            *condition.condition_id() == of.condition_id && *loop_id == of.loop_id
                        }
                        other => *other.condition_id() == of.condition_id,
                    };
                    let known = self.workflow.conditions.iter().any(is_its_own);
                    ensure(known, || format!("the condition of the loop `{loop_id}` is missing"))?;
                    self.entries(&of.body, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Result<(), CompiledWorkflowError> {
    if holds { Ok(()) } else { Err(unsound(reason())) }
}

fn unsound(reason: String) -> CompiledWorkflowError {
    CompiledWorkflowError::Unsound { reason }
}
