//! Step instance keys: text and value are a bijection.

use piton_core::canonical::encode;
use piton_workflow::bounds::{
    ITERATION_MAX, LOOP_DEPTH_MAX, NAME_BYTES_MAX, STEP_INSTANCE_KEY_BYTES_MAX,
};
use piton_workflow::{
    Iteration, LoopPath, LoopPosition, StepId, StepInstanceKey, StepInstanceKeyError,
};
use proptest::prelude::*;
use serde_json::json;

fn path(positions: &[(&str, u32)]) -> LoopPath {
    let position = |(loop_id, iteration): &(&str, u32)| LoopPosition {
        loop_id: loop_id.parse().expect("it is valid"),
        iteration: Iteration::new(*iteration).expect("it is valid"),
    };
    LoopPath::new(positions.iter().map(position).collect()).expect("it is valid")
}

#[track_caller]
fn check(loops: &[(&str, u32)], step: &str, expected: &str) {
    let (loops, step) = (path(loops), step.parse().expect("it is valid"));
    let key = StepInstanceKey::new(&loops, &step);
    assert_eq!(key.as_str(), expected);
    assert_eq!(expected.parse(), Ok(key.clone()));
    assert_eq!(key.parts(), (loops, step));
    assert_eq!(encode(&key).expect("it is valid").as_str(), format!("\"{expected}\""));
    assert_eq!(
        serde_json::from_value::<StepInstanceKey>(json!(expected)).expect("it is valid"),
        key
    );
}

// shows: WR-023
#[test]
fn the_key_of_a_step_outside_of_loops_is_its_id() {
    check(&[], "triage", "triage");
    check(&[], "0", "0");
    check(&[], "a--b_c", "a--b_c");
}

// shows: WR-024
#[test]
fn the_key_of_a_step_inside_loops_begins_with_the_turn_of_each() {
    check(&[("outer", 0), ("inner", 2)], "triage", "outer@0/inner@2::triage");
    check(&[("retry", 10)], "fix", "retry@10::fix");
    check(&[("same", 0)], "same", "same@0::same");
    check(&[("0", 0), ("-", 999_999)], "_", "0@0/-@999999::_");
}

#[test]
fn a_text_that_no_key_has_is_refused() {
    use StepInstanceKeyError::{Form, Iteration, Name, Path};
    for (wrong, expected) in [
        ("outer::triage", "Form"),
        ("::triage", "Form"),
        ("a@0/::triage", "Form"),
        ("/a@0::triage", "Form"),
        ("a@0/b::triage", "Form"),
        ("a@::triage", "Iteration"),
        ("a@00::triage", "Iteration"),
        ("a@01::triage", "Iteration"),
        ("a@+1::triage", "Iteration"),
        ("a@-1::triage", "Iteration"),
        ("a@1.0::triage", "Iteration"),
        ("a@1@2::triage", "Iteration"),
        ("a@\u{0661}::triage", "Iteration"),
        ("a@1000000::triage", "Iteration"),
        ("a@4294967296::triage", "Iteration"),
        ("a@99999999999999999999::triage", "Iteration"),
        ("a@0:::triage", "Name"),
        ("a@0::triage::b", "Name"),
        ("a@0::", "Name"),
        ("a@0::Triage", "Name"),
        ("A@0::triage", "Name"),
        ("@0::triage", "Name"),
        ("a@0", "Name"),
        ("a@0/triage", "Name"),
        ("a:b", "Name"),
        ("", "Name"),
        (" triage", "Name"),
        ("a@0/a@1::triage", "Path"),
        ("a@0/b@0/c@0/d@0/e@0/f@0/g@0/h@0/i@0::triage", "Path"),
    ] {
        let error = wrong.parse::<StepInstanceKey>().unwrap_err();
        let found = match &error {
            Form => "Form",
            Iteration => "Iteration",
            Name(_) => "Name",
            Path(_) => "Path",
            _ => "another error",
        };
        assert_eq!(found, expected, "{wrong}");
        let refused = serde_json::from_value::<StepInstanceKey>(json!(wrong)).unwrap_err();
        assert_eq!(refused.to_string(), error.to_string());
    }
}

#[test]
fn the_longest_key_is_as_long_as_its_limit_says() {
    let ids: Vec<_> = (0..LOOP_DEPTH_MAX).map(|n| format!("{n}{}", "a".repeat(127))).collect();
    let loops: Vec<_> = ids.iter().map(|id| (id.as_str(), ITERATION_MAX)).collect();
    let step: StepId = "s".repeat(NAME_BYTES_MAX).parse().unwrap();
    let key = StepInstanceKey::new(&path(&loops), &step);
    assert_eq!(key.as_str().len(), STEP_INSTANCE_KEY_BYTES_MAX);
    assert_eq!(key.as_str().parse(), Ok(key.clone()));
    let longer = format!("{key}s").parse::<StepInstanceKey>();
    assert_eq!(longer, Err(StepInstanceKeyError::TooLong));
}

#[test]
fn keys_order_by_the_bytes_of_their_text() {
    let mut keys: Vec<StepInstanceKey> = ["b@9::x", "b", "b@10::x", "b@1/c@0::x", "b_", "b-", "a"]
        .map(|text| text.parse().unwrap())
        .to_vec();
    keys.sort();
    let texts: Vec<_> = keys.iter().map(StepInstanceKey::as_str).collect();
    assert_eq!(texts, ["a", "b", "b-", "b@1/c@0::x", "b@10::x", "b@9::x", "b_"]);
}

fn loops() -> impl Strategy<Value = LoopPath> {
    let ids = prop::collection::btree_set("[a-z0-9_-]{1,128}", 0..=LOOP_DEPTH_MAX);
    let ids = ids.prop_map(|ids| ids.into_iter().collect::<Vec<_>>()).prop_shuffle();
    let turns = prop::collection::vec(0..=ITERATION_MAX, LOOP_DEPTH_MAX);
    (ids, turns).prop_map(|(ids, turns)| {
        let positions: Vec<_> = ids.iter().map(String::as_str).zip(turns).collect();
        path(&positions)
    })
}

proptest! {
    // shows: WR-550 (with a_payload_that_is_written_and_read_is_the_same, bytes_that_can_be_read_are_those_that_are_written, what_was_written_reads_back_and_encodes_to_the_same_bytes, the_order_of_keys_does_not_matter)
    // shows in part: WR-025 (the step instance key)
    #[test]
    fn a_key_that_is_written_and_read_is_the_same(loops in loops(), step in "[a-z0-9_-]{1,128}") {
        let step: StepId = step.parse().expect("it is valid");
        let key = StepInstanceKey::new(&loops, &step);
        prop_assert_eq!(key.as_str().parse(), Ok(key.clone()));
        prop_assert_eq!(key.parts(), (loops, step));
    }

    // shows: WR-025
    #[test]
    fn a_text_that_is_read_and_written_is_the_same(
        text in "([ab]@[0-9]{1,2}/?){0,3}(::)?[ab0-9]{0,2}",
    ) {
        if let Ok(key) = text.parse::<StepInstanceKey>() {
            let (loops, step) = key.parts();
            let written = StepInstanceKey::new(&loops, &step);
            prop_assert_eq!(written.as_str(), text);
        }
    }
}
