//! The contracts that exist: examples, fields, words and schemas.

use piton_core::canonical::encode;
use piton_workflow::compile::Definitions;
use piton_workflow::contract::{BuiltinContract, ContractDefinition, Field, Presence, Shape};
use piton_workflow::source::ContractRef;
use serde_json::{Value, json};

/// Every violation as `path kind`, and nothing for an artifact that keeps the contract.
#[track_caller]
fn check(pack: BuiltinContract, change: impl FnOnce(&mut Value), expected: &[&str]) {
    let definition = pack.definition();
    let mut artifact = definition.example.clone();
    change(&mut artifact);
    let found: Vec<_> = definition
        .violations(&artifact)
        .iter()
        .map(|violation| format!("{} {}", violation.path, violation.kind))
        .collect();
    assert_eq!(found, expected, "{artifact}");
}

// shows: WR-310
#[test]
fn the_contracts_of_the_catalogue_are_the_closed_set_in_code() {
    let catalogue: Vec<_> = Definitions::standard().contracts.into_keys().collect();
    let refs: Vec<ContractRef> =
        BuiltinContract::ALL.iter().map(|pack| pack.contract_ref()).collect();
    assert_eq!(catalogue, refs);
    insta::assert_snapshot!(BuiltinContract::NAMES.join("\n"));
}

#[test]
fn every_example_keeps_its_contract() {
    for pack in BuiltinContract::ALL {
        check(*pack, |_| {}, &[]);
        let definition = pack.definition();
        assert_eq!(
            definition.accept(std::slice::from_ref(&definition.example)),
            Ok(&definition.example)
        );
    }
}

#[test]
fn every_required_field_that_is_missing_is_named() {
    for pack in BuiltinContract::ALL {
        let definition = pack.definition();
        check(*pack, |artifact| drop(remove(artifact, "kind")), &["/kind missing"]);
        for field in definition.fields.iter().filter(|field| field.presence == Presence::Required) {
            let violations = {
                let mut artifact = definition.example.clone();
                remove(&mut artifact, &field.name);
                definition.violations(&artifact)
            };
            let missing = |violation: &&_| named(violation, &format!("/{}", field.name), "missing");
            assert_eq!(violations.iter().filter(missing).count(), 1, "{pack} {}", field.name);
        }
    }
}

fn named(violation: &piton_workflow::contract::Violation, path: &str, kind: &str) -> bool {
    violation.path.as_str() == path && violation.kind.as_str() == kind
}

fn remove(artifact: &mut Value, field: &str) -> Option<Value> {
    artifact.as_object_mut()?.remove(field)
}

#[test]
fn every_field_of_a_wrong_type_and_every_field_too_many_is_named() {
    for pack in BuiltinContract::ALL {
        let definition = pack.definition();
        for field in &definition.fields {
            if definition.example.get(&field.name).is_none() {
                continue;
            }
            let mut artifact = definition.example.clone();
            artifact[&field.name] = Value::Null;
            let path = format!("/{}", field.name);
            let violations = definition.violations(&artifact);
            assert!(
                violations.iter().any(|violation| named(violation, &path, "wrong_type")),
                "{pack} {path}"
            );
        }
        check(*pack, |artifact| artifact["another"] = json!(1), &["/another unexpected"]);
    }
}

// shows: WR-340
#[test]
fn a_loop_control_artifact_names_its_loop_and_decides() {
    use BuiltinContract::LoopControl;
    check(LoopControl, |artifact| drop(remove(artifact, "summary")), &[]);
    check(LoopControl, |artifact| artifact["decision"] = json!("continue"), &[]);
    check(LoopControl, |artifact| drop(remove(artifact, "loopId")), &["/loopId missing"]);
    check(LoopControl, |artifact| artifact["loopId"] = json!("a/b"), &["/loopId not_allowed"]);
    check(LoopControl, |artifact| drop(remove(artifact, "decision")), &["/decision missing"]);
    check(
        LoopControl,
        |artifact| artifact["decision"] = json!("maybe"),
        &["/decision not_allowed"],
    );
    check(LoopControl, |artifact| artifact["decision"] = json!(true), &["/decision wrong_type"]);
    check(LoopControl, |artifact| artifact["kind"] = json!("wr.loop"), &["/kind not_allowed"]);
    check(
        LoopControl,
        |artifact| artifact["summary"] = json!("a".repeat(513)),
        &["/summary too_large"],
    );
    check(LoopControl, |artifact| artifact["summary"] = json!(" "), &["/summary too_small"]);
    check(
        LoopControl,
        |artifact| {
            artifact["metadata"] =
                json!({"confidence": 101, "issuesFound": -1, "iterationIndex": 0.5});
        },
        &[
            "/metadata/confidence too_large",
            "/metadata/issuesFound too_small",
            "/metadata/iterationIndex wrong_type",
        ],
    );
}

