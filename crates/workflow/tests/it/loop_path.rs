//! Paths through loops, and their limits.

use piton_core::IdProblem;
use piton_workflow::bounds::{ITERATION_MAX, LOOP_DEPTH_MAX};
use piton_workflow::{Iteration, LoopPath, LoopPathError, LoopPosition};

fn position(loop_id: &str, iteration: u32) -> LoopPosition {
    LoopPosition {
        loop_id: loop_id.parse().expect("it is valid"),
        iteration: Iteration::new(iteration).expect("it is valid"),
    }
}

#[test]
fn an_iteration_counts_from_zero_to_its_limit() {
    assert_eq!(Iteration::ZERO.get(), 0);
    assert_eq!(Iteration::new(ITERATION_MAX).unwrap().to_string(), "999999");
    let error = Iteration::new(ITERATION_MAX + 1).unwrap_err();
    assert_eq!(error.problem, IdProblem::TooLarge { max: 999_999 });
}

#[test]
fn a_path_is_bounded_in_depth() {
    let deepest: Vec<_> = (0..8).map(|depth| position(&format!("l{depth}"), 0)).collect();
    assert_eq!(deepest.len(), LOOP_DEPTH_MAX);
    assert_eq!(LoopPath::new(deepest.clone()).unwrap().positions(), deepest);
    let deeper = [deepest, vec![position("one-more", 0)]].concat();
    let error = LoopPath::new(deeper).unwrap_err();
    assert_eq!(error, LoopPathError::TooDeep { depth: 9 });
    assert_eq!(error.to_string(), "9 loops lie inside each other, 8 are allowed");
}

#[test]
fn a_loop_is_on_a_path_once() {
    let twice = vec![position("outer", 0), position("inner", 1), position("outer", 2)];
    let error = LoopPath::new(twice).unwrap_err();
    assert_eq!(error.to_string(), "the loop `outer` cannot lie inside itself");
}
