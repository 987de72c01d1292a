//! Problems of a file in the classic dialect: each with its place, its code and what to do.

use serde_json::{Value, json};

use super::samples::{everything, file, looped, step};
use crate::source::changed::{check_lacking, check_with, expect};
use crate::source::compile_value;

/// Sets what stands at `path` of the file with every field.
#[track_caller]
fn check(path: &str, value: Value, expected: &[&str]) {
    check_with(everything(), path, value, expected);
}

/// The same with a field taken away.
#[track_caller]
fn check_without(path: &str, expected: &[&str]) {
    check_lacking(everything(), path, expected);
}

#[test]
fn the_file_with_every_field_has_no_problem() {
    expect(&everything(), &[]);
}

// shows in part: WR-407 (fixes are suggested, and are the same each time)
#[test]
fn every_problem_of_a_file_is_reported_at_once() {
    let source = json!({
        "id": "wr.mine",
        "version": "one",
        "colour": "blue",
        "metricsProfile": "fun",
        "features": ["wr.features.closing_review"],
        "extensionPoints": [{"slotId": "known", "purpose": "x", "default": "y"}],
        "assessments": [{"id": "a", "purpose": "p", "dimensions": [{"id": "d", "purpose": "p", "levels": ["only"]}]}],
        "steps": [
            {"id": "A", "title": "", "prompt": "{{wr.bindings.unknown}} {{wr.bindings.known}}"},
            {"id": "b", "title": "B"},
            {"id": "c", "title": "C", "prompt": "x", "promptBlocks": {}, "templateCall": {}},
            {"id": "d", "title": "D", "prompt": "x", "runCondition": {"var": "x", "resembles": 3}},
            {"id": "e", "title": "E", "prompt": "x", "runCondition": {"equals": 3}},
            {"id": "f", "title": "F", "type": "loop", "loop": {"type": "when", "maxIterations": 1}, "body": []},
            {"id": "g", "title": "G", "type": "walk"},
        ],
    });
    let problems = compile_value(&source).unwrap_err();
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"));
    assert_eq!(compile_value(&source).unwrap_err(), problems);
}

#[test]
fn what_must_be_there_is_asked_for_where_it_is_missing() {
    for (path, place) in [
        ("/id", ""),
        ("/name", ""),
        ("/description", ""),
        ("/version", ""),
        ("/steps", ""),
        ("/functionDefinitions/0/definition", "/functionDefinitions/0"),
        ("/functionDefinitions/0/parameters/0/name", "/functionDefinitions/0/parameters/0"),
        ("/functionDefinitions/0/parameters/0/type", "/functionDefinitions/0/parameters/0"),
        ("/assessments/0/purpose", "/assessments/0"),
        ("/assessments/0/dimensions", "/assessments/0"),
        ("/assessments/0/dimensions/0/levels", "/assessments/0/dimensions/0"),
        ("/extensionPoints/0/purpose", "/extensionPoints/0"),
        ("/references/0/source", "/references/0"),
        ("/references/0/id", "/references/0"),
        ("/steps/0/id", "/steps/0"),
        ("/steps/0/title", "/steps/0"),
        ("/steps/0/prompt", "/steps/0"),
        ("/steps/0/validationCriteria/0/message", "/steps/0/validationCriteria/0"),
        ("/steps/0/validationCriteria/0/value", "/steps/0/validationCriteria/0"),
        ("/steps/0/assessmentConsequences/0/when", "/steps/0/assessmentConsequences/0"),
        ("/steps/0/assessmentConsequences/0/effect", "/steps/0/assessmentConsequences/0"),
        ("/steps/0/functionCalls/0/name", "/steps/0/functionCalls/0"),
        ("/steps/0/promptFragments/0/text", "/steps/0/promptFragments/0"),
        ("/steps/1/outputContract/contractRef", "/steps/1/outputContract"),
        ("/steps/2/loop", "/steps/2"),
        ("/steps/2/body", "/steps/2"),
        ("/steps/2/loop/type", "/steps/2/loop"),
        ("/steps/2/loop/maxIterations", "/steps/2/loop"),
        ("/steps/2/loop/conditionSource/kind", "/steps/2/loop/conditionSource"),
        ("/steps/2/loop/conditionSource/contractRef", "/steps/2/loop/conditionSource"),
        ("/steps/3/parallelDelegations", "/steps/3"),
        ("/steps/3/parallelDelegations/0/workflowId", "/steps/3/parallelDelegations/0"),
    ] {
        check_without(path, &[format!("missing_field {place}").as_str()]);
    }
}

