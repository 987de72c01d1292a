//! Workflows of every form: steps that ask for different things, and loops within loops.

use piton_workflow::compile::CompiledWorkflow;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::engine::properties::{forms, named};
use crate::engine::samples::workflow;

/// A compiled workflow with names of its own for everything.
pub(super) fn workflows() -> impl Strategy<Value = CompiledWorkflow> {
    (forms(), prop::collection::vec(0_u8..6, 1..8)).prop_map(|(forms, kinds)| {
        let mut steps = named(&forms, &mut 0);
        dress(&mut steps, &mut kinds.into_iter().cycle());
        workflow(&steps)
    })
}

/// Lets each step that asks for nothing in particular ask for what `kinds` says.
fn dress(steps: &mut [Value], kinds: &mut impl Iterator<Item = u8>) {
    for step in steps {
        if let Some(body) = step.get_mut("body").and_then(Value::as_array_mut) {
            dress(body, kinds);
            continue;
        }
        if step.get("outputContract").is_some() {
            continue;
        }
        match kinds.next() {
            Some(0) => {
                let message = "Show it in a code block.";
                let criterion = json!({"type": "contains", "value": "```", "message": message});
                step["validationCriteria"] = json!([criterion]);
            }
            Some(1) => {
                step["outputContract"] = json!({"contractRef": "wr.contracts.review_verdict"});
            }
            Some(2) => step["requireConfirmation"] = json!(true),
            Some(3) => step["notesOptional"] = json!(true),
            _ => {}
        }
    }
}
