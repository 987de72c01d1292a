//! The compiled workflow as data.

use piton_workflow::compile::{
    CapabilityNeed, CompiledWorkflow, CompiledWorkflowError, Definitions, WarningCode, compile,
};
use piton_workflow::contract::{BuiltinContract, Field, Shape};
use piton_workflow::{Autonomy, Capability, RiskPolicy};
use serde_json::{Value, json};

use crate::source::{compile_value, origin, rich};

// shows: WR-361, WR-362
#[test]
fn the_schema_of_a_compiled_workflow() {
    let schema = schemars::schema_for!(CompiledWorkflow);
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema).unwrap());
}

#[test]
fn a_compiled_workflow_has_these_fields() {
    let workflow = compile_value(&rich()).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&workflow).unwrap());
}

// shows: WR-360
#[test]
fn another_version_is_refused_and_never_guessed_at() {
    let workflow = compile_value(&rich()).unwrap();
    assert_eq!(workflow.schema_version, 1);
    let with_version = |version: Value| {
        let mut value = serde_json::to_value(&workflow).unwrap();
        value["schemaVersion"] = version;
        CompiledWorkflow::read(value.to_string().as_bytes())
    };
    assert_eq!(with_version(json!(1)), Ok(workflow.clone()));
    for version in [json!(0), json!(2), json!("1"), json!(null)] {
        let expected = CompiledWorkflowError::UnsupportedVersion { found: version.to_string() };
        assert_eq!(with_version(version), Err(expected));
    }
    let malformed = |bytes: &[u8]| {
        matches!(CompiledWorkflow::read(bytes), Err(CompiledWorkflowError::Malformed { .. }))
    };
    assert!(malformed(b"{}") && malformed(b"[1]") && malformed(b"nothing"));
    let mut unknown = serde_json::to_value(&workflow).unwrap();
    unknown["colour"] = json!("blue");
    assert!(malformed(unknown.to_string().as_bytes()));
}

#[test]
fn a_workflow_that_does_not_hold_together_is_refused() {
    #[track_caller]
    fn check(change: impl FnOnce(&mut CompiledWorkflow), expected: &str) {
        let mut workflow = compile_value(&rich()).expect("it compiles");
        change(&mut workflow);
        let expected = CompiledWorkflowError::Unsound { reason: expected.into() };
        assert_eq!(CompiledWorkflow::read(workflow.canonical().as_bytes()), Err(expected));
    }
    check(|workflow| drop(workflow.sequence.remove(1)), "a step has no place or no id of its own");
    check(|workflow| drop(workflow.sequence.remove(2)), "a loop has no place or no id of its own");
    check(|workflow| drop(workflow.steps.remove(1)), "the step `plan` is missing");
    check(|workflow| workflow.loops.clear(), "the loop `rounds` is missing");
    check(|workflow| workflow.conditions.clear(), "the condition of the loop `rounds` is missing");
    check(|workflow| workflow.functions.clear(), "a function of the step `plan` is missing");
    check(
        |workflow| drop(workflow.contracts.remove(1)),
        "the contract `wr.contracts.loop_control` is missing",
    );
    check(
        |workflow| {
            let again = workflow.sequence[1].clone();
            workflow.sequence.push(again);
        },
        "the step `plan` stands at two places",
    );
    check(
        |workflow| {
            let itself = workflow.sequence[2].clone();
            workflow.loops[0].body.push(itself);
        },
        "the loop `rounds` stands at two places",
    );
}

#[test]
fn only_the_canonical_writing_of_a_workflow_is_read() {
    let workflow = compile_value(&rich()).unwrap();
    let spaced = serde_json::to_string_pretty(&workflow).unwrap();
    let read = CompiledWorkflow::read(spaced.as_bytes());
    assert_eq!(read, Err(CompiledWorkflowError::NotCanonical));
}

// shows: WR-300
#[test]
fn capabilities_are_required_preferred_or_disabled() {
    for need in CapabilityNeed::ALL {
        let mut source = rich();
        source["capabilities"] = json!({"delegation": need, "web_browsing": "disabled"});
        let capabilities = compile_value(&source).unwrap().capabilities;
        assert_eq!(capabilities[&Capability::Delegation], *need);
        assert_eq!(capabilities[&Capability::WebBrowsing], CapabilityNeed::Disabled);
    }
}

