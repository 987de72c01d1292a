//! Artifacts against a contract: which one counts, and how a breach is reported.

use piton_workflow::ContractViolation;
use piton_workflow::contract::{Breach, BuiltinContract};
use serde_json::{Value, json};

fn breach(artifacts: &[Value]) -> Breach {
    BuiltinContract::LoopControl.definition().accept(artifacts).expect_err("it must be refused")
}

fn missing(found: Vec<Option<String>>) -> Breach {
    Breach::Missing { required: "wr.loop_control".into(), found }
}

// shows in part: WR-313 (the check)
#[test]
fn an_artifact_counts_and_prose_with_the_same_words_does_not() {
    let definition = BuiltinContract::LoopControl.definition();
    let artifact = json!({"kind": "wr.loop_control", "loopId": "a", "decision": "stop"});
    let prose = json!(artifact.to_string());
    assert_eq!(definition.accept(&[prose.clone(), artifact.clone()]), Ok(&artifact));
    assert_eq!(breach(&[prose]), missing(vec![None]));
}

// shows in part: WR-314 (which reason)
#[test]
fn no_artifact_of_the_kind_is_missing_and_a_wrong_one_is_invalid() {
    assert_eq!(breach(&[]).reason(), ContractViolation::MissingRequiredOutput);
    let other = breach(&[json!({"kind": "wr.assessment"})]);
    assert_eq!(other, missing(vec![Some("wr.assessment".into())]));
    assert_eq!(other.reason(), ContractViolation::MissingRequiredOutput);
    let wrong = breach(&[json!({"kind": "wr.loop_control", "loopId": "a", "decision": "go"})]);
    assert_eq!(wrong.reason(), ContractViolation::InvalidRequiredOutput);
}

#[test]
fn the_first_artifact_of_the_kind_is_the_one_that_counts() {
    let wrong = json!({"kind": "wr.loop_control"});
    let right = json!({"kind": "wr.loop_control", "loopId": "a", "decision": "stop"});
    assert!(matches!(breach(&[json!(1), wrong, right]), Breach::Invalid { index: 1, .. }));
}

#[test]
fn a_breach_says_what_is_there_and_what_must_be() {
    let breaches = [
        breach(&[]),
        breach(&[json!({"kind": "wr.assessment"}), json!("decision: stop")]),
        breach(&[json!({
            "kind": "wr.loop_control",
            "decision": "go on and on and on and on and on and on and on and on and on and on and on and on",
            "loopid": "a",
        })]),
    ];
    let texts: Vec<_> = breaches.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(texts.join("\n\n"));
}
