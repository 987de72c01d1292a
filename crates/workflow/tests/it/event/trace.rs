//! Decision traces and their budgets.

use piton_core::{TraceId, canonical};
use piton_workflow::TraceEntryKind;
use piton_workflow::event::{DecisionTraceAppended, PayloadError, TraceEntry, TraceRef};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::sample::{data, trace, trace_refs, with_data};

const MARKER: &str = "\n\n[TRUNCATED]";

fn entry(summary: &str, refs: Vec<TraceRef>) -> TraceEntry {
    TraceEntry::new(TraceEntryKind::EvaluatedCondition, summary, refs).unwrap()
}

fn made(entries: Vec<TraceEntry>) -> DecisionTraceAppended {
    DecisionTraceAppended::new(TraceId::from_bytes([1; 16]), entries).unwrap()
}

fn size(trace: &DecisionTraceAppended) -> usize {
    canonical::encode(trace).unwrap().len()
}

fn long_refs() -> Vec<TraceRef> {
    vec![TraceRef::ConditionId { condition_id: "c".repeat(128).parse().unwrap() }; 10]
}

fn check(entries: &Value, fine: bool) {
    let body = trace(vec![entry("a", vec![])]);
    let mut whole = data(&body);
    whole["entries"] = entries.clone();
    assert_eq!(with_data(&body, &whole).is_ok(), fine, "{entries}");
}

// shows: WR-193, WR-196, WR-197, WR-198
// shows in part: WR-552 (empty and full lists, and texts to the byte)
#[test]
fn a_stored_trace_keeps_every_budget() {
    let entry = |bytes: usize| json!({"kind": "exited_loop", "summary": "x".repeat(bytes)});
    for (count, fine) in [(0, false), (1, true), (25, true), (26, false)] {
        check(&Value::Array(vec![entry(1); count]), fine);
    }
    check(&json!([entry(512)]), true);
    check(&json!([entry(513)]), false);
    for (count, fine) in [(0, false), (1, true), (10, true), (11, false)] {
        let mut one = entry(1);
        one["refs"] = Value::Array(vec![json!({"kind": "iteration", "value": 0}); count]);
        check(&json!([one]), fine);
    }
}

// shows: WR-195
#[test]
fn refs_are_a_list_of_a_closed_union() {
    let with = |refs: Value| json!([{"kind": "entered_loop", "summary": "", "refs": refs}]);
    check(&with(serde_json::to_value(trace_refs()).unwrap()), true);
    check(&with(json!({"stepId": "triage"})), false);
    check(&with(json!([{"stepId": "triage"}])), false);
    check(&with(json!([{"kind": "step_id", "loopId": "triage"}])), false);
    check(&with(json!([{"kind": "step_id", "stepId": "Triage"}])), false);
    check(&with(json!([{"kind": "iteration", "value": -1}])), false);
    check(&with(json!([{"kind": "iteration", "value": 1_000_000}])), false);
    check(&with(json!([{"kind": "other", "value": 1}])), false);
}

// shows: WR-199
#[test]
fn a_stored_trace_of_8192_bytes_is_read_and_a_larger_one_is_refused() {
    let body = trace(vec![entry("a", vec![])]);
    let mut whole = data(&body);
    let full = json!({"kind": "exited_loop", "summary": "x".repeat(512)});
    let mut entries = vec![full; 14];
    entries.push(json!({"kind": "exited_loop", "summary": ""}));
    whole["entries"] = json!(entries);
    let missing = 8192 - canonical::encode(&whole).unwrap().len();
    for (more, fine) in [(0, true), (1, false)] {
        whole["entries"][14]["summary"] = json!("x".repeat(missing + more));
        assert_eq!(with_data(&body, &whole).is_ok(), fine, "{more}");
    }
}

// shows: WR-198, WR-200
#[test]
fn a_summary_that_is_too_long_is_cut_and_marked() {
    let entry = entry(&"ü".repeat(257), vec![]);
    assert_eq!(entry.summary.as_str(), "ü".repeat((512 - MARKER.len()) / 2) + MARKER);
}

