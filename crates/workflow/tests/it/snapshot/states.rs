//! The states of a run, and what follows from them.

use piton_workflow::bounds::COMPLETED_STEPS_MAX;
use piton_workflow::snapshot::{
    CompletedSteps, Decisions, LoopControl, LoopDecision, Running, derive_is_complete,
    derive_pending_step,
};
use piton_workflow::{ExecutionSnapshot, ExecutionState, LoopPath, SnapshotError, StepInstanceKey};

use super::samples::{completed, idle, in_loops, of, pending, stack};

// shows: WR-207, WR-217
#[test]
fn completeness_and_the_pending_step_follow_from_the_state() {
    for (state, complete, step) in [
        (ExecutionState::Init, false, None),
        (ExecutionState::Running(idle()), false, None),
        (ExecutionState::Running(in_loops()), false, Some(pending("triage"))),
        (ExecutionState::Complete, true, None),
    ] {
        let snapshot = of(state);
        assert_eq!(derive_is_complete(&snapshot), complete);
        assert_eq!(derive_pending_step(&snapshot), step.as_ref());
    }
}

#[test]
fn the_pending_step_stands_where_the_loop_stack_says() {
    let key = in_loops().pending_key().unwrap();
    assert_eq!(key.as_str(), "outer@0/inner@2::triage");
    assert_eq!(in_loops().loop_stack(), &stack(&[("outer", 0), ("inner", 2)]));
    assert_eq!(idle().pending_key(), None);
}

// shows: WR-209
#[test]
fn a_step_that_is_done_cannot_be_pending() {
    for (done, loops, fits) in [
        (&["triage"][..], &[][..], false),
        (&["collect", "triage"], &[], false),
        (&["outer@2::triage"], &[("outer", 2)], false),
        (&["outer@1::triage"], &[("outer", 2)], true),
        (&["triage"], &[("outer", 2)], true),
        (&[], &[], true),
    ] {
        let running = Running::new(completed(done), stack(loops), Some(pending("triage")));
        let key = StepInstanceKey::new(&stack(loops), &"triage".parse().unwrap());
        let refused = SnapshotError::PendingCompleted { key };
        assert_eq!(running.err(), (!fits).then_some(refused), "{done:?} {loops:?}");
        assert!(Running::new(completed(done), stack(loops), None).is_ok());
    }
}

// shows: WR-212
#[test]
fn completed_steps_are_sorted_by_bytes_and_distinct_however_they_are_given() {
    let set = completed(&["b", "a@10::x", "a@9::x", "a", "b", "_", "a-b", "z"]);
    let keys: Vec<&str> = set.iter().map(StepInstanceKey::as_str).collect();
    assert_eq!(keys, ["_", "a", "a-b", "a@10::x", "a@9::x", "b", "z"]);
    assert_eq!(set.iter().len(), 7);
    let more = set.clone().with("c".parse().unwrap()).unwrap();
    assert!(more.contains(&"c".parse().unwrap()) && !set.contains(&"c".parse().unwrap()));
}

#[test]
fn completed_steps_are_bounded_in_number() {
    let keys = |count: usize| (0..count).map(|turn| format!("l@{turn}::s").parse().unwrap());
    let full = CompletedSteps::new(keys(COMPLETED_STEPS_MAX)).unwrap();
    assert!(full.clone().with("l@0::s".parse().unwrap()).is_ok(), "it was there already");
    assert_eq!(full.with("one-more".parse().unwrap()), Err(SnapshotError::TooManyCompleted));
    let error = CompletedSteps::new(keys(COMPLETED_STEPS_MAX + 1)).unwrap_err();
    assert_eq!(error.to_string(), "a snapshot holds at most 1024 completed steps");
}

#[test]
fn decisions_are_written_in_order_and_read_back() {
    let control =
        |loop_id: &str, decision| LoopControl { loop_id: loop_id.parse().unwrap(), decision };
    let decisions = Decisions::default()
        .with("b@1::decide".parse().unwrap(), Some(control("b", LoopDecision::Stop)))
        .and_then(|all| {
            all.with("first".parse().unwrap(), Some(control("b", LoopDecision::Continue)))
        })
        .and_then(|all| {
            all.with("b@0::decide".parse().unwrap(), Some(control("b", LoopDecision::Continue)))
        })
        .unwrap();
    let running = in_loops().with_decisions(decisions.clone());
    let snapshot = of(ExecutionState::Running(running));
    let bytes = snapshot.encode();
    assert_eq!(ExecutionSnapshot::decode(bytes.as_bytes()), Ok(snapshot));
    let mut value: serde_json::Value = serde_json::from_slice(bytes.as_bytes()).unwrap();
    let written =
        value.pointer_mut("/enginePayload/state/decisions").unwrap().as_array_mut().unwrap();
    let steps: Vec<_> =
        written.iter().map(|one| one["step"].as_str().unwrap().to_owned()).collect();
    assert_eq!(steps, ["b@0::decide", "b@1::decide", "first"]);
    written.swap(0, 2);
    let error = ExecutionSnapshot::decode(value.to_string().as_bytes()).unwrap_err();
    let key = "b@1::decide".parse().unwrap();
    assert_eq!(error, SnapshotError::DecisionsNotSorted { key });
    let left = decisions.without_turn(&stack(&[("b", 1)]));
    let left: Vec<_> = left.iter().map(|(key, _)| key.as_str().to_owned()).collect();
    assert_eq!(left, ["b@0::decide", "first"]);
}

#[test]
fn the_state_of_a_run_outside_of_loops_has_an_empty_stack() {
    assert_eq!(idle().loop_stack(), &LoopPath::default());
    assert_eq!(idle().completed(), &CompletedSteps::default());
}
