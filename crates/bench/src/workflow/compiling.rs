//! Compiling a workflow file of fifty steps, against merely parsing its JSON.

use std::hint::black_box;

use piton_workflow::SourceKind;
use piton_workflow::compile::{Definitions, compile};
use piton_workflow::source::SourceOrigin;
use serde_json::{Value, json};

use crate::error::{Error, Result, expect};
use crate::measure::{Schedule, thread_cpu};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 20, pairs: 10, warm_up: 1 };
const STEPS: usize = 50;
/// Compiling also compiles every pattern of a step, which parsing does not.
const RATIO_MAX: f64 = 50.0;

pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    let text = file().to_string();
    let (origin, catalog) =
        (SourceOrigin::new(SourceKind::Project, "bench"), Definitions::standard());
    let ours = || {
        let (compiled, time) = thread_cpu(|| {
            let compiled = compile(black_box(&text), &origin, &catalog)?;
            let hash = compiled.workflow_hash();
            Ok::<_, Vec<_>>((compiled.steps.len(), hash))
        });
        let steps = compiled.map_or(0, |(steps, _)| steps);
        expect("compiled steps", STEPS as u64, steps as u64)?;
        Ok(time)
    };
    let baseline = || {
        let (parsed, time) = thread_cpu(|| serde_json::from_str::<Value>(black_box(&text)));
        parsed.map(|_| time).map_err(Error::json("parse a workflow"))
    };
    let samples = SCHEDULE.run(|_| Ok((&ours, &baseline)))?;
    let name = "compile and hash a workflow of 50 steps";
    Ok(vec![
        MeasureRow::timed(name, Unit::Milliseconds, "parsing its JSON", &samples)
            .judged(Bar::ratio(RATIO_MAX)),
    ])
}

/// Generates fifty steps as authors write them: a tenth in a loop, all with criteria or a contract.
fn file() -> Value {
    let step = |number: usize| {
        json!({
            "id": format!("step-{number}"),
            "title": format!("Step {number}"),
            "promptBlocks": {
                "goal": "Find the smallest command that shows the bug, and write it down.",
                "constraints": [[{ "kind": "ref", "refId": "wr.refs.notes_first" }]],
                "procedure": ["Read the report.", "Try it.", "Make it smaller."],
                "verify": ["The command fails every time."],
            },
            "validationCriteria": [
                { "type": "contains", "value": "```", "message": "Show the command." },
                { "type": "regex", "pattern": "\\d+ of \\d+" },
                { "type": "length", "min": 80 },
            ],
        })
    };
    let mut body: Vec<Value> = (0..4).map(step).collect();
    body.push(json!({
        "id": "decide",
        "title": "Decide",
        "prompt": "Decide whether another round is worth it.",
        "outputContract": { "contractRef": "wr.contracts.loop_control" },
    }));
    let mut steps: Vec<Value> = (5..STEPS).map(step).collect();
    steps.push(json!({
        "type": "loop",
        "loopId": "rounds",
        "maxIterations": 5,
        "while": { "kind": "condition_ref", "conditionId": "again" },
        "body": body,
    }));
    json!({
        "id": "project.bench",
        "name": "Bench",
        "conditions": [
            { "conditionId": "again", "kind": "loop_control", "loopId": "rounds" },
        ],
        "steps": steps,
    })
}
