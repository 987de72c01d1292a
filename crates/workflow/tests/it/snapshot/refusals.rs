//! What is not a snapshot.

use piton_core::Code;
use piton_workflow::bounds::{
    ITERATION_MAX, LOOP_DEPTH_MAX, RENDERED_PROMPT_BYTES_MAX, SNAPSHOT_PROBLEM_BYTES_MAX,
    STEP_TITLE_BYTES_MAX,
};
use piton_workflow::{ExecutionSnapshot, SnapshotError};
use serde_json::{Value, json};

use super::samples::snapshots;

/// A snapshot with loops, completed steps and a pending step.
fn whole() -> Value {
    serde_json::to_value(&snapshots()[2]).unwrap()
}

/// The same with one value replaced.
fn with(pointer: &str, value: Value) -> Value {
    let mut whole = whole();
    *whole.pointer_mut(pointer).expect(pointer) = value;
    whole
}

/// What is wrong with a value, which no way of reading accepts.
fn refused(value: &Value) -> SnapshotError {
    assert!(serde_json::from_value::<ExecutionSnapshot>(value.clone()).is_err(), "{value}");
    // Keys are in order, so this is canonical.
    ExecutionSnapshot::decode(value.to_string().as_bytes()).expect_err("it is refused")
}

fn is_malformed(error: &SnapshotError) -> bool {
    error.code() == Code::StoreInvariantViolation
        && matches!(error, SnapshotError::Malformed { .. })
}

const STATE: &str = "/enginePayload/state";

/// The places of all objects in `value`.
fn objects(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            found.push(pointer.to_owned());
            for (key, value) in object {
                objects(value, &format!("{pointer}/{key}"), found);
            }
        }
        Value::Array(array) => {
            for (place, value) in array.iter().enumerate() {
                objects(value, &format!("{pointer}/{place}"), found);
            }
        }
        _ => {}
    }
}

// shows: WR-203, WR-204, WR-208
#[test]
fn every_field_is_required_and_no_other_is_allowed() {
    for snapshot in snapshots() {
        let whole = serde_json::to_value(&snapshot).unwrap();
        let mut places = Vec::new();
        objects(&whole, "", &mut places);
        for place in places {
            let object = whole.pointer(&place).unwrap().as_object().unwrap().clone();
            let change = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
                let mut changed = whole.clone();
                change(changed.pointer_mut(&place).unwrap().as_object_mut().unwrap());
                refused(&changed)
            };
            for field in object.keys() {
                let error = change(&|object| drop(object.remove(field)));
                assert!(is_malformed(&error), "{place}/{field} is missing: {error}");
                let error = change(&|object| drop(object.insert(field.clone(), Value::Null)));
                assert!(is_malformed(&error), "{place}/{field} is null: {error}");
            }
            for extra in ["recap", "timestampMs", "aFirst"] {
                let error = change(&|object| drop(object.insert(extra.to_owned(), json!("x"))));
                assert!(is_malformed(&error), "{place}/{extra}: {error}");
            }
        }
    }
}

// shows: WR-203
#[test]
fn a_blob_without_types_or_with_another_version_is_no_snapshot() {
    for text in ["", "{}", "[]", "null", "\"opaque\"", "{\"v\":1}", "{\"state\":\"opaque\"}"] {
        let error = ExecutionSnapshot::decode(text.as_bytes()).unwrap_err();
        assert!(is_malformed(&error), "{text}: {error}");
    }
    for pointer in ["/v", "/enginePayload/v"] {
        for version in [0, 2, u64::MAX] {
            let error = refused(&with(pointer, json!(version)));
            assert_eq!(error, SnapshotError::UnsupportedVersion { found: version }, "{pointer}");
            assert_eq!(error.code(), Code::StoreUnsupportedVersion);
        }
        for version in [json!("1"), json!(1.5), json!(-1), json!(true)] {
            assert!(is_malformed(&refused(&with(pointer, version))), "{pointer}");
        }
    }
    let later = json!({"v": 2, "anything": ["else"]});
    assert_eq!(refused(&later), SnapshotError::UnsupportedVersion { found: 2 });
}

// shows: WR-207
#[test]
fn a_state_is_one_of_three_and_never_a_boolean() {
    for state in [
        json!({"kind": "done"}),
        json!({"kind": "Init"}),
        json!({"isComplete": true}),
        json!(true),
        json!("complete"),
    ] {
        assert!(is_malformed(&refused(&with(STATE, state.clone()))), "{state}");
    }
}

// shows: WR-208
#[test]
fn a_pending_step_is_none_or_some_and_never_null() {
    for pending in
        [json!(null), json!({}), json!({"kind": "maybe"}), json!({"kind": "some"}), json!([])]
    {
        let value = with("/enginePayload/state/pending", pending.clone());
        assert!(is_malformed(&refused(&value)), "{pending}");
    }
}

// shows: WR-209
#[test]
fn a_pending_step_that_is_completed_is_refused() {
    let values = json!(["collect", "outer@0/inner@2::triage"]);
    let error = refused(&with("/enginePayload/state/completed/values", values));
    let key = "outer@0/inner@2::triage".parse().unwrap();
    assert_eq!(error, SnapshotError::PendingCompleted { key });
}

