//! Templates and features: which steps they bring, where, and in which order.

use piton_workflow::compile::{CompiledWorkflow, ProvenanceSource, SequenceEntry};
use piton_workflow::contract::BuiltinContract;
use serde_json::{Value, json};

use crate::source::{compile_value, rich};

/// Every place of the top sequence.
fn sequence(workflow: &CompiledWorkflow) -> Vec<String> {
    names(&workflow.sequence)
}

fn names(entries: &[SequenceEntry]) -> Vec<String> {
    let name = |entry: &SequenceEntry| match entry {
        SequenceEntry::Step { step_id } => step_id.to_string(),
        SequenceEntry::Loop { loop_id } => format!("loop {loop_id}"),
    };
    entries.iter().map(name).collect()
}

#[track_caller]
fn check(source: &Value, expected: &[&str]) {
    assert_eq!(sequence(&compile_value(source).expect("it compiles")), expected);
}

// shows: WR-375, WR-335
#[test]
fn authored_steps_and_bodies_keep_their_order() {
    let workflow = compile_value(&rich()).unwrap();
    assert_eq!(
        sequence(&workflow),
        [
            "wr_capabilities--web_browsing--probe",
            "plan",
            "loop rounds",
            "helpers--probe",
            "wr_closing_review--review",
        ]
    );
    assert_eq!(names(&workflow.loops[0].body), ["look", "decide"]);
    let steps: Vec<_> = workflow.steps.iter().map(|step| step.step_id.as_str()).collect();
    assert_eq!(
        steps,
        [
            "wr_capabilities--web_browsing--probe",
            "plan",
            "look",
            "decide",
            "helpers--probe",
            "wr_closing_review--review",
        ]
    );
}

// shows: WR-373 (with the_steps_of_a_routine_stand_in_its_order_between_those_of_its_caller)
#[test]
fn a_template_call_is_replaced_in_place() {
    let call = |id: &str, capability: &str| {
        json!({
            "type": "template_call", "id": id,
            "templateId": "wr.templates.capability_probe", "args": {"capability": capability},
        })
    };
    let step = |id: &str| json!({"id": id, "title": "S", "prompt": "x"});
    let source = json!({"id": "a.b", "steps": [
        step("z"), call("y", "delegation"), step("b"), call("a", "web_browsing"), step("c"),
    ]});
    check(&source, &["z", "y--probe", "b", "a--probe", "c"]);
    let mut looped = rich();
    let body = looped["steps"][1]["body"].as_array_mut().unwrap();
    body.insert(1, call("a", "delegation"));
    let body = &compile_value(&looped).unwrap().loops[0].body;
    assert_eq!(names(body), ["look", "a--probe", "decide"]);
}

// shows: WR-312
#[test]
fn a_template_brings_its_contract_along() {
    let workflow = compile_value(&rich()).unwrap();
    let step = workflow.step(&"helpers--probe".parse().unwrap()).unwrap();
    let contract = step.output_contract.as_ref().unwrap();
    assert_eq!(contract.contract_ref, BuiltinContract::CapabilityObservation.contract_ref());
    assert!(workflow.contract(&contract.contract_ref).is_some());
}

// shows: WR-363
#[test]
fn a_step_says_who_brought_it() {
    let workflow = compile_value(&rich()).unwrap();
    let provenance: Vec<_> = workflow
        .steps
        .iter()
        .map(|step| (step.provenance.source, step.provenance.origin_id.as_deref()))
        .collect();
    assert_eq!(
        provenance,
        [
            (ProvenanceSource::FeatureInjected, Some("wr.features.capabilities")),
            (ProvenanceSource::Authored, None),
            (ProvenanceSource::Authored, None),
            (ProvenanceSource::Authored, None),
            (ProvenanceSource::TemplateInjected, Some("wr.templates.capability_probe")),
            (ProvenanceSource::FeatureInjected, Some("wr.features.closing_review")),
        ]
    );
}

// shows: WR-374, WR-376, WR-377
#[test]
fn steps_of_features_at_one_anchor_are_ordered_by_feature_and_ordinal() {
    let mut source = json!({
        "id": "a.b",
        "capabilities": {"web_browsing": "required", "delegation": "required"},
        "features": ["wr.features.orientation", "wr.features.capabilities"],
        "steps": [{"id": "s", "title": "S", "prompt": "x"}],
    });
    let expected = [
        "wr_capabilities--delegation--probe",
        "wr_capabilities--web_browsing--probe",
        "wr_orientation--orient",
        "s",
    ];
    check(&source, &expected);
    source["features"].as_array_mut().unwrap().reverse();
    check(&source, &expected);
}

// shows: WR-301 (with what_was_observed_and_the_pinned_workflow_decide_the_way)
#[test]
fn a_required_capability_is_tried_out_and_a_preferred_one_on_demand() {
    let mut source = json!({
        "id": "a.b",
        "capabilities": {"web_browsing": "required", "delegation": "preferred"},
        "steps": [{"id": "s", "title": "S", "prompt": "x"}],
    });
    check(&source, &["wr_capabilities--web_browsing--probe", "s"]);
    let workflow = compile_value(&source).unwrap();
    let probe = workflow.steps[0].probe.as_ref().unwrap();
    assert_eq!(probe.capability.as_str(), "web_browsing");
    assert_eq!(probe.template_id.as_str(), "wr.templates.capability_probe");
    let provenance = &workflow.steps[0].provenance;
    assert_eq!(provenance.source, ProvenanceSource::FeatureInjected);
    assert_eq!(provenance.origin_id.as_deref(), Some("wr.features.capabilities"));
    source["features"] = json!([{"featureId": "wr.features.capabilities", "config": {"probe": "required_and_preferred"}}]);
    check(
        &source,
        &["wr_capabilities--delegation--probe", "wr_capabilities--web_browsing--probe", "s"],
    );
    source["capabilities"] = json!({"delegation": "disabled"});
    check(&source, &["s"]);
}

#[test]
fn a_loop_decision_template_decides_about_its_loop() {
    let source = json!({
        "id": "a.b",
        "conditions": [{"conditionId": "c", "kind": "loop_control", "loopId": "l"}],
        "steps": [{
            "type": "loop", "loopId": "l", "maxIterations": 2,
            "while": {"kind": "condition_ref", "conditionId": "c"},
            "body": [{
                "type": "template_call", "id": "end",
                "templateId": "wr.templates.loop_decision", "args": {"loopId": "l"},
            }],
        }],
    });
    let workflow = compile_value(&source).unwrap();
    assert_eq!(names(&workflow.loops[0].body), ["end--decide"]);
    assert!(workflow.steps[0].prompt.ends_with("- The loop that this step decides about: \"l\""));
}
