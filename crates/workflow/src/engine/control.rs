//! What decision steps said about their loops.
//!
//! *Invariants*: a decision counts only if a decision step handed it in, that is one with the loop-control
//! contract, as an artifact that keeps the contract and names the right loop: the one that the step is in or,
//! for a step outside of loops, any loop of the workflow (if it has one). Decisions are kept by the turn of the step that made
//! them, so the decision of one turn is never taken for that of another.

use std::collections::BTreeMap;

use serde_json::Value;

use super::accept::{Accepted, accept, not_allowed};
use super::place::find_loop;
use crate::compile::{CompiledStep, CompiledWorkflow};
use crate::contract::{ContractPack, Violation};
use crate::name::LoopId;
use crate::step_instance::StepInstanceKey;

piton_core::closed_set! {
    /// Whether a loop turns once more.
    pub enum LoopDecision {
        /// It does.
        Continue => "continue",
        /// It does not.
        Stop => "stop",
    }
}

/// What a decision step said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopControl {
    /// The loop.
    pub loop_id: LoopId,
    /// Whether it turns once more.
    pub decision: LoopDecision,
}

/// The valid decisions that were handed in on the way to a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Controls(BTreeMap<StepInstanceKey, LoopControl>);

impl Controls {
    /// Takes in what was handed in for the step `key` of `workflow`, in place of anything that was handed in
    /// for it before. What is no valid decision counts for nothing.
    pub fn add(&mut self, workflow: &CompiledWorkflow, key: StepInstanceKey, artifacts: &[Value]) {
        let (path, step_id) = key.parts();
        let around = path.positions().last().map(|position| &position.loop_id);
        let step = workflow.step(&step_id);
        match step.map(|step| accept(workflow, step, around, artifacts)) {
            Some(Ok(Accepted::Control(control))) => self.0.insert(key, control),
            _ => self.0.remove(&key),
        };
    }

    /// What was handed in for the step `key`.
    pub fn get(&self, key: &StepInstanceKey) -> Option<&LoopControl> {
        self.0.get(key)
    }
}

/// Whether a step decides about a loop.
pub(super) fn is_decision(step: &CompiledStep) -> bool {
    let contract = step.output_contract.as_ref();
    contract.is_some_and(|contract| {
        contract.contract_ref.as_str() == ContractPack::LoopControl.as_str()
    })
}

/// What the artifact of a decision step says, which keeps the contract that the workflow embeds.
pub(super) fn read(
    workflow: &CompiledWorkflow,
    around: Option<&LoopId>,
    artifact: &Value,
) -> Result<LoopControl, Vec<Violation>> {
    let text = |name: &str| artifact.get(name).and_then(Value::as_str).unwrap_or_default();
    let right_loop = |id: &LoopId| match around {
        Some(around) => id == around,
        None => workflow.loops.is_empty() || find_loop(workflow, id).is_some(),
    };
    let loop_id = text("loopId").parse().ok().filter(right_loop);
    let decision = text("decision").parse().ok();
    if let (Some(loop_id), Some(decision)) = (&loop_id, decision) {
        return Ok(LoopControl { loop_id: LoopId::clone(loop_id), decision });
    }
    let wrong = |name, required| not_allowed(artifact, name, required);
    let mut violations = Vec::new();
    if loop_id.is_none() {
        let required = match around {
            Some(around) => format!("\"{around}\", the loop that the step is in"),
            None => "the id of a loop of this workflow".into(),
        };
        violations.push(wrong("loopId", required));
    }
    if decision.is_none() {
        violations.push(wrong("decision", LoopDecision::NAMES.join(" or ")));
    }
    Err(violations)
}