fn with_loops(stack: &Value, path: &Value) -> Value {
    let mut value = with("/enginePayload/state/loopStack", stack.clone());
    *value.pointer_mut("/enginePayload/state/pending/step/loopPath").unwrap() = path.clone();
    value
}

// shows: WR-210
#[test]
fn a_loop_that_is_twice_on_the_stack_is_refused() {
    let stack = json!([
        {"iteration": 0, "loopId": "outer"},
        {"iteration": 1, "loopId": "inner"},
        {"iteration": 2, "loopId": "outer"},
    ]);
    let error = refused(&with_loops(&stack, &stack));
    let said = "the loop stack is impossible: the loop `outer` cannot lie inside itself";
    assert_eq!(error.to_string(), said);
    assert_eq!(error.code(), Code::StoreInvariantViolation);
}

#[test]
fn a_stack_that_is_too_deep_or_turns_too_often_is_refused() {
    let position = |depth| json!({"iteration": 0, "loopId": format!("l{depth}")});
    let deep: Value = (0..=LOOP_DEPTH_MAX).map(position).collect();
    let error = refused(&with_loops(&deep, &deep));
    assert!(matches!(error, SnapshotError::LoopStack(_)), "{error}");
    let late = json!([{"iteration": ITERATION_MAX + 1, "loopId": "outer"}]);
    let error = refused(&with_loops(&late, &late));
    assert!(matches!(error, SnapshotError::Iteration(_)), "{error}");
}

// shows: WR-211
#[test]
fn a_pending_step_elsewhere_than_the_stack_is_refused() {
    let at = |loop_id: &str, iteration: u32| json!({"iteration": iteration, "loopId": loop_id});
    let stack = json!([at("outer", 0), at("inner", 2)]);
    for path in [
        json!([]),
        json!([at("outer", 0)]),
        json!([at("outer", 0), at("inner", 2), at("third", 0)]),
        json!([at("outer", 0), at("other", 2)]),
        json!([at("outer", 0), at("inner", 1)]),
        json!([at("inner", 2), at("outer", 0)]),
    ] {
        let error = refused(&with_loops(&stack, &path));
        let step_id = "triage".parse().unwrap();
        assert_eq!(error, SnapshotError::PendingElsewhere { step_id }, "{path}");
    }
}

// shows: WR-212
#[test]
fn completed_steps_that_are_not_sorted_or_not_distinct_or_not_wrapped_are_refused() {
    for (values, late) in [
        (json!(["b", "a"]), "a"),
        (json!(["a", "a"]), "a"),
        (json!(["a", "b", "c", "b"]), "b"),
        (json!(["l@9::s", "l@10::s"]), "l@10::s"),
    ] {
        let error = refused(&with("/enginePayload/state/completed/values", values));
        let key = late.parse().unwrap();
        assert_eq!(error, SnapshotError::CompletedNotSorted { key });
    }
    for bare in [json!(["collect"]), json!({"kind": "list", "values": ["collect"]})] {
        assert!(is_malformed(&refused(&with("/enginePayload/state/completed", bare))));
    }
    for key in ["", "A", "a@01::s", "outer@0"] {
        let value = with("/enginePayload/state/completed/values", json!([key]));
        assert!(is_malformed(&refused(&value)), "{key}");
    }
}

#[test]
fn texts_are_bounded() {
    for (field, max) in [("title", STEP_TITLE_BYTES_MAX), ("prompt", RENDERED_PROMPT_BYTES_MAX)] {
        let pointer = format!("/enginePayload/state/pending/step/{field}");
        let fits = with(&pointer, json!("x".repeat(max))).to_string();
        assert!(ExecutionSnapshot::decode(fits.as_bytes()).is_ok(), "{field}");
        assert!(is_malformed(&refused(&with(&pointer, json!("x".repeat(max + 1))))), "{field}");
    }
}

#[test]
fn a_snapshot_that_is_written_in_another_way_is_refused() {
    let text = snapshots()[2].encode().as_str().to_owned();
    for other in [
        format!("{text}\n"),
        text.replacen(':', ": ", 1),
        text.replacen("Triage", "\\u0054riage", 1),
        text.replacen("{\"enginePayload\"", "{\"v\":1,\"enginePayload\"", 1)
            .replace(",\"v\":1,\"w", ",\"w"),
    ] {
        assert_ne!(other, text);
        let error = ExecutionSnapshot::decode(other.as_bytes()).unwrap_err();
        assert_eq!(error, SnapshotError::NotCanonical, "{other}");
    }
    let twice = text.replacen("{\"enginePayload\"", "{\"v\":1,\"enginePayload\"", 1);
    assert!(is_malformed(&ExecutionSnapshot::decode(twice.as_bytes()).unwrap_err()));
}

#[test]
fn what_is_said_about_a_damaged_snapshot_is_short() {
    let value = with(STATE, json!({"kind": "x".repeat(5000)}));
    let SnapshotError::Malformed { problem } = refused(&value) else {
        panic!("it has no such state");
    };
    assert!(problem.len() <= SNAPSHOT_PROBLEM_BYTES_MAX, "{}", problem.len());
}