#[test]
fn a_field_that_nobody_knows_is_refused_wherever_it_stands() {
    for place in [
        "",
        "/functionDefinitions/0",
        "/functionDefinitions/0/parameters/0",
        "/recommendedPreferences",
        "/assessments/0",
        "/assessments/0/dimensions/0",
        "/extensionPoints/0",
        "/references/0",
        "/steps/0",
        "/steps/0/requireConfirmation",
        "/steps/0/requireConfirmation/condition",
        "/steps/0/validationCriteria/0",
        "/steps/0/assessmentConsequences/0",
        "/steps/0/assessmentConsequences/0/when",
        "/steps/0/assessmentConsequences/0/effect",
        "/steps/0/functionCalls/0",
        "/steps/0/promptFragments/0",
        "/steps/0/verification",
        "/steps/0/audit",
        "/steps/1/promptBlocks",
        "/steps/1/runCondition",
        "/steps/1/outputContract",
        "/steps/2",
        "/steps/2/loop",
        "/steps/2/loop/conditionSource",
        "/steps/3",
        "/steps/3/parallelDelegations/0",
        "/steps/3/synthesis",
    ] {
        let path = format!("{place}/colour");
        check(&path, json!("blue"), &[format!("unknown_field {path}").as_str()]);
    }
}

#[test]
fn names_are_of_their_closed_sets() {
    for path in [
        "/modelTier",
        "/metricsProfile",
        "/steps/0/modelTier",
        "/steps/0/requireConfirmation/kind",
        "/steps/0/assessmentConsequences/0/effect/kind",
        "/steps/0/validationCriteria/0/type",
        "/steps/2/loop/type",
        "/steps/2/loop/conditionSource/kind",
        "/functionDefinitions/0/scope",
        "/functionDefinitions/0/parameters/0/type",
        "/references/0/resolveFrom",
        "/recommendedPreferences/recommendedAutonomy",
    ] {
        check(path, json!("wild"), &[format!("unknown_name {path}").as_str()]);
    }
    check("/steps/0/type", json!("walk"), &["unknown_name /steps/0/type"]);
}

#[test]
fn values_are_of_their_type_and_size() {
    check("/version", json!("1.0"), &["invalid_id /version"]);
    check("/version", json!(1), &["wrong_type /version"]);
    check(
        "/steps/0/requireConfirmation",
        json!("yes"),
        &["wrong_type /steps/0/requireConfirmation"],
    );
    check("/steps/0/runCondition", json!("a > b"), &["wrong_type /steps/0/runCondition"]);
    check("/steps/1/runCondition/or", json!({}), &["wrong_type /steps/1/runCondition/or"]);
    check("/steps/1/runCondition/or", json!([]), &["empty /steps/1/runCondition/or"]);
    check(
        "/steps/1/runCondition/or/0/gte",
        json!("3"),
        &["wrong_type /steps/1/runCondition/or/0/gte"],
    );
    check("/steps/2/loop/maxIterations", json!(0), &["out_of_range /steps/2/loop/maxIterations"]);
    check(
        "/steps/2/loop/maxIterations",
        json!(1001),
        &["out_of_range /steps/2/loop/maxIterations"],
    );
    check(
        "/steps/2/loop/iterationVar",
        json!("my turn"),
        &["invalid_id /steps/2/loop/iterationVar"],
    );
    check("/steps/2/body", json!([]), &["empty /steps/2/body"]);
    check("/steps/0/title", json!("x".repeat(257)), &["too_long /steps/0/title"]);
    check(
        "/steps/0/functionReferences/0",
        json!("a b"),
        &["invalid_id /steps/0/functionReferences/0"],
    );
    check(
        "/steps/0/validationCriteria/1/flags",
        json!("y"),
        &["unsupported_pattern /steps/0/validationCriteria/1/flags"],
    );
    check(
        "/steps/0/validationCriteria/1/pattern",
        json!("(?=a)"),
        &["unsupported_pattern /steps/0/validationCriteria/1/pattern"],
    );
    check(
        "/assessments/0/dimensions/0/levels",
        json!(["a"]),
        &["out_of_range /assessments/0/dimensions/0/levels"],
    );
    check(
        "/assessments/0/dimensions/0/levels",
        json!(["Clear", "vague", "clear"]),
        &["duplicate_id /assessments/0/dimensions/0/levels"],
    );
    check(
        "/assessments/0/dimensions/1/id",
        json!("scope"),
        &["duplicate_id /assessments/0/dimensions"],
    );
}

