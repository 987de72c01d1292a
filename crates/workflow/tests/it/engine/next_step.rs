//! Which step comes next.

use piton_core::{BoundedText, Code};
use piton_workflow::engine::{EngineError, next_step};
use piton_workflow::snapshot::{CompletedSteps, LoopDecision, Running};
use piton_workflow::{ExecutionState, LoopPath, PendingStep, StepInstanceKey};
use serde_json::{Map, Value, json};

use super::samples::{Run, control, decision, looped, pending_key, running, start, step, workflow};

fn rounds(max_iterations: u32) -> [Value; 3] {
    [
        step("plan"),
        looped("rounds", max_iterations, &[step("look"), decision("decide")]),
        step("report"),
    ]
}

#[track_caller]
fn stands(run: &Run<'_>, expected: &str) {
    assert_eq!(run.at().as_deref(), Some(expected));
}

#[test]
fn a_run_without_loops_goes_through_its_steps_in_order() {
    let workflow = workflow(&[step("one"), step("two")]);
    let mut run = Run::new(&workflow);
    stands(&run, "one");
    stands(run.leave(&[]), "two");
    let completed = CompletedSteps::new(["one".parse().unwrap()]).unwrap();
    assert_eq!(running(&run.now.next).completed(), &completed);
    run.leave(&[]);
    assert_eq!(run.now.next, ExecutionState::Complete);
    assert_eq!(run.trail(), [""; 0]);
}

#[test]
fn the_pending_step_is_shown_as_it_was_compiled() {
    let mut one = step("one");
    one["requireConfirmation"] = json!(true);
    let workflow = workflow(&[one]);
    let first = start(&workflow);
    let shown = running(&first.next).pending().unwrap();
    assert_eq!(shown.title.as_str(), "Title of one");
    assert_eq!(shown.prompt.as_str(), workflow.steps[0].prompt);
    assert!(shown.require_confirmation);
}

// shows: WR-345, WR-346, WR-348, WR-353, WR-354, WR-355
#[test]
fn a_loop_turns_as_long_as_its_decision_says_and_tells_every_evaluation() {
    let workflow = workflow(&rounds(3));
    let mut run = Run::new(&workflow);
    stands(run.leave(&[]), "rounds@0::look");
    assert_eq!(
        run.trail(),
        [
            "Began the loop `rounds` with turn 1 of at most 3.",
            "Chose the step `look` in turn 1 of the loop `rounds`.",
        ]
    );
    stands(run.leave(&[]), "rounds@0::decide");
    stands(run.leave(&[control("rounds", "continue")]), "rounds@1::look");
    assert_eq!(
        run.trail(),
        [
            "Condition `rounds-again` of the loop `rounds` after turn 1 holds: the decision is to continue.",
            "Chose the step `look` in turn 2 of the loop `rounds`.",
        ]
    );
    stands(run.leave(&[]), "rounds@1::decide");
    stands(run.leave(&[control("rounds", "continue")]), "rounds@2::look");
    stands(run.leave(&[]), "rounds@2::decide");
    stands(run.leave(&[control("rounds", "stop")]), "report");
    assert_eq!(
        run.trail(),
        [
            "Condition `rounds-again` of the loop `rounds` after turn 3 does not hold: the decision is to stop.",
            "Ended the loop `rounds` after turn 3 of at most 3: its condition does not hold.",
            "Chose the step `report`.",
        ]
    );
}

// shows: WR-347, WR-349
#[test]
fn a_loop_that_wants_more_turns_than_it_may_have_ends_with_its_limit_as_the_cause() {
    let workflow = workflow(&rounds(1));
    let mut run = Run::new(&workflow);
    run.leave(&[]).leave(&[]).leave(&[control("rounds", "continue")]);
    stands(&run, "report");
    assert_eq!(
        run.trail(),
        [
            "Condition `rounds-again` of the loop `rounds` after turn 1 holds: the decision is to continue.",
            "Ended the loop `rounds` after turn 1 of at most 1: its limit is reached.",
            "Chose the step `report`.",
        ]
    );
}