#[test]
fn more_than_ten_refs_of_one_entry_are_an_error() {
    let mut refs = long_refs();
    refs.push(refs[0].clone());
    let made = TraceEntry::new(TraceEntryKind::EnteredLoop, "a", refs);
    assert_eq!(made, Err(PayloadError::Count { found: 11, max: 10 }));
}

// shows: WR-197, WR-200
// shows in part: WR-552 (a list that is cut)
#[test]
fn of_more_than_25_entries_the_first_25_are_kept_and_the_last_of_them_says_so() {
    let entries: Vec<_> = (0..30).map(|number| entry(&format!("entry {number}"), vec![])).collect();
    let trace = made(entries.clone());
    assert_eq!(trace.entries()[..24], entries[..24]);
    assert_eq!(trace.entries().len(), 25);
    assert_eq!(trace.entries()[24].summary.as_str(), format!("entry 24{MARKER}"));
}

// shows: WR-199, WR-200
// shows: WR-552 (with a_report_holds_one_to_ten_blockers, a_text_over_its_budget_is_refused_and_never_cut, blockers_are_sorted_by_code_then_pointer_whatever_order_they_were_found_in, a_contract_that_several_steps_use_is_embedded_once_and_in_order, a_stored_trace_keeps_every_budget, of_more_than_25_entries_the_first_25_are_kept_and_the_last_of_them_says_so)
#[test]
fn a_trace_that_is_too_large_loses_the_ends_of_its_last_summaries() {
    let entries = vec![entry(&"x".repeat(512), vec![]); 25];
    let trace = made(entries.clone());
    assert_eq!(trace.entries().len(), 25);
    assert!(size(&trace) <= 8192, "{}", size(&trace));
    // No byte is given up that the budget has room for: only what a marker costs may stay unused.
    assert!(size(&trace) > 8192 - 2 * MARKER.len(), "{}", size(&trace));
    let whole = trace.entries().iter().filter(|one| one.summary.as_str().len() == 512).count();
    assert_eq!(trace.entries()[..whole], entries[..whole]);
    for cut in &trace.entries()[whole..] {
        assert!(cut.summary.as_str().ends_with(MARKER));
    }
    for cut in &trace.entries()[whole + 1..] {
        assert_eq!(cut.summary.as_str(), MARKER);
    }
}

#[test]
fn where_refs_alone_are_too_large_entries_are_left_out_from_the_end() {
    let entries = vec![entry("a", long_refs()); 25];
    let trace = made(entries.clone());
    let kept = trace.entries().len();
    assert!(size(&trace) <= 8192);
    assert!((1..25).contains(&kept));
    assert_eq!(trace.entries()[..kept - 1], entries[..kept - 1]);
    assert_eq!(trace.entries()[kept - 1].summary.as_str(), format!("a{MARKER}"));
}

#[test]
fn a_trace_that_fits_is_kept_as_it_is() {
    let entries = vec![entry("a", trace_refs()), entry("", vec![])];
    assert_eq!(made(entries.clone()).entries(), entries);
}

#[test]
fn a_trace_without_entries_is_an_error() {
    let made = DecisionTraceAppended::new(TraceId::from_bytes([1; 16]), vec![]);
    assert_eq!(made, Err(PayloadError::Count { found: 0, max: 25 }));
}

proptest! {
    // shows: WR-200
    #[test]
    fn any_trace_fits_keeps_its_order_and_comes_out_the_same_again(
        texts in prop::collection::vec(("(?s).{0,300}", 0_usize..4), 1..40),
    ) {
        let entries: Vec<_> = texts
            .iter()
            .map(|(text, refs)| entry(text, long_refs().into_iter().take(*refs).collect()))
            .collect();
        let trace = made(entries.clone());
        prop_assert!(size(&trace) <= 8192);
        prop_assert_eq!(&made(entries.clone()), &trace);
        prop_assert_eq!(&made(trace.entries().to_vec()), &trace);
        for (kept, given) in trace.entries().iter().zip(&entries) {
            let start = kept.summary.as_str();
            let start = start.strip_suffix(MARKER).unwrap_or(start);
            prop_assert!(given.summary.as_str().starts_with(start));
            prop_assert_eq!(&kept.refs, &given.refs);
        }
    }
}
