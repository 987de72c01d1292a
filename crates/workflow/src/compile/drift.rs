//! The differences between the workflow that a run is pinned to and the one that its source compiles to now.
//!
//! *Invariants*: without differences, both have the same hash. A step is known by its id: one with another id is
//! another step.

use std::collections::BTreeSet;

use piton_core::WorkflowHash;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::step::CompiledStep;
use super::workflow::CompiledWorkflow;
use crate::name::StepId;

piton_core::closed_set! {
    /// What happened to a step since a run was pinned.
    pub enum StepChange {
        /// The source has it, and the run does not.
        Added => "added",
        /// The run has it, and the source does not any more.
        Removed => "removed",
        /// Both have it, and it differs.
        Changed => "changed",
    }
}

/// The differences between two compilations of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// The workflow that the run is pinned to.
    pub pinned_hash: WorkflowHash,
    /// The workflow that its source compiles to now.
    pub current_hash: WorkflowHash,
    /// The steps that differ: those of the run in its order, then those that were added.
    pub steps: Vec<StepDrift>,
    /// The parts beside the steps that differ, such as `sequence`.
    pub fields: Vec<FieldDrift>,
}

/// A step that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepDrift {
    /// The step.
    pub step_id: StepId,
    /// Its title in the run; of an added step, that in the source.
    pub title: String,
    /// What happened to it.
    pub change: StepChange,
    /// The parts of it that differ, if it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldDrift>,
}

/// A part that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldDrift {
    /// Its name in the compiled workflow, such as `prompt`.
    pub field: String,
    /// The pinned value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Value>,
    /// The current value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<Value>,
}

impl Drift {
    /// Compares the workflow that a run is pinned to with the current one.
    pub fn between(pinned: &CompiledWorkflow, current: &CompiledWorkflow) -> Self {
        let mut steps = Vec::new();
        for step in &pinned.steps {
            let drift = |change, fields| {
                let (step_id, title) = (step.step_id.clone(), step.title.clone());
                StepDrift { step_id, title, change, fields }
            };
            match current.step(&step.step_id) {
                None => steps.push(drift(StepChange::Removed, Vec::new())),
                Some(now) if now != step => {
                    steps.push(drift(StepChange::Changed, differing(&object(step), &object(now))));
                }
                Some(_) => {}
            }
        }
        let is_new = |step: &&CompiledStep| pinned.step(&step.step_id).is_none();
        steps.extend(current.steps.iter().filter(is_new).map(|step| StepDrift {
            step_id: step.step_id.clone(),
            title: step.title.clone(),
            change: StepChange::Added,
            fields: Vec::new(),
        }));
        let (mut before, mut after) = (object(pinned), object(current));
        // The steps were compared one by one, and their order is in the sequence.
        before.remove("steps");
        after.remove("steps");
        Self {
            pinned_hash: pinned.workflow_hash(),
            current_hash: current.workflow_hash(),
            steps,
            fields: differing(&before, &after),
        }
    }

    /// True if the run follows something else than its source says now.
    pub fn is_drifted(&self) -> bool {
        self.pinned_hash != self.current_hash
    }
}

fn object(part: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(part) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn differing(pinned: &Map<String, Value>, current: &Map<String, Value>) -> Vec<FieldDrift> {
    let names: BTreeSet<&String> = pinned.keys().chain(current.keys()).collect();
    let drift = |name: &String| FieldDrift {
        field: name.clone(),
        pinned: pinned.get(name).cloned(),
        current: current.get(name).cloned(),
    };
    names.into_iter().map(drift).filter(|drift| drift.pinned != drift.current).collect()
}