#[test]
fn a_rule_with_a_schema_is_refused_and_says_what_to_use() {
    let rule = json!({"type": "schema", "schema": {"type": "object"}, "message": "No."});
    check(
        "/steps/0/validationCriteria/0",
        rule,
        &["inline_schema /steps/0/validationCriteria/0/type"],
    );
}

#[test]
fn conditions_are_bounded() {
    let mut deep = json!({"var": "x"});
    for _ in 0..9 {
        deep = json!({"not": deep});
    }
    let path = format!("too_deep /steps/1/runCondition{}", "/not".repeat(9));
    check("/steps/1/runCondition", deep, &[path.as_str()]);
    let many = json!({"and": vec![json!({"var": "x"}); 33]});
    check("/steps/1/runCondition", many, &["too_many /steps/1/runCondition/and"]);
    let large = json!({"var": "x", "in": vec![json!("a long name"); 400]});
    check("/steps/1/runCondition", large, &["too_long /steps/1/runCondition/in"]);
    let beyond = json!({"var": "x", "equals": 1_u64 << 60});
    check("/steps/1/runCondition", beyond, &["out_of_range /steps/1/runCondition/equals"]);
}

#[test]
fn what_is_referred_to_must_be_there() {
    check(
        "/steps/0/assessmentRefs",
        json!(["other"]),
        &["unresolved_reference /steps/0/assessmentRefs/0"],
    );
    check(
        "/steps/0/assessmentConsequences/0/when/anyEqualsLevel",
        json!("huge"),
        &["unresolved_reference /steps/0/assessmentConsequences/0/when"],
    );
    check(
        "/steps/0/functionReferences/0",
        json!("nobody()"),
        &["unresolved_reference /steps/0/functionReferences/0"],
    );
    check(
        "/steps/0/functionCalls/0/name",
        json!("nobody"),
        &["unresolved_reference /steps/0/functionCalls/0/name"],
    );
    check("/features/0", json!("wr.features.orientation"), &["unresolved_reference /features/0"]);
    check(
        "/steps/1/outputContract/contractRef",
        json!("wr.contracts.mine"),
        &["unresolved_reference /steps/1/outputContract/contractRef"],
    );
    check("/steps/0/prompt", json!("{{wr.bindings.nobody}}"), &["interpolation /steps/0/prompt"]);
    check("/steps/0/prompt", json!("{{ wr.other }}"), &["interpolation /steps/0/prompt"]);
    check("/steps/2/body", json!("nobody"), &["unresolved_reference /steps/2/body"]);
}

// shows in part: WR-020 (in a workflow file of the classic dialect)
#[test]
fn ids_are_safe_to_join() {
    // The id of a loop in this dialect is that of its step.
    for path in ["/steps/0/id", "/steps/2/id", "/steps/2/body/0/id"] {
        for id in ["a/b", "a@b", "a:b", "a.b", "a b", "A", "ü", ""] {
            check(path, json!(id), &[&format!("invalid_id {path}")]);
        }
    }
}