// shows: WR-339, WR-341
#[test]
fn only_a_valid_decision_of_the_decision_step_turns_a_loop_and_a_missing_one_is_told() {
    let told = "Condition `rounds-again` of the loop `rounds` after turn 1 does not hold: no valid decision was submitted.";
    let again = control("rounds", "continue");
    for (looked, decided) in [
        (vec![], vec![]),
        (vec![again.clone()], vec![]),
        (vec![], vec![control("other", "continue")]),
        (vec![], vec![control("rounds", "perhaps")]),
        (vec![], vec![json!("continue"), json!({"decision": "continue"})]),
        (vec![], vec![control("rounds", "perhaps"), again]),
    ] {
        let workflow = workflow(&rounds(3));
        let mut run = Run::new(&workflow);
        run.leave(&[]).leave(&looked).leave(&decided);
        stands(&run, "report");
        assert_eq!(run.trail()[0], told, "{decided:?}");
    }
}

// shows: WR-338 (with a_context_variable_drives_no_loop)
#[test]
fn no_context_turns_or_ends_a_loop() {
    let workflow = workflow(&rounds(3));
    let context = |value: &Value| {
        let names = ["continuePlanning", "continue", "decision", "rounds", "rounds-again"];
        names.map(|name| (name.to_owned(), value.clone())).into_iter().collect::<Map<_, _>>()
    };
    let contexts =
        [json!(true), json!(false), json!("continue"), json!("stop"), control("rounds", "stop")];
    for told in [Map::new()].into_iter().chain(contexts.iter().map(context)) {
        let leave = |state: &ExecutionState, artifacts: &[Value]| {
            next_step::next(&workflow, state, &told, artifacts).expect("it goes on").next
        };
        let first = next_step::begin(&workflow, &told).expect("it begins").next;
        let decide = leave(&leave(&first, &[]), &[]);
        for (artifacts, next) in [
            (vec![control("rounds", "continue")], "rounds@1::look"),
            (vec![control("rounds", "stop")], "report"),
            (vec![], "report"),
        ] {
            let reached = leave(&decide, &artifacts);
            assert_eq!(pending_key(&reached).as_deref(), Some(next), "{told:?} {artifacts:?}");
        }
    }
}

#[test]
fn a_decision_in_the_middle_of_a_body_is_asked_at_its_end_and_counts_for_one_turn() {
    let body = [decision("decide"), step("work")];
    let workflow = workflow(&[looped("rounds", 3, &body)]);
    let mut run = Run::new(&workflow);
    stands(run.leave(&[control("rounds", "continue")]), "rounds@0::work");
    stands(run.leave(&[]), "rounds@1::decide");
    stands(run.leave(&[]), "rounds@1::work");
    assert_eq!(run.leave(&[]).at(), None);
}

#[test]
fn a_state_keeps_what_its_decision_step_said_until_it_is_asked() {
    let workflow = workflow(&[looped("rounds", 3, &[decision("decide"), step("work")])]);
    let key: StepInstanceKey = "rounds@0::decide".parse().unwrap();
    let decided = |artifacts: &[Value]| {
        let mut run = Run::new(&workflow);
        run.leave(artifacts);
        running(&run.now.next).decisions().get(&key).map(|control| control.decision)
    };
    assert_eq!(decided(&[control("rounds", "continue")]), Some(LoopDecision::Continue));
    assert_eq!(decided(&[control("rounds", "stop")]), Some(LoopDecision::Stop));
    assert_eq!(decided(&[]), None);
}

#[test]
fn a_state_does_not_grow_with_the_turns_of_a_loop() {
    let workflow = workflow(&rounds(900));
    let mut run = Run::new(&workflow);
    run.leave(&[]);
    for turn in 0..800 {
        stands(&run, &format!("rounds@{turn}::look"));
        let completed = CompletedSteps::new(["plan".parse().unwrap()]).unwrap();
        assert_eq!(running(&run.now.next).completed(), &completed);
        assert_eq!(running(&run.now.next).decisions().iter().len(), 0);
        run.leave(&[]).leave(&[control("rounds", "continue")]);
    }
}

