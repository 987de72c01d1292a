//! What is wrong with an output.

use piton_core::GapId;
use piton_workflow::compile::{CapabilityNeed, CompiledWorkflow};
use piton_workflow::contract::BuiltinContract;
use piton_workflow::engine::{Finding, KnownCapabilities, Submission, next_step, validate};
use piton_workflow::projection::CapabilityStanding;
use piton_workflow::{Capability, CapabilityStatus, ExecutionState};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::samples::{Run, control, decision, looped, source, start, step, workflow};
use crate::source::compile_value;

/// What is wrong with an output for the first step.
fn judged(workflow: &CompiledWorkflow, submission: &Submission<'_>) -> Vec<Finding> {
    validate(workflow, &start(workflow).next, submission, &KnownCapabilities::new(), &Map::new())
        .expect("a step is pending")
}

/// The codes and places of findings.
fn kinds(findings: &[Finding]) -> Vec<(String, Value)> {
    let kind = |finding: &Finding| {
        let pointer = serde_json::to_value(&finding.pointer).expect("it is JSON");
        (finding.blocker().code.to_string(), pointer)
    };
    findings.iter().map(kind).collect()
}

#[track_caller]
fn check(workflow: &CompiledWorkflow, submission: &Submission<'_>, expected: &[(&str, Value)]) {
    let expected: Vec<_> =
        expected.iter().map(|(code, pointer)| ((*code).to_owned(), pointer.clone())).collect();
    assert_eq!(kinds(&judged(workflow, submission)), expected, "{submission:?}");
}

fn at_step(id: &str) -> Value {
    json!({"kind": "workflow_step", "stepId": id})
}

fn at_contract(name: &str) -> Value {
    json!({"kind": "output_contract", "contractRef": name})
}

// shows: WR-317
#[test]
fn a_step_is_left_with_notes_unless_it_waives_them() {
    let plain = workflow(&[step("one")]);
    let missing = ("MISSING_REQUIRED_OUTPUT", at_step("one"));
    check(&plain, &Submission { notes: Some("Done."), artifacts: &[] }, &[]);
    check(&plain, &Submission { notes: None, artifacts: &[] }, std::slice::from_ref(&missing));
    check(&plain, &Submission { notes: Some(" \n"), artifacts: &[] }, &[missing]);
    let mut waived = step("one");
    waived["notesOptional"] = json!(true);
    check(&workflow(&[waived]), &Submission::default(), &[]);
}

// shows: WR-313, WR-314, WR-315
#[test]
fn a_contract_is_kept_by_typed_artifacts_alone_and_wins_over_criteria() {
    let name = "wr.contracts.capability_observation";
    let mut one = step("one");
    one["outputContract"] = json!({"contractRef": name});
    one["validationCriteria"] = json!({"type": "contains", "value": "never said"});
    let workflow = workflow(&[one]);
    let good = [BuiltinContract::CapabilityObservation.definition().example];
    let prose = "wr.capability_observation: web_browsing failed with tool_missing";
    check(&workflow, &Submission { notes: Some("Other words."), artifacts: &good }, &[]);
    check(&workflow, &Submission { notes: None, artifacts: &good }, &[]);
    check(
        &workflow,
        &Submission { notes: Some(prose), artifacts: &[] },
        &[("MISSING_REQUIRED_OUTPUT", at_contract(name))],
    );
    let mut bad = good.clone();
    bad[0]["result"] = json!("perhaps");
    check(
        &workflow,
        &Submission { notes: None, artifacts: &bad },
        &[("INVALID_REQUIRED_OUTPUT", at_contract(name))],
    );
}

#[test]
fn criteria_read_the_whole_notes_and_answer_in_the_words_of_their_author() {
    let mut one = step("one");
    one["validationCriteria"] = json!({"and": [
        {"type": "contains", "value": "risk", "message": "Name a risk."},
        {"type": "length", "max": 9000},
    ]});
    let workflow = workflow(&[one]);
    let long = format!("{}risk", "x".repeat(8000));
    check(&workflow, &Submission { notes: Some(&long), artifacts: &[] }, &[]);
    let findings = judged(&workflow, &Submission { notes: Some("short"), artifacts: &[] });
    assert_eq!(kinds(&findings), [("INVALID_REQUIRED_OUTPUT".into(), at_step("one"))]);
    let message = "The notes do not meet what the step `one` asks for:\n- Name a risk.";
    assert_eq!(findings[0].message.as_str(), message);
}

#[test]
fn criteria_say_nothing_about_notes_that_may_be_left_out_and_are() {
    let mut one = step("one");
    one["notesOptional"] = json!(true);
    one["validationCriteria"] = json!({"type": "length", "min": 10});
    let workflow = workflow(&[one]);
    check(&workflow, &Submission::default(), &[]);
    let short = Submission { notes: Some("short"), artifacts: &[] };
    check(&workflow, &short, &[("INVALID_REQUIRED_OUTPUT", at_step("one"))]);
}