#[test]
fn a_whole_number_counts_as_one_however_it_is_written() {
    let confidence = |value: Value| {
        move |artifact: &mut Value| artifact["metadata"] = json!({ "confidence": value })
    };
    let wrong = |kind: &str| [format!("/metadata/confidence {kind}")];
    for right in [json!(0), json!(100), json!(80.0), json!(-0.0)] {
        check(BuiltinContract::LoopControl, confidence(right), &[]);
    }
    for (value, kind) in [
        (json!(101), "too_large"),
        (json!(1e30), "too_large"),
        (json!(-1.0), "too_small"),
        (json!(0.5), "wrong_type"),
        (json!("80"), "wrong_type"),
    ] {
        check(
            BuiltinContract::LoopControl,
            confidence(value),
            &wrong(kind).each_ref().map(String::as_str),
        );
    }
    check(BuiltinContract::GateVerdict, |artifact| artifact["version"] = json!(1.0), &[]);
}

#[test]
fn values_inside_of_lists_maps_and_objects_are_named_by_their_path() {
    use BuiltinContract::{
        Assessment, CapabilityObservation, CodingHandoff, CoordinatorSignal,
        DifferentiationHandoff, DiscoveryHandoff, GateVerdict, ReviewVerdict, ShapingHandoff,
    };
    check(
        ReviewVerdict,
        |artifact| artifact["findings"][0]["severity"] = json!("huge"),
        &["/findings/0/severity not_allowed"],
    );
    check(ReviewVerdict, |artifact| artifact["findings"][0]["file"] = json!("a.rs"), &[]);
    check(
        CodingHandoff,
        |artifact| drop(remove(&mut artifact["correctedAssumptions"][0], "actual")),
        &["/correctedAssumptions/0/actual missing"],
    );
    check(
        CodingHandoff,
        |artifact| artifact["filesChanged"] = json!(vec!["a"; 21]),
        &["/filesChanged too_large"],
    );
    check(
        Assessment,
        |artifact| artifact["dimensions"]["a/b"] = json!("x"),
        &["/dimensions/a~1b not_allowed"],
    );
    check(
        Assessment,
        |artifact| artifact["dimensions"]["scope"] = json!(3),
        &["/dimensions/scope not_allowed"],
    );
    check(
        GateVerdict,
        |artifact| artifact["rationale"] = json!("short"),
        &["/rationale too_small"],
    );
    check(GateVerdict, |artifact| artifact["version"] = json!(2), &["/version not_allowed"]);
    check(
        CoordinatorSignal,
        |artifact| artifact["payload"] = json!({"a": "x".repeat(20_000)}),
        &["/payload too_large"],
    );
    check(
        DifferentiationHandoff,
        |artifact| artifact["shapingHandoff"]["rabbitHoles"] = json!(["a", 1]),
        &["/shapingHandoff/rabbitHoles/1 wrong_type"],
    );
    check(
        DiscoveryHandoff,
        |artifact| artifact["keyInvariants"] = json!(["a".repeat(201)]),
        &["/keyInvariants/0 too_large"],
    );
    check(
        ShapingHandoff,
        |artifact| artifact["appetite"] = json!("a".repeat(101)),
        &["/appetite too_large"],
    );
    check(
        CapabilityObservation,
        |artifact| drop(remove(artifact, "failureCode")),
        &["/failureCode missing"],
    );
    check(
        CapabilityObservation,
        |artifact| artifact["result"] = json!("success"),
        &["/failureCode unexpected"],
    );
}

#[test]
fn what_a_contract_asks_for_in_words() {
    let words: Vec<_> =
        BuiltinContract::ALL.iter().map(|pack| pack.definition().requirements()).collect();
    insta::assert_snapshot!(words.join("\n\n"));
}

fn shuffled(reverse: bool) -> ContractDefinition {
    let mut values = ["continue", "stop", "wait"];
    let mut inner = vec![Field::required("b", Shape::Id), Field::required("a", Shape::Boolean)];
    if reverse {
        values.reverse();
        inner.reverse();
    }
    let mut fields = vec![
        Field::required("decision", Shape::one_of(&values)),
        Field::required("inner", Shape::object(inner)),
        Field::optional("count", Shape::Integer { min: 0, max: 9 }),
    ];
    if reverse {
        fields.reverse();
    }
    let contract_ref = "wr.contracts.shuffled".parse().expect("it is valid");
    ContractDefinition::new(contract_ref, "wr.shuffled", fields, json!({}))
}

// shows: WR-368
#[test]
fn the_order_in_which_fields_and_names_are_written_makes_no_difference() {
    let (one, other) = (shuffled(false), shuffled(true));
    assert_eq!(encode(&one).unwrap(), encode(&other).unwrap());
}

#[test]
fn a_definition_that_is_written_and_read_is_the_same() {
    for pack in BuiltinContract::ALL {
        let definition = pack.definition();
        let bytes = encode(&definition).unwrap();
        assert_eq!(
            serde_json::from_slice::<ContractDefinition>(bytes.as_bytes()).unwrap(),
            definition
        );
    }
}
