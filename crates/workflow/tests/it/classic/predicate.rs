//! Conditions on the context of a run.

use piton_workflow::compile::CompiledStep;
use piton_workflow::predicate::{Predicate, PredicateScope};
use serde_json::{Map, Value, json};

use super::samples::{compiled, entries, file, step_if};

/// The condition as it is compiled.
#[track_caller]
fn predicate(condition: &Value) -> Predicate {
    let workflow = compiled(&file(&json!([step_if("one", condition)])));
    let CompiledStep { run_condition, .. } = &workflow.steps[0];
    run_condition.clone().expect("the step has a condition")
}

#[track_caller]
fn check(condition: &Value, context: &Value, expected: bool) {
    let context = entries(context);
    let holds = predicate(condition).holds(&PredicateScope::new(&context));
    assert_eq!(holds, expected, "{condition} over {context:?}");
}

#[test]
fn equality_is_lenient() {
    for (value, operand, expected) in [
        (json!("Fast"), json!("fast"), true),
        (json!("  fast "), json!("FAST"), true),
        (json!("faster"), json!("fast"), false),
        (json!("5"), json!(5), true),
        (json!(5), json!("5"), true),
        (json!(5), json!(5.0), true),
        (json!("five"), json!(5), false),
        (json!("yes"), json!(true), true),
        (json!("True"), json!(true), true),
        (json!("1"), json!(true), true),
        (json!(1), json!(true), true),
        (json!("no"), json!(false), true),
        (json!("no"), json!(true), false),
        (json!("maybe"), json!(true), false),
        (json!("maybe"), json!(false), false),
        (json!(true), json!("yes"), true),
        (json!(null), json!(null), true),
        (json!(null), json!(false), false),
        (json!([1, 2]), json!([1, 2]), true),
        (json!([1, 2]), json!([2, 1]), false),
        (json!({"a": 1}), json!({"a": 1}), true),
    ] {
        check(&json!({"var": "x", "equals": operand}), &json!({"x": value}), expected);
        check(&json!({"var": "x", "not_equals": operand}), &json!({"x": value}), !expected);
    }
    check(&json!({"var": "x", "equals": null}), &json!({}), true);
    check(&json!({"var": "x", "not_equals": "a"}), &json!({}), true);
}

#[test]
fn an_order_is_between_numbers_only() {
    for (operator, below, same, above) in [
        ("gt", false, false, true),
        ("gte", false, true, true),
        ("lt", true, false, false),
        ("lte", true, true, false),
    ] {
        for (value, expected) in [(json!(2), below), (json!(3), same), (json!(3.5), above)] {
            check(&json!({"var": "x", operator: 3}), &json!({"x": value}), expected);
        }
        check(&json!({"var": "x", operator: 3}), &json!({"x": "4"}), false);
        check(&json!({"var": "x", operator: 3}), &json!({}), false);
        check(&json!({"var": "x", operator: 3}), &json!({"x": [4]}), false);
    }
}

#[test]
fn texts_and_lists_are_looked_into() {
    for (condition, value, expected) in [
        (json!({"var": "x", "contains": "B"}), json!("abc"), true),
        (json!({"var": "x", "contains": "d"}), json!("abc"), false),
        (json!({"var": "x", "contains": "B"}), json!(["a", "b"]), true),
        (json!({"var": "x", "contains": 2}), json!(["1", "2"]), true),
        (json!({"var": "x", "contains": 2}), json!(2), false),
        (json!({"var": "x", "in": ["a", "B"]}), json!("b"), true),
        (json!({"var": "x", "in": ["a", "B"]}), json!("c"), false),
        (json!({"var": "x", "in": [1, 2]}), json!("2"), true),
        (json!({"var": "x", "startsWith": "feat/"}), json!("Feat/search"), true),
        (json!({"var": "x", "startsWith": "feat/"}), json!("fix/feat/"), false),
        (json!({"var": "x", "startsWith": "f"}), json!(7), false),
        (json!({"var": "x", "endsWith": ".RS"}), json!("lib.rs"), true),
        (json!({"var": "x", "endsWith": ".rs"}), json!("lib.rst"), false),
        (json!({"var": "x", "matches": "^v\\d+$"}), json!("v12"), true),
        (json!({"var": "x", "matches": "^v\\d+$"}), json!("V12"), false),
        (json!({"var": "x", "matches": "1"}), json!(1), false),
    ] {
        check(&condition, &json!({"x": value}), expected);
    }
}

#[test]
fn a_variable_alone_asks_whether_it_is_set_and_does_not_say_no() {
    for (value, expected) in [
        (json!(true), true),
        (json!(false), false),
        (json!(null), false),
        (json!(0), false),
        (json!(7), true),
        (json!(""), false),
        (json!("  "), false),
        (json!("no"), false),
        (json!("false"), false),
        (json!("later"), true),
        (json!([]), true),
        (json!({}), true),
    ] {
        check(&json!({"var": "x"}), &json!({"x": value}), expected);
    }
    check(&json!({"var": "x"}), &json!({}), false);
}

#[test]
fn conditions_are_joined() {
    let (yes, no) = (json!({"var": "a"}), json!({"var": "b"}));
    let context = json!({"a": 1});
    for (condition, expected) in [
        (json!({"and": [yes, yes]}), true),
        (json!({"and": [yes, no]}), false),
        (json!({"or": [no, yes]}), true),
        (json!({"or": [no, no]}), false),
        (json!({"not": no}), true),
        (json!({"not": yes}), false),
        (json!({"and": [yes, {"or": [no, {"not": no}]}]}), true),
        (json!({"and": [yes], "not": yes}), false),
        (json!({"var": "a", "gte": 1, "lte": 3}), true),
        (json!({"var": "a", "gte": 1, "lte": 0}), false),
        (json!({"var": "a", "and": [no]}), false),
        (json!({}), true),
    ] {
        check(&condition, &context, expected);
    }
}

#[test]
fn a_path_leads_into_objects_and_lists_and_a_variable_of_that_very_name_comes_first() {
    let context =
        json!({"plan": {"files": [{"name": "a"}, {"name": "b"}]}, "a.b": 1, "a": {"b": 2}});
    check(&json!({"var": "plan.files.1.name", "equals": "b"}), &context, true);
    check(&json!({"var": "plan.files.2.name"}), &context, false);
    check(&json!({"var": "plan.files.x"}), &context, false);
    check(&json!({"var": "plan.files.0.name.more"}), &context, false);
    check(&json!({"var": "a.b", "equals": 1}), &context, true);
}

#[test]
fn variables_of_inner_loops_hide_those_around_them() {
    let context: Map<_, _> = entries(&json!({"item": "context", "other": 1}));
    let scope =
        PredicateScope::new(&context).with("item", json!("outer")).with("item", json!({"x": 2}));
    assert_eq!(scope.get("item.x"), Some(&json!(2)));
    assert_eq!(scope.get("other"), Some(&json!(1)));
    assert_eq!(scope.get("nobody"), None);
}

#[test]
fn a_condition_reads_as_a_sentence() {
    let condition = json!({"or": [
        {"var": "a", "equals": "x", "gte": 3},
        {"not": {"var": "b", "in": [1, 2]}},
        {"var": "c"},
        {"var": "d", "matches": "^v"},
    ]});
    assert_eq!(
        predicate(&condition).to_string(),
        "(`a` is \"x\" and `a` is at least 3) or not (`b` is one of [1,2]) or `c` is set or `d` matches ^v"
    );
}