// shows: WR-342
#[test]
fn a_decision_that_is_missing_or_about_another_loop_is_a_broken_contract() {
    let two = [
        looped("rounds", 3, &[decision("decide")]),
        looped("later", 3, &[decision("decide-later")]),
    ];
    let workflow = workflow(&two);
    let contract = || at_contract("wr.contracts.loop_control");
    let with = |artifacts: &[Value], expected: &[(&str, Value)]| {
        check(&workflow, &Submission { notes: None, artifacts }, expected);
    };
    with(&[control("rounds", "continue")], &[]);
    with(&[control("rounds", "stop")], &[]);
    with(&[], &[("MISSING_REQUIRED_OUTPUT", contract())]);
    with(&[control("rounds", "perhaps")], &[("INVALID_REQUIRED_OUTPUT", contract())]);
    with(&[control("later", "stop")], &[("INVALID_REQUIRED_OUTPUT", contract())]);
}

#[test]
fn a_decision_outside_of_loops_is_about_any_loop_that_exists() {
    let workflow = workflow(&[decision("first"), looped("rounds", 3, &[decision("decide")])]);
    let with = |loop_id: &str, expected: &[(&str, Value)]| {
        let artifacts = [control(loop_id, "continue")];
        check(&workflow, &Submission { notes: None, artifacts: &artifacts }, expected);
    };
    with("rounds", &[]);
    with("other", &[("INVALID_REQUIRED_OUTPUT", at_contract("wr.contracts.loop_control"))]);
}

#[test]
fn a_decision_in_a_workflow_without_loops_may_name_any() {
    let artifacts = [control("other", "stop")];
    let workflow = workflow(&[decision("only")]);
    check(&workflow, &Submission { notes: None, artifacts: &artifacts }, &[]);
}

// shows: WR-352
#[test]
fn to_continue_in_the_last_turn_is_told_with_the_loop_its_turn_and_its_limit() {
    let workflow = workflow(&[looped("rounds", 2, &[decision("decide"), step("work")])]);
    let again = [control("rounds", "continue")];
    let submission = Submission { notes: None, artifacts: &again };
    check(&workflow, &submission, &[]);
    let mut run = Run::new(&workflow);
    run.leave(&again).leave(&[]);
    let findings =
        validate(&workflow, &run.now.next, &submission, &KnownCapabilities::new(), &Map::new())
            .unwrap();
    assert_eq!(kinds(&findings), [("INVARIANT_VIOLATION".into(), at_step("decide"))]);
    let details =
        json!({"kind": "loop_limit", "loopId": "rounds", "iteration": 1, "maxIterations": 2});
    assert_eq!(serde_json::to_value(&findings[0].details).unwrap(), details);
    assert_eq!(findings[0].gap(GapId::from_bytes([1; 16])).details, findings[0].details);
    let stop = [control("rounds", "stop")];
    let submission = Submission { notes: None, artifacts: &stop };
    assert_eq!(
        validate(&workflow, &run.now.next, &submission, &KnownCapabilities::new(), &Map::new())
            .unwrap(),
        []
    );
}

/// A workflow that needs the web as much as `need` says.
pub(super) fn browsing(need: CapabilityNeed) -> CompiledWorkflow {
    let mut source = source(&[step("one")]);
    source["capabilities"] = json!({"web_browsing": need});
    compile_value(&source).expect("it compiles")
}

/// The state at the step `one`, behind every probe.
pub(super) fn behind_probes(workflow: &CompiledWorkflow) -> ExecutionState {
    let mut state = start(workflow).next;
    while super::samples::pending_key(&state).as_deref() != Some("one") {
        state = next_step::next(workflow, &state, &serde_json::Map::new(), &[])
            .expect("it goes on")
            .next;
    }
    state
}

pub(super) fn standing(enforced: CapabilityStatus, shown: CapabilityStatus) -> KnownCapabilities {
    KnownCapabilities::from([(Capability::WebBrowsing, CapabilityStanding { enforced, shown })])
}

