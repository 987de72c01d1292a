//! Attempts, and what blocks them.

use piton_core::BoundedText;
use piton_workflow::BlockerCode;
use piton_workflow::event::{BlockerReport, PayloadError, Pointer};
use serde_json::{Value, json};

use super::sample::{AT_ROOT, NEXT, advanced, blocked, blocker, data, pointers, with_data};

fn step(name: &str) -> Pointer {
    Pointer::WorkflowStep { step_id: name.parse().unwrap() }
}

// shows: WR-137
#[test]
fn an_outcome_is_blocked_or_advanced_and_never_both() {
    let body = advanced(AT_ROOT, NEXT);
    let whole = data(&body);
    let report = data(&blocked(vec![blocker(BlockerCode::UserOnlyDependency, step("a"))]))
        ["outcome"]["blockers"]
        .clone();
    let table = [
        (json!({"kind": "advanced", "toNodeId": NEXT}), true),
        (json!({"kind": "blocked", "blockers": report}), true),
        (json!({"kind": "advanced", "toNodeId": NEXT, "blockers": report}), false),
        (json!({"kind": "blocked", "toNodeId": NEXT, "blockers": report}), false),
        (json!({"kind": "advanced", "blockers": report}), false),
        (json!({"kind": "blocked"}), false),
        (json!({"toNodeId": NEXT}), false),
        (json!({"kind": "skipped"}), false),
    ];
    for (outcome, fine) in table {
        let mut other = whole.clone();
        other["outcome"] = outcome.clone();
        assert_eq!(with_data(&body, &other).is_ok(), fine, "{outcome}");
    }
}

// shows: WR-267
// shows in part: WR-274 (too many)
// shows in part: WR-552 (empty and full lists)
#[test]
fn a_report_holds_one_to_ten_blockers() {
    for (count, fine) in [(0, false), (1, true), (10, true), (11, false)] {
        let one = blocker(BlockerCode::UserOnlyDependency, step("a"));
        let made = BlockerReport::new(vec![one.clone(); count]);
        assert_eq!(made.is_ok(), fine, "{count}");
        let body = blocked(vec![one.clone()]);
        let mut whole = data(&body);
        whole["outcome"]["blockers"]["blockers"] =
            Value::Array(vec![serde_json::to_value(&one).unwrap(); count]);
        assert_eq!(with_data(&body, &whole).is_ok(), fine, "{count}");
    }
    let none = BlockerReport::new(vec![]);
    assert_eq!(none, Err(PayloadError::Count { found: 0, max: 10 }));
}

// shows: WR-275
// shows in part: WR-552 (the order of equals)
#[test]
fn blockers_are_sorted_by_code_then_pointer_whatever_order_they_were_found_in() {
    let mut blockers = Vec::new();
    for code in [BlockerCode::UserOnlyDependency, BlockerCode::InvalidRequiredOutput] {
        for pointer in pointers().into_iter().chain([step("alpha"), step("zeta")]) {
            blockers.push(blocker(code, pointer));
        }
    }
    blockers.truncate(10);
    let sorted = blocked(blockers.clone());
    let texts: Vec<[String; 3]> = data(&sorted)["outcome"]["blockers"]["blockers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let pointer = &one["pointer"];
            let field = pointer.as_object().unwrap().iter().find(|(key, _)| *key != "kind");
            let field = field.map_or(String::new(), |(_, value)| value.to_string());
            [one["code"].to_string(), pointer["kind"].to_string(), field]
        })
        .collect();
    assert!(texts.is_sorted(), "{texts:?}");
    for turn in 0..blockers.len() {
        blockers.rotate_left(1);
        blockers.swap(0, turn);
        assert_eq!(blocked(blockers.clone()), sorted);
    }
}

#[test]
fn two_blockers_at_one_place_are_sorted_by_their_text() {
    let one = blocker(BlockerCode::UserOnlyDependency, step("a"));
    let mut other = one.clone();
    other.message = BoundedText::new("A").unwrap();
    assert_eq!(blocked(vec![one.clone(), other.clone()]), blocked(vec![other, one]));
}

#[test]
fn a_stored_report_that_is_not_sorted_is_refused() {
    let body = blocked(vec![
        blocker(BlockerCode::UserOnlyDependency, step("a")),
        blocker(BlockerCode::UserOnlyDependency, step("b")),
    ]);
    let mut whole = data(&body);
    whole["outcome"]["blockers"]["blockers"].as_array_mut().unwrap().reverse();
    assert!(with_data(&body, &whole).unwrap_err().contains("not sorted"));
}

// shows: WR-272, WR-273, WR-274
// shows in part: WR-552 (budgets, to the byte)
#[test]
fn a_text_over_its_budget_is_refused_and_never_cut() {
    let body = blocked(vec![blocker(BlockerCode::UserOnlyDependency, step("a"))]);
    for (field, max) in [("message", 512), ("suggestedFix", 1024)] {
        for (text, fine) in [
            ("x".repeat(max), true),
            ("x".repeat(max + 1), false),
            ("ü".repeat(max / 2), true),
            ("ü".repeat(max / 2) + "x", false),
        ] {
            let mut whole = data(&body);
            whole["outcome"]["blockers"]["blockers"][0][field] = json!(text);
            let read = with_data(&body, &whole);
            assert_eq!(read.is_ok(), fine, "{field} {}", text.len());
            if let Ok(event) = read {
                assert_eq!(data(event.body()), whole);
            }
        }
    }
    assert!(BoundedText::<512>::new("x".repeat(513)).is_err());
}

// shows: WR-270
#[test]
fn a_pointer_is_one_of_five_and_has_the_fields_of_its_kind() {
    let body = blocked(vec![blocker(BlockerCode::UserOnlyDependency, step("a"))]);
    let table = [
        (json!({"kind": "context_key", "key": "ticket_id"}), true),
        (json!({"kind": "context_key", "key": "ticketId"}), false),
        (json!({"kind": "context_key"}), false),
        (json!({"kind": "context_budget"}), true),
        (json!({"kind": "context_budget", "key": "a"}), false),
        (json!({"kind": "output_contract", "contractRef": "wr.contracts.loop_control"}), true),
        (json!({"kind": "output_contract", "contractRef": "loop control"}), false),
        (json!({"kind": "capability", "capability": "web_browsing"}), true),
        (json!({"kind": "capability", "capability": "flying"}), false),
        (json!({"kind": "workflow_step", "stepId": "triage"}), true),
        (json!({"kind": "workflow_step", "stepId": "a/b"}), false),
        (json!({"kind": "workflow_step", "key": "triage"}), false),
        (json!({"kind": "file", "path": "a"}), false),
    ];
    for (pointer, fine) in table {
        let mut whole = data(&body);
        whole["outcome"]["blockers"]["blockers"][0]["pointer"] = pointer.clone();
        assert_eq!(with_data(&body, &whole).is_ok(), fine, "{pointer}");
    }
}

#[test]
fn details_are_a_loop_limit_or_absent() {
    let body = blocked(vec![blocker(BlockerCode::InvalidRequiredOutput, step("a"))]);
    let limit = json!({"kind": "loop_limit", "loopId": "a", "iteration": 2, "maxIterations": 3});
    let mut large = limit.clone();
    large["iteration"] = json!(1_000_000);
    for (details, fine) in [(limit, true), (large, false), (json!({"kind": "other"}), false)] {
        let mut whole = data(&body);
        whole["outcome"]["blockers"]["blockers"][0]["details"] = details.clone();
        assert_eq!(with_data(&body, &whole).is_ok(), fine, "{details}");
    }
}