#[test]
fn ids_are_used_once() {
    check("/steps/1/id", json!("plan"), &["duplicate_id /steps/1/id"]);
    check("/steps/1/id", json!("plan--audit"), &["duplicate_id /steps/1/id"]);
    check("/steps/2/body/0/id", json!("plan"), &["duplicate_id /steps/2/body/0/id"]);
    check("/steps/3/id", json!("rounds"), &["duplicate_id /steps/3/id"]);
    check("/steps/0/id", json!("p".repeat(125)), &["invalid_id /steps/0/id"]);
}

#[test]
fn a_loop_needs_something_that_says_when_it_ends() {
    let none = json!({"type": "while", "maxIterations": 3});
    expect(
        &file(&json!([looped("l", &none, &json!([step("one")]))])),
        &["loop_without_control /steps/0/loop"],
    );
    check_without("/steps/2/body/1/outputContract", &["loop_without_control /steps/2/body"]);
    check(
        "/steps/2/loop/conditionSource/contractRef",
        json!("wr.contracts.assessment"),
        &["loop_without_control /steps/2/loop/conditionSource/contractRef"],
    );
    let count = json!({"type": "for", "maxIterations": 3});
    expect(
        &file(&json!([looped("l", &count, &json!([step("one")]))])),
        &["missing_field /steps/0/loop"],
    );
    let items = json!({"type": "forEach", "maxIterations": 3});
    expect(
        &file(&json!([looped("l", &items, &json!([step("one")]))])),
        &["missing_field /steps/0/loop"],
    );
    let mixed = json!({"type": "for", "count": 3, "items": "files", "maxIterations": 3});
    expect(
        &file(&json!([looped("l", &mixed, &json!([step("one")]))])),
        &["unknown_field /steps/0/loop/items"],
    );
}

#[test]
fn a_step_is_the_body_of_one_loop_and_no_loop_lies_inside_itself() {
    let turning = json!({"type": "for", "count": 1, "maxIterations": 1});
    let of = |id: &str, body: &str| looped(id, &turning, &json!(body));
    expect(
        &file(&json!([of("a", "one"), of("b", "one"), step("one")])),
        &["duplicate_id /steps/1/body"],
    );
    expect(&file(&json!([of("a", "b"), of("b", "a")])), &["unresolved_reference /steps"]);
    expect(&file(&json!([of("a", "a")])), &["unresolved_reference /steps"]);
}

#[test]
fn loops_lie_inside_each_other_up_to_a_depth_in_either_form() {
    let turning = json!({"type": "for", "count": 1, "maxIterations": 1});
    let nested = |depth: usize| {
        let mut body = json!([step("one")]);
        for level in 0..depth {
            body = json!([looped(&format!("l{level}"), &turning, &body)]);
        }
        file(&body)
    };
    expect(&nested(8), &[]);
    let at = format!("/steps/0{}", "/body/0".repeat(8));
    expect(&nested(9), &[format!("too_deep {at}").as_str()]);
    let named = |depth: usize| {
        let mut steps: Vec<_> = (0..depth)
            .map(|level| looped(&format!("l{level}"), &turning, &json!(format!("l{}", level + 1))))
            .collect();
        steps.push(step(&format!("l{depth}")));
        file(&json!(steps))
    };
    expect(&named(8), &[]);
    expect(&named(9), &["too_deep /steps/8"]);
}

#[test]
fn prompts_that_leave_no_room_for_what_is_filled_in_are_refused() {
    let mut source = file(&json!([step("one")]));
    source["metaGuidance"] = json!(vec!["x".repeat(2048); 64]);
    source["preconditions"] = source["metaGuidance"].clone();
    source["clarificationPrompts"] = source["metaGuidance"].clone();
    source["steps"][0]["guidance"] = source["metaGuidance"].clone();
    expect(&source, &["over_budget /steps/0"]);
}
