//! What a run should have been told, and was not.

use piton_workflow::engine::{
    Decision, KnownCapabilities, Refusals, StepFacts, Submission, decide, next_step,
};
use piton_workflow::event::Preferences;
use piton_workflow::{Autonomy, ExecutionState, RiskPolicy};
use serde_json::{Map, Value, json};

use super::samples::{Run, compiled, file, looped, step};
use crate::engine::samples::pending_key;

fn facts(autonomy: Autonomy, context: &Value) -> StepFacts<'_> {
    StepFacts {
        preferences: Preferences { autonomy, risk_policy: RiskPolicy::Balanced },
        standings: KnownCapabilities::new(),
        context: context.as_object(),
        open_gaps: Vec::new(),
        settled: Vec::new(),
        refusals: Refusals::default(),
    }
}

fn steps(turning: &Value) -> Value {
    file(&json!([step("one"), looped("l", turning, &json!([step("work")])), step("end")]))
}

#[track_caller]
fn decided(turning: &Value, autonomy: Autonomy, context: &Value) -> Decision {
    let workflow = compiled(&steps(turning));
    let state = next_step::begin(&workflow, &Map::new()).expect("it begins").next;
    let submission = Submission { notes: Some("Did it."), artifacts: &[] };
    decide(&workflow, &state, &facts(autonomy, context), &submission).expect("it decides")
}

// shows: WR-428
#[test]
fn a_loop_without_its_input_blocks_with_what_to_send_and_never_stop_leaves_it_with_a_gap() {
    let turning = json!({"type": "forEach", "items": "files", "maxIterations": 9});
    for (context, code, message) in [
        (
            json!({}),
            "MISSING_REQUIRED_OUTPUT",
            "The loop `l` turns by `files` of the context, which must be a list; it is not there.",
        ),
        (
            json!({"files": null}),
            "MISSING_REQUIRED_OUTPUT",
            "The loop `l` turns by `files` of the context, which must be a list; it is not there.",
        ),
        (
            json!({"files": "a, b"}),
            "INVALID_REQUIRED_OUTPUT",
            "The loop `l` turns by `files` of the context, which must be a list; it is a text.",
        ),
    ] {
        for autonomy in [Autonomy::Guided, Autonomy::FullAutoStopOnUserDeps] {
            let Decision::Blocked { report, gaps } = decided(&turning, autonomy, &context) else {
                panic!("it goes on");
            };
            let [blocker] = report.blockers() else { panic!("{report:?}") };
            assert_eq!((blocker.code.as_str(), blocker.message.as_str()), (code, message));
            assert_eq!(
                serde_json::to_value(&blocker.pointer).unwrap(),
                json!({"kind": "context_key", "key": "files"})
            );
            assert_eq!(
                blocker.suggested_fix.as_ref().unwrap().as_str(),
                "Submit the whole output again with `context`: {\"files\": …}, where the value is a list."
            );
            assert_eq!(gaps.len(), 1);
        }
        let Decision::Advanced { next, gaps, traces, .. } =
            decided(&turning, Autonomy::FullAutoNeverStop, &context)
        else {
            panic!("it stops");
        };
        assert_eq!(pending_key(&next).as_deref(), Some("end"));
        assert_eq!(gaps.iter().map(|gap| gap.message.as_str()).collect::<Vec<_>>(), [message]);
        assert_eq!(
            traces[1].summary.as_str(),
            "Ended the loop `l` before its first turn: its condition does not hold."
        );
    }
    let Decision::Advanced { next, gaps, .. } =
        decided(&turning, Autonomy::Guided, &json!({"files": ["a"]}))
    else {
        panic!("it stops");
    };
    assert_eq!((pending_key(&next).as_deref(), gaps.len()), (Some("l@0::work"), 0));
}

// shows: WR-271
#[test]
fn a_pointer_names_a_key_only_if_a_loop_turns_by_it() {
    // What else the run was told, or the agent made up, is never pointed at.
    let context = json!({"other": 1, "count": "three"});
    for (key, pointer) in [
        ("files", json!({"kind": "context_key", "key": "files"})),
        ("open_files-2", json!({"kind": "context_key", "key": "open_files-2"})),
        // No pointer can hold these keys, so it stays at the loop.
        ("openFiles", json!({"kind": "workflow_step", "stepId": "l"})),
        ("open.files", json!({"kind": "workflow_step", "stepId": "l"})),
    ] {
        let turning = json!({"type": "forEach", "items": key, "maxIterations": 9});
        let Decision::Blocked { report, .. } = decided(&turning, Autonomy::Guided, &context) else {
            panic!("it goes on without {key}");
        };
        let [blocker] = report.blockers() else { panic!("{report:?}") };
        assert_eq!(serde_json::to_value(&blocker.pointer).unwrap(), pointer);
    }
}

#[test]
fn a_count_that_is_not_a_whole_number_is_told() {
    let turning = json!({"type": "for", "count": "n", "maxIterations": 9});
    for (context, told) in [
        (json!({}), "it is not there"),
        (json!({"n": "three"}), "it is a text"),
        (json!({"n": -1}), "it is a number that does not fit"),
        (json!({"n": 1.5}), "it is a number that does not fit"),
        (json!({"n": true}), "it is true or false"),
        (json!({"n": {}}), "it is an object"),
        (json!({"n": []}), "it is a list"),
    ] {
        let Decision::Blocked { report, .. } = decided(&turning, Autonomy::Guided, &context) else {
            panic!("it goes on");
        };
        let message = report.blockers()[0].message.as_str().to_owned();
        assert!(message.ends_with(&format!("which must be a whole number; {told}.")), "{message}");
    }
}

#[test]
fn a_list_that_is_gone_in_the_middle_of_its_loop_is_told_too() {
    let turning = json!({"type": "forEach", "items": "files", "maxIterations": 9});
    let workflow = compiled(&steps(&turning));
    let mut run = Run::new(&workflow, &json!({"files": [1, 2]}));
    run.leave(&[]);
    assert_eq!(run.now.findings, []);
    run.tell("files", json!(null)).leave(&[]);
    assert_eq!(run.now.findings.len(), 1);
    assert_eq!(run.at().as_deref(), Some("end"));
}

#[test]
fn what_is_missing_at_the_beginning_is_told_and_each_key_once() {
    let of = |id: &str, key: &str| {
        let turning = json!({"type": "forEach", "items": key, "maxIterations": 9});
        looped(id, &turning, &json!([step(&format!("{id}-work"))]))
    };
    let steps = json!([of("a", "x"), of("b", "x"), of("c", "y"), of("d", "z"), of("e", "more")]);
    let begun = next_step::begin(&compiled(&file(&steps)), &Map::new()).unwrap();
    assert_eq!(begun.next, ExecutionState::Complete);
    let told: Vec<_> = begun
        .findings
        .iter()
        .map(|finding| finding.message.as_str().split('`').nth(3).unwrap())
        .collect();
    assert_eq!(told, ["x", "y", "z"]);
}