// shows: WR-356
#[test]
fn a_decision_from_before_a_loop_may_leave_it_without_a_turn_and_that_is_told() {
    let body = [step("look"), decision("decide")];
    let workflow = workflow(&[decision("first"), looped("rounds", 3, &body), step("report")]);
    let mut run = Run::new(&workflow);
    stands(run.leave(&[control("rounds", "stop")]), "report");
    assert_eq!(
        run.trail(),
        [
            "Condition `rounds-again` of the loop `rounds` before its first turn does not hold: the decision is to stop.",
            "Ended the loop `rounds` before its first turn: its condition does not hold.",
            "Chose the step `report`.",
        ]
    );
    let mut run = Run::new(&workflow);
    stands(run.leave(&[control("rounds", "continue")]), "rounds@0::look");
    assert_eq!(
        run.trail()[..2],
        [
            "Condition `rounds-again` of the loop `rounds` before its first turn holds: the decision is to continue.",
            "Began the loop `rounds` with turn 1 of at most 3.",
        ]
    );
}

// shows: WR-353, WR-354, WR-355, WR-357
#[test]
fn loops_inside_of_loops_begin_anew_in_every_turn() {
    let inner = looped("inner", 2, &[decision("inner-decide")]);
    let workflow = workflow(&[looped("outer", 2, &[inner, decision("outer-decide")])]);
    let mut run = Run::new(&workflow);
    stands(&run, "outer@0/inner@0::inner-decide");
    stands(run.leave(&[control("inner", "continue")]), "outer@0/inner@1::inner-decide");
    stands(run.leave(&[control("inner", "stop")]), "outer@0::outer-decide");
    stands(run.leave(&[control("outer", "continue")]), "outer@1/inner@0::inner-decide");
    let refs = serde_json::to_value(&run.now.traces).unwrap();
    let about = |loop_id: &str, turn: u32| json!([{"kind": "loop_id", "loopId": loop_id}, {"kind": "iteration", "value": turn}]);
    let mut evaluated = about("outer", 0);
    let condition = json!({"kind": "condition_id", "conditionId": "outer-again"});
    evaluated.as_array_mut().unwrap().push(condition);
    assert_eq!(refs[0]["refs"], evaluated);
    assert_eq!(refs[1]["kind"], "entered_loop");
    assert_eq!(refs[1]["refs"], about("inner", 0));
    assert_eq!(refs[2]["kind"], "selected_next_step");
}

#[test]
fn a_state_that_the_workflow_does_not_have_is_an_error() {
    #[track_caller]
    fn check(state: &ExecutionState, expected: &str, code: Code) {
        let workflow = workflow(&rounds(2));
        let error = next_step::next(&workflow, state, &Map::new(), &[]).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.code()), (expected, code));
    }
    let none = CompletedSteps::default();
    let at = |key: &str| {
        let (loops, step_id) = key.parse::<StepInstanceKey>().unwrap().parts();
        let (title, prompt) = (BoundedText::new("").unwrap(), BoundedText::new("").unwrap());
        let pending = PendingStep { step_id, title, prompt, require_confirmation: false };
        ExecutionState::Running(Running::new(none.clone(), loops, Some(pending)).unwrap())
    };
    let misplaced =
        |key: &str| format!("the workflow has no step at `{key}`, where the run stands");
    for key in ["look", "rounds@0::plan", "rounds@2::look", "other@0::look"] {
        check(&at(key), &misplaced(key), Code::StoreInvariantViolation);
    }
    let idle = Running::new(none.clone(), LoopPath::default(), None).unwrap();
    check(
        &ExecutionState::Running(idle),
        "no step is pending, so none can be completed",
        Code::ValidationError,
    );
    check(
        &ExecutionState::Complete,
        "the run is complete: there is no step to go on from",
        Code::ValidationError,
    );
}

#[test]
fn a_text_that_no_snapshot_holds_is_an_error() {
    let mut workflow = workflow(&[step("one")]);
    workflow.steps[0].title = "x".repeat(1025);
    let error = next_step::begin(&workflow, &Map::new()).unwrap_err();
    assert!(matches!(error, EngineError::Text(_)), "{error}");
    assert_eq!(error.code(), Code::StoreLimitExceeded);
}