// shows in part: WR-317 (which steps)
#[test]
fn a_step_needs_notes_unless_it_has_a_contract_or_its_author_waives_them() {
    let contract = json!({"contractRef": "wr.contracts.assessment"});
    for (extra, expected) in [
        (json!({}), true),
        (json!({"notesOptional": false}), true),
        (json!({"notesOptional": true}), false),
        (json!({"outputContract": contract}), false),
        (json!({"validationCriteria": {"type": "length", "min": 9}}), true),
    ] {
        let mut step = json!({"id": "s", "title": "S", "prompt": "x"});
        step.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let workflow = compile_value(&json!({"id": "a.b", "steps": [step]})).unwrap();
        assert_eq!(workflow.steps[0].needs_notes(), expected, "{extra}");
    }
}

// shows: WR-408
#[test]
fn recommendations_are_of_the_sets_of_preferences() {
    let workflow = compile_value(&rich()).unwrap();
    assert_eq!(workflow.recommended_autonomy, Some(Autonomy::Guided));
    assert_eq!(workflow.recommended_risk_policy, Some(RiskPolicy::Balanced));
}

// shows: WR-380
// shows in part: WR-552 (what stands twice is kept once)
#[test]
fn a_contract_that_several_steps_use_is_embedded_once_and_in_order() {
    let step = |id: &str, contract: &str| json!({"id": id, "title": "S", "prompt": "x", "outputContract": {"contractRef": contract}});
    let source = json!({"id": "a.b", "steps": [
        step("a", "wr.contracts.review_verdict"),
        step("b", "wr.contracts.assessment"),
        step("c", "wr.contracts.review_verdict"),
    ]});
    let contracts = compile_value(&source).unwrap().contracts;
    let refs: Vec<_> = contracts.iter().map(|contract| contract.contract_ref.as_str()).collect();
    assert_eq!(refs, ["wr.contracts.assessment", "wr.contracts.review_verdict"]);
}

// shows: WR-311
#[test]
fn artifacts_are_checked_by_the_contract_that_was_embedded() {
    let pinned = compile_value(&rich()).unwrap();
    let mut catalog = Definitions::standard();
    let contract_ref = BuiltinContract::LoopControl.contract_ref();
    let changed = catalog.contracts.get_mut(&contract_ref).unwrap();
    changed.fields.push(Field::required("reviewer", Shape::Id));
    let later = compile(&rich().to_string(), &origin(), &catalog).unwrap();
    assert_ne!(later.workflow_hash(), pinned.workflow_hash());

    let pinned = CompiledWorkflow::read(pinned.canonical().as_bytes()).unwrap();
    let artifact = json!({"kind": "wr.loop_control", "loopId": "rounds", "decision": "stop"});
    let accepts = |workflow: &CompiledWorkflow| {
        workflow.contract(&contract_ref).unwrap().accept(std::slice::from_ref(&artifact)).is_ok()
    };
    assert!(accepts(&pinned));
    assert!(!accepts(&later));
}

// shows: WR-367
#[test]
fn embedded_contracts_are_data_and_not_text() {
    fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
            Value::Object(entries) => entries.values().for_each(|item| texts(item, found)),
            _ => {}
        }
    }
    let value = serde_json::to_value(compile_value(&rich()).unwrap()).unwrap();
    let mut found = Vec::new();
    texts(&value["contracts"], &mut found);
    assert!(found.len() > 10);
    for text in found {
        let parsed: Result<Value, _> = serde_json::from_str(text);
        assert!(!parsed.is_ok_and(|value| value.is_object() || value.is_array()), "{text}");
    }
}

// shows: WR-369
#[test]
fn warnings_are_a_closed_set() {
    let lines: Vec<_> =
        WarningCode::ALL.iter().map(|code| format!("{code}: {}", code.advice())).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_nobody_uses_is_a_warning() {
    let source = json!({
        "id": "a.b",
        "functionDefinitions": [{"name": "idle", "definition": "x"}],
        "steps": [{"id": "s", "title": "S", "prompt": "x"}],
    });
    let warnings = compile_value(&source).unwrap().compiled_warnings;
    assert_eq!(warnings.len(), 1);
    assert_eq!(
        (warnings[0].code, warnings[0].subject.as_str()),
        (WarningCode::UnusedFunction, "idle")
    );
}
