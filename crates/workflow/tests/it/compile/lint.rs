//! Lints over validation criteria.

use piton_workflow::compile::WarningCode;
use serde_json::{Value, json};

use crate::source::compile_value;

/// The warnings about a step with `criteria`, but for the standing advice to use a contract.
#[track_caller]
fn check(criteria: &Value, expected: &[WarningCode]) {
    let source = json!({"id": "a.b", "steps": [
        {"id": "s", "title": "S", "prompt": "x", "validationCriteria": criteria},
    ]});
    let warnings = compile_value(&source).expect("a lint never refuses").compiled_warnings;
    assert!(
        warnings.iter().all(|warning| warning.subject == "s" && !warning.code.advice().is_empty())
    );
    let codes: Vec<_> = warnings.iter().map(|warning| warning.code).collect();
    let (preferred, others): (Vec<_>, Vec<_>) =
        codes.into_iter().partition(|code| *code == WarningCode::ContractPreferred);
    assert_eq!(preferred.len(), 1);
    assert_eq!(others, expected, "{source}");
}

fn contains(value: &str) -> Value {
    json!({"type": "contains", "value": value})
}

// shows: WR-328
#[test]
fn a_single_flag_that_says_complete_is_flagged() {
    for flag in [
        "planningComplete = true",
        "done=true",
        "ready: true",
        "reviewComplete",
        "review_done",
        "STATUS: complete",
    ] {
        check(&contains(flag), &[WarningCode::CompletionFlag, WarningCode::TriviallyMet]);
        check(
            &json!({"and": [contains(flag)]}),
            &[WarningCode::CompletionFlag, WarningCode::TriviallyMet],
        );
    }
}

// shows: WR-329
#[test]
fn a_bare_phrase_is_flagged() {
    for phrase in ["done", "Done.", "all good", "LGTM", "complete"] {
        check(&contains(phrase), &[WarningCode::BarePhrase, WarningCode::TriviallyMet]);
    }
}

// shows: WR-330
#[test]
fn criteria_that_one_short_text_meets_are_flagged() {
    check(&contains("the following files were changed"), &[WarningCode::TriviallyMet]);
    check(
        &json!([contains("files were changed"), contains("files")]),
        &[WarningCode::TriviallyMet],
    );
    check(&json!([contains("planDone"), contains("tests = true")]), &[WarningCode::TriviallyMet]);
    check(&json!({"type": "length", "max": 500}), &[WarningCode::TriviallyMet]);
    check(&json!({"type": "length", "min": 0}), &[WarningCode::TriviallyMet]);
}

// shows: WR-331
#[test]
fn several_independent_checks_are_clean() {
    let pattern = json!({"type": "regex", "pattern": r"\d+ files? changed"});
    let length = json!({"type": "length", "min": 200});
    check(&json!({"and": [pattern, contains("risk"), length]}), &[]);
    let listed = json!({"type": "regex", "pattern": r"Risk \d+:.*weight: (low|high)"});
    let bounded = json!({"type": "length", "min": 300, "max": 5000});
    check(&json!({"and": [listed, contains("path:"), bounded]}), &[]);
    check(&json!([contains("done"), length]), &[]);
    check(&json!([contains("risks"), contains("decisions")]), &[]);
    check(&pattern, &[]);
}

// shows: WR-316
#[test]
fn a_contract_is_suggested_and_criteria_still_compile() {
    check(&json!({"type": "length", "min": 200}), &[]);
    let source = json!({"id": "a.b", "steps": [{
        "id": "s", "title": "S", "prompt": "x",
        "outputContract": {"contractRef": "wr.contracts.assessment"},
    }]});
    assert!(compile_value(&source).unwrap().compiled_warnings.is_empty());
}
