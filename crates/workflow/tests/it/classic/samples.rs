//! Files in the classic dialect, and runs through them.

use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::engine::{NextStep, next_step};
use piton_workflow::snapshot::PendingStep;
use serde_json::{Map, Value, json};

use crate::engine::samples::{pending_key, running};
use crate::source::compile_value;

pub(crate) const EVERYTHING: &str = include_str!("../fixtures/everything.json");
pub(crate) const LOOPS: &str = include_str!("../fixtures/loops.json");
pub(crate) const PLAIN: &str = include_str!("../fixtures/plain.json");

/// The file in which every field stands.
pub(crate) fn everything() -> Value {
    serde_json::from_str(EVERYTHING).expect("it is JSON")
}

/// A file of `steps`.
pub(crate) fn file(steps: &Value) -> Value {
    json!({
        "id": "project.sample",
        "name": "Sample",
        "description": "A sample.",
        "version": "1.0.0",
        "steps": steps,
    })
}

#[track_caller]
pub(crate) fn compiled(file: &Value) -> CompiledWorkflow {
    compile_value(file).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

pub(crate) fn step(id: &str) -> Value {
    json!({"id": id, "title": format!("Title of {id}"), "prompt": format!("Do {id}.")})
}

/// A step that is done under a condition.
pub(crate) fn step_if(id: &str, condition: &Value) -> Value {
    let mut step = step(id);
    step["runCondition"] = condition.clone();
    step
}

pub(crate) fn looped(id: &str, turning: &Value, body: &Value) -> Value {
    json!({"id": id, "type": "loop", "title": format!("Loop {id}"), "loop": turning, "body": body})
}

/// The entries of an object.
pub(crate) fn entries(value: &Value) -> Map<String, Value> {
    value.as_object().expect("it is an object").clone()
}

/// A run of the flow alone: what is submitted counts as it is, and nothing is judged.
pub(crate) struct Run<'a> {
    workflow: &'a CompiledWorkflow,
    context: Map<String, Value>,
    pub(crate) now: NextStep,
}

impl<'a> Run<'a> {
    pub(crate) fn new(workflow: &'a CompiledWorkflow, context: &Value) -> Self {
        let context = entries(context);
        let now = next_step::begin(workflow, &context).expect("it begins");
        Self { workflow, context, now }
    }

    /// Says something more to the run.
    pub(crate) fn tell(&mut self, key: &str, value: Value) -> &mut Self {
        self.context.insert(key.to_owned(), value);
        self
    }

    /// Leaves the pending step with `artifacts`.
    pub(crate) fn leave(&mut self, artifacts: &[Value]) -> &mut Self {
        let next = next_step::next(self.workflow, &self.now.next, &self.context, artifacts);
        self.now = next.expect("it goes on");
        self
    }

    /// Where the run stands; nothing at its end.
    pub(crate) fn at(&self) -> Option<String> {
        pending_key(&self.now.next)
    }

    /// Leaves step after step, and says where the run stood.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        let mut stood = Vec::new();
        while let Some(key) = self.at() {
            stood.push(key);
            self.leave(&[]);
        }
        stood
    }

    /// What the last move said about itself.
    pub(crate) fn trail(&self) -> Vec<&str> {
        self.now.traces.iter().map(|entry| entry.summary.as_str()).collect()
    }

    /// What is to do.
    #[track_caller]
    pub(crate) fn pending(&self) -> &PendingStep {
        running(&self.now.next).pending().expect("a step is pending")
    }
}
