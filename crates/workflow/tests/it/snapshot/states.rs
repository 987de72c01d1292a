//! The states of a run, and what follows from them.

use piton_workflow::bounds::COMPLETED_STEPS_MAX;
use piton_workflow::snapshot::{CompletedSteps, Running, derive_is_complete, derive_pending_step};
use piton_workflow::{ExecutionState, LoopPath, SnapshotError, StepInstanceKey};

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
    assert_eq!(error.to_string(), "a snapshot holds at most 16384 completed steps");
}

#[test]
fn the_state_of_a_run_outside_of_loops_has_an_empty_stack() {
    assert_eq!(idle().loop_stack(), &LoopPath::default());
    assert_eq!(idle().completed(), &CompletedSteps::default());
}
