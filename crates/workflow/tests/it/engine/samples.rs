//! Small workflows, compiled from the strict dialect, and runs through them.

use piton_workflow::ExecutionState;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::engine::{NextStep, next_step};
use piton_workflow::snapshot::Running;
use serde_json::{Map, Value, json};

use crate::source::compile_value;

pub(crate) fn step(id: &str) -> Value {
    json!({"id": id, "title": format!("Title of {id}"), "prompt": format!("Do {id}.")})
}

/// A step that decides about a loop.
pub(crate) fn decision(id: &str) -> Value {
    let mut step = step(id);
    step["outputContract"] = json!({"contractRef": "wr.contracts.loop_control"});
    step
}

pub(crate) fn looped(id: &str, max_iterations: u32, body: &[Value]) -> Value {
    json!({
        "type": "loop",
        "loopId": id,
        "maxIterations": max_iterations,
        "while": {"kind": "condition_ref", "conditionId": format!("{id}-again")},
        "body": body,
    })
}

fn conditions(steps: &[Value], found: &mut Vec<Value>) {
    for step in steps {
        if let Some(id) = step["loopId"].as_str() {
            let condition = format!("{id}-again");
            found.push(json!({"conditionId": condition, "kind": "loop_control", "loopId": id}));
            conditions(step["body"].as_array().expect("a loop has a body"), found);
        }
    }
}

/// The source of a workflow of `steps`, with the conditions of its loops.
pub(crate) fn source(steps: &[Value]) -> Value {
    let mut found = Vec::new();
    conditions(steps, &mut found);
    json!({"id": "project.sample", "conditions": found, "steps": steps})
}

#[track_caller]
pub(crate) fn workflow(steps: &[Value]) -> CompiledWorkflow {
    compile_value(&source(steps)).expect("it compiles")
}

/// The artifact of a decision.
pub(crate) fn control(loop_id: &str, decision: &str) -> Value {
    json!({"kind": "wr.loop_control", "loopId": loop_id, "decision": decision})
}

pub(crate) fn start(workflow: &CompiledWorkflow) -> NextStep {
    next_step::begin(workflow, &Map::new()).expect("it starts")
}

#[track_caller]
pub(crate) fn running(state: &ExecutionState) -> &Running {
    match state {
        ExecutionState::Running(running) => running,
        other => panic!("{other:?} is not the middle of a run"),
    }
}

/// What is to do, with its loops.
pub(crate) fn pending_key(state: &ExecutionState) -> Option<String> {
    match state {
        ExecutionState::Running(running) => running.pending_key().map(|key| key.to_string()),
        ExecutionState::Init | ExecutionState::Complete => None,
    }
}

/// A run of the flow alone: what is submitted counts as it is, and nothing is judged.
pub(crate) struct Run<'a> {
    pub(crate) workflow: &'a CompiledWorkflow,
    pub(crate) now: NextStep,
}

impl<'a> Run<'a> {
    pub(crate) fn new(workflow: &'a CompiledWorkflow) -> Self {
        Self { workflow, now: start(workflow) }
    }

    /// Leaves the pending step with `artifacts`.
    pub(crate) fn leave(&mut self, artifacts: &[Value]) -> &mut Self {
        let next = next_step::next(self.workflow, &self.now.next, &Map::new(), artifacts);
        self.now = next.expect("it goes on");
        self
    }

    /// Where the run stands; nothing at its end.
    pub(crate) fn at(&self) -> Option<String> {
        pending_key(&self.now.next)
    }

    /// What the last step of the flow said about itself.
    pub(crate) fn trail(&self) -> Vec<&str> {
        self.now.traces.iter().map(|entry| entry.summary.as_str()).collect()
    }
}