// shows: WR-298, WR-299, WR-303
#[test]
fn a_required_capability_counts_by_what_is_more_than_a_claim() {
    use CapabilityStatus::{Available, Unavailable, Unknown};
    let pointer = json!({"kind": "capability", "capability": "web_browsing"});
    let submission = Submission { notes: Some("Done."), artifacts: &[] };
    for need in CapabilityNeed::ALL {
        let workflow = browsing(*need);
        let state = behind_probes(&workflow);
        for (enforced, shown, code) in [
            (Unknown, Unknown, Some("REQUIRED_CAPABILITY_UNKNOWN")),
            (Unknown, Available, Some("REQUIRED_CAPABILITY_UNKNOWN")),
            (Unavailable, Available, Some("REQUIRED_CAPABILITY_UNAVAILABLE")),
            (Available, Available, None),
            (Available, Unavailable, None),
        ] {
            let standings = standing(enforced, shown);
            let findings =
                validate(&workflow, &state, &submission, &standings, &Map::new()).unwrap();
            let expected = code.filter(|_| *need == CapabilityNeed::Required);
            let expected: Vec<_> =
                expected.map(|code| (code.to_owned(), pointer.clone())).into_iter().collect();
            assert_eq!(kinds(&findings), expected, "{need} {enforced} {shown}");
        }
        if *need == CapabilityNeed::Required {
            let findings =
                validate(&workflow, &state, &submission, &KnownCapabilities::new(), &Map::new())
                    .unwrap();
            assert_eq!(kinds(&findings), [("REQUIRED_CAPABILITY_UNKNOWN".into(), pointer.clone())]);
        }
    }
}

#[test]
fn a_probe_answers_for_its_own_capability_and_others_wait_for_theirs() {
    let mut source = source(&[step("one")]);
    source["capabilities"] = json!({"delegation": "required", "web_browsing": "required"});
    let workflow = compile_value(&source).unwrap();
    let observed = |capability: &str, result: &str| json!({"kind": "wr.capability_observation", "capability": capability, "result": result});
    let with = |artifact: &Value, expected: &[(&str, Value)]| {
        let artifacts = [artifact.clone()];
        check(&workflow, &Submission { notes: None, artifacts: &artifacts }, expected);
    };
    with(&observed("delegation", "success"), &[]);
    let mut failed = observed("delegation", "failure");
    failed["failureCode"] = json!("tool_missing");
    let pointer = json!({"kind": "capability", "capability": "delegation"});
    with(&failed, &[("REQUIRED_CAPABILITY_UNAVAILABLE", pointer)]);
    let contract = at_contract("wr.contracts.capability_observation");
    with(&observed("web_browsing", "success"), &[("INVALID_REQUIRED_OUTPUT", contract)]);
}

/// The example at the end of the fix of a broken contract.
fn example(finding: &Finding) -> Option<Value> {
    let (_, example) = finding.suggested_fix.as_str().split_once("own:\n")?;
    Some(serde_json::from_str(example).expect("it is JSON"))
}

#[test]
fn the_example_of_a_broken_contract_passes_when_it_is_submitted() {
    for pack in BuiltinContract::ALL {
        let mut one = step("one");
        one["outputContract"] = json!({"contractRef": pack});
        let workflow = workflow(&[looped("rounds", 2, &[decision("decide")]), one]);
        let mut run = Run::new(&workflow);
        run.leave(&[]);
        let at = |artifacts: &[Value]| {
            let submission = Submission { notes: None, artifacts };
            validate(&workflow, &run.now.next, &submission, &KnownCapabilities::new(), &Map::new())
                .unwrap()
        };
        let findings = at(&[]);
        assert_eq!(findings.len(), 1);
        if let Some(example) = example(&findings[0]) {
            assert_eq!(at(&[example]), [], "{pack}");
        } else {
            let fix = findings[0].suggested_fix.as_str();
            assert!(fix.contains("these fields:\n- "), "{pack}");
        }
    }
    let workflow = workflow(&[looped("rounds", 2, &[decision("decide")])]);
    let found = judged(&workflow, &Submission::default());
    let example = [example(&found[0]).unwrap()];
    check(&workflow, &Submission { notes: None, artifacts: &example }, &[]);
}

proptest! {
    #[test]
    fn whatever_is_submitted_the_texts_fit_and_become_a_report(
        long in prop::collection::vec(any::<char>(), 0..1500),
        message in prop::collection::vec(any::<char>(), 1..250),
        rules in 1_usize..32,
    ) {
        let long: String = long.into_iter().collect();
        let message: String = message.into_iter().collect();
        let name = "n".repeat(128);
        let mut noted = step(&name);
        let rule = json!({"type": "contains", "value": "#never#", "message": format!("m{message}m")});
        noted["validationCriteria"] = json!({"and": vec![rule; rules]});
        let decides = looped(&"l".repeat(122), 1, &[decision(&"d".repeat(128))]);
        for workflow in [workflow(&[noted]), workflow(&[decides])] {
            let mut wrong = control("other", "perhaps");
            wrong[&long] = json!(long);
            wrong["summary"] = json!(long.repeat(9));
            for artifacts in [vec![wrong], vec![json!({"kind": long}); 30], vec![json!(long)]] {
                for notes in [None, Some(long.as_str())] {
                    let findings = judged(&workflow, &Submission { notes, artifacts: &artifacts });
                    for finding in findings {
                        prop_assert!(finding.message.as_str().len() <= 512);
                        prop_assert!(finding.message.as_str() == finding.gap(GapId::from_bytes([1; 16])).summary.as_str());
                    }
                }
            }
        }
    }
}
