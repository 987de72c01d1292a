//! Steps under conditions, and every kind of loop.

use piton_workflow::TraceEntryKind;
use piton_workflow::compile::{CompiledCondition, WarningCode};
use piton_workflow::engine::{KnownCapabilities, Submission, next_step, validate};
use serde_json::{Map, Value, json};

use super::samples::{LOOPS, Run, compiled, file, looped, step, step_if};
use crate::engine::samples::control;

#[track_caller]
fn stands(run: &Run<'_>, expected: &str) {
    assert_eq!(run.at().as_deref(), Some(expected));
}

/// Where a run of `steps` goes when nothing is submitted.
#[track_caller]
fn way(steps: &Value, context: &Value) -> Vec<String> {
    Run::new(&compiled(&file(steps)), context).rest()
}

fn decision(id: &str) -> Value {
    let mut step = step(id);
    step["outputContract"] = json!({"contractRef": "wr.contracts.loop_control"});
    step
}

#[test]
fn a_step_whose_condition_does_not_hold_is_skipped_told_and_not_completed() {
    let steps = json!([step("one"), step_if("two", &json!({"var": "deep"})), step("three")]);
    let workflow = compiled(&file(&steps));
    let mut run = Run::new(&workflow, &json!({}));
    stands(run.leave(&[]), "three");
    assert_eq!(
        run.trail(),
        ["Skipped the step `two`; it is done only if `deep` is set.", "Chose the step `three`."]
    );
    assert_eq!(run.now.traces[0].kind, TraceEntryKind::EvaluatedCondition);
    let completed = crate::engine::samples::running(&run.now.next).completed().clone();
    assert_eq!(completed.iter().map(ToString::to_string).collect::<Vec<_>>(), ["one"]);
    let mut run = Run::new(&workflow, &json!({"deep": true}));
    stands(run.leave(&[]), "two");
    assert_eq!(run.trail()[0], "The step `two` is to be done: `deep` is set.");
}

#[test]
fn what_a_run_is_told_on_the_way_counts_from_then_on() {
    let steps = json!([step("one"), step_if("two", &json!({"var": "deep"}))]);
    let workflow = compiled(&file(&steps));
    let mut run = Run::new(&workflow, &json!({}));
    stands(run.tell("deep", json!(true)).leave(&[]), "two");
}

#[test]
fn a_run_of_which_every_step_is_skipped_is_complete() {
    assert_eq!(way(&json!([step_if("one", &json!({"var": "x"}))]), &json!({})), [""; 0]);
}

// shows in part: WR-345, WR-346, WR-353, WR-354, WR-355, WR-356 (loops driven by context variables)
#[test]
fn a_while_loop_is_asked_before_every_turn() {
    let turning = json!({"type": "while", "condition": {"var": "more"}, "maxIterations": 3});
    let steps = json!([looped("l", &turning, &json!([step("work")])), step("end")]);
    let workflow = compiled(&file(&steps));
    let mut run = Run::new(&workflow, &json!({}));
    stands(&run, "end");
    assert_eq!(
        run.trail(),
        [
            "Condition `l` of the loop `l` before its first turn does not hold: it asks that `more` is set.",
            "Ended the loop `l` before its first turn: its condition does not hold.",
            "Chose the step `end`.",
        ]
    );
    run = Run::new(&workflow, &json!({"more": true}));
    stands(&run, "l@0::work");
    stands(run.leave(&[]), "l@1::work");
    assert_eq!(
        run.trail(),
        [
            "Condition `l` of the loop `l` after turn 1 holds: it asks that `more` is set.",
            "Chose the step `work` in turn 2 of the loop `l`.",
        ]
    );
    stands(run.tell("more", json!(false)).leave(&[]), "end");
    assert_eq!(
        run.trail()[1],
        "Ended the loop `l` after turn 2 of at most 3: its condition does not hold."
    );
}

// shows in part: WR-347, WR-349 (loops driven by context variables)
#[test]
fn a_loop_that_reaches_its_limit_says_so() {
    let turning = json!({"type": "while", "condition": {"var": "more"}, "maxIterations": 2});
    let steps = json!([looped("l", &turning, &json!([step("work")])), step("end")]);
    let workflow = compiled(&file(&steps));
    let mut run = Run::new(&workflow, &json!({"more": true}));
    stands(run.leave(&[]).leave(&[]), "end");
    assert_eq!(
        run.trail(),
        [
            "Condition `l` of the loop `l` after turn 2 holds: it asks that `more` is set.",
            "Ended the loop `l` after turn 2 of at most 2: its limit is reached.",
            "Chose the step `end`.",
        ]
    );
}

#[test]
fn an_until_loop_turns_as_long_as_its_condition_does_not_hold() {
    let turning = json!({"type": "until", "condition": {"var": "done"}, "maxIterations": 5});
    let steps = json!([looped("l", &turning, &json!([step("work")]))]);
    let workflow = compiled(&file(&steps));
    assert_eq!(Run::new(&workflow, &json!({"done": true})).at(), None);
    let mut run = Run::new(&workflow, &json!({}));
    stands(&run, "l@0::work");
    stands(run.leave(&[]), "l@1::work");
    assert_eq!(run.tell("done", json!("yes")).leave(&[]).at(), None);
}

#[test]
fn the_source_of_a_condition_may_be_named() {
    let source = json!({"kind": "context_variable", "condition": {"var": "n", "lt": 2}});
    for (kind, context, turns) in [
        ("while", json!({"n": 1}), 3),
        ("until", json!({"n": 1}), 0),
        ("until", json!({"n": 5}), 3),
    ] {
        let turning = json!({"type": kind, "conditionSource": source, "maxIterations": 3});
        let way = way(&json!([looped("l", &turning, &json!([step("work")]))]), &context);
        assert_eq!(way.len(), turns, "{kind} {context}");
    }
}

#[test]
fn a_condition_may_ask_for_the_turn_to_come() {
    let turning = json!({"type": "while", "condition": {"var": "currentIteration", "lte": 2}, "maxIterations": 9});
    let steps = json!([looped("l", &turning, &json!([step("work")]))]);
    assert_eq!(way(&steps, &json!({})), ["l@0::work", "l@1::work"]);
}

#[test]
fn a_for_loop_has_as_many_turns_as_a_number_or_a_variable_says() {
    for (count, context, turns) in [
        (json!(0), json!({}), 0),
        (json!(2), json!({}), 2),
        (json!(9), json!({}), 4),
        (json!("n"), json!({"n": 3}), 3),
        (json!("n"), json!({"n": 0}), 0),
        (json!("plan.size"), json!({"plan": {"size": 1}}), 1),
        (json!("n"), json!({"n": 10_000_000_000_u64}), 4),
    ] {
        let turning = json!({"type": "for", "count": count, "maxIterations": 4});
        let steps = json!([looped("l", &turning, &json!([step("work")]))]);
        assert_eq!(way(&steps, &context).len(), turns, "{count} {context}");
    }
}

#[test]
fn a_for_each_loop_has_one_turn_for_each_item_as_the_list_is_then() {
    let turning = json!({"type": "forEach", "items": "files", "maxIterations": 4});
    let workflow = compiled(&file(&json!([looped("l", &turning, &json!([step("work")]))])));
    for (items, turns) in [(0, 0), (3, 3), (7, 4)] {
        let context = json!({"files": vec!["x"; items]});
        assert_eq!(Run::new(&workflow, &context).rest().len(), turns);
    }
    let mut run = Run::new(&workflow, &json!({"files": ["a"]}));
    stands(&run, "l@0::work");
    stands(run.tell("files", json!(["a", "b"])).leave(&[]), "l@1::work");
    assert_eq!(run.leave(&[]).at(), None);
}

// shows in part: D34 (nested loops)
#[test]
fn loops_of_all_kinds_lie_inside_each_other() {
    let workflow = compiled(&serde_json::from_str(LOOPS).unwrap());
    let context = json!({"files": [{"name": "a"}, {"name": "skip"}]});
    assert_eq!(
        Run::new(&workflow, &context).rest(),
        [
            "files@0::read",
            "files@0/passes@0::mark",
            "files@0/passes@1::mark",
            "files@1::read",
            "until-quiet@0::listen",
            "until-quiet@1::listen",
            "until-quiet@2::listen",
        ]
    );
}

#[test]
fn the_items_of_an_inner_loop_may_lie_in_the_item_of_the_outer_one() {
    let inner = json!({"type": "forEach", "items": "currentItem.parts", "itemVar": "part", "maxIterations": 9});
    let outer = json!({"type": "forEach", "items": "all", "maxIterations": 9});
    let mut work = step("work");
    work["prompt"] = json!("{{part}} of {{currentItem.name}}");
    let body = json!([looped("inner", &inner, &json!([work]))]);
    let workflow = compiled(&file(&json!([looped("outer", &outer, &body)])));
    let context = json!({"all": [{"name": "a", "parts": ["x", "y"]}, {"name": "b", "parts": []}, {"name": "c", "parts": ["z"]}]});
    let mut run = Run::new(&workflow, &context);
    let mut prompts = Vec::new();
    while run.at().is_some() {
        let prompt = run.pending().prompt.as_str().to_owned();
        prompts.push(prompt.lines().last().unwrap().to_owned());
        run.leave(&[]);
    }
    assert_eq!(prompts, ["x of a", "y of a", "z of c"]);
}

#[test]
fn a_body_by_name_takes_the_step_out_of_the_list_and_may_be_a_loop() {
    let turning = json!({"type": "for", "count": 2, "maxIterations": 2});
    let steps = json!([
        looped("a", &turning, &json!("b")),
        step("last"),
        looped("b", &turning, &json!("one")),
        step("one"),
    ]);
    assert_eq!(
        way(&steps, &json!({})),
        ["a@0/b@0::one", "a@0/b@1::one", "a@1/b@0::one", "a@1/b@1::one", "last"]
    );
}

#[test]
fn a_loop_begins_only_if_its_condition_holds() {
    let turning = json!({"type": "for", "count": 1, "maxIterations": 1});
    let mut of = looped("l", &turning, &json!([step("work")]));
    of["runCondition"] = json!({"var": "wanted"});
    let workflow = compiled(&file(&json!([of, step("end")])));
    let run = Run::new(&workflow, &json!({}));
    stands(&run, "end");
    assert_eq!(
        run.trail()[..2],
        [
            "Skipped the loop `l`; it begins only if `wanted` is set.",
            "Ended the loop `l` before its first turn: its condition does not hold.",
        ]
    );
    stands(&Run::new(&workflow, &json!({"wanted": 1})), "l@0::work");
}

#[test]
fn a_loop_is_driven_by_the_decision_step_of_its_body_if_there_is_one() {
    let turning = json!({"type": "while", "maxIterations": 3, "condition": {"var": "more"}});
    let body = json!([step("look"), decision("decide")]);
    let workflow = compiled(&file(&json!([looped("l", &turning, &body)])));
    assert!(matches!(workflow.conditions[..], [CompiledCondition::LoopControl { .. }]));
    let mut run = Run::new(&workflow, &json!({"more": true}));
    stands(run.leave(&[]), "l@0::decide");
    stands(run.leave(&[control("l", "continue")]), "l@1::look");
    let silent = json!({"kind": "wr.loop_control", "decision": "continue"});
    stands(run.leave(&[]).leave(&[silent]), "l@2::look");
    assert_eq!(run.leave(&[]).leave(&[control("l", "stop")]).at(), None);
    let mut run = Run::new(&workflow, &json!({"more": true}));
    assert_eq!(run.leave(&[]).leave(&[control("other", "continue")]).at(), None);
}

#[test]
fn decisions_go_by_the_name_that_the_loop_says_and_mean_the_same_in_an_until_loop() {
    let source = json!({"kind": "artifact_contract", "contractRef": "wr.contracts.loop_control", "loopId": "quality"});
    let turning = json!({"type": "until", "maxIterations": 3, "conditionSource": source});
    let workflow =
        compiled(&file(&json!([looped("phase-3", &turning, &json!([decision("decide")]))])));
    let mut run = Run::new(&workflow, &json!({}));
    stands(&run, "quality@0::decide");
    assert!(run.pending().prompt.as_str().contains("\"quality\""));
    stands(run.leave(&[control("quality", "continue")]), "quality@1::decide");
    assert_eq!(run.leave(&[control("quality", "stop")]).at(), None);
}

// shows in part: D34 (loops driven by context variables compile with a warning)
#[test]
fn loops_that_turn_by_what_was_said_compile_with_a_warning() {
    for (turning, warned) in [
        (json!({"type": "while", "condition": {"var": "x"}, "maxIterations": 1}), true),
        (json!({"type": "until", "condition": {"var": "x"}, "maxIterations": 1}), true),
        (json!({"type": "forEach", "items": "x", "maxIterations": 1}), true),
        (json!({"type": "for", "count": "x", "maxIterations": 1}), true),
        (json!({"type": "for", "count": 1, "maxIterations": 1}), false),
    ] {
        let workflow = compiled(&file(&json!([looped("l", &turning, &json!([step("work")]))])));
        let warnings = workflow.compiled_warnings.iter();
        let subjects: Vec<_> = warnings
            .filter(|warning| warning.code == WarningCode::ContextLoop)
            .map(|warning| warning.subject.as_str())
            .collect();
        assert_eq!(subjects == ["l"], warned, "{turning}");
    }
}

#[test]
fn a_turn_of_which_every_step_is_skipped_is_passed_over() {
    let turning = json!({"type": "forEach", "items": "all", "maxIterations": 9});
    let body = json!([step_if("work", &json!({"var": "currentItem", "gt": 1}))]);
    let steps = json!([looped("l", &turning, &body), step("end")]);
    assert_eq!(way(&steps, &json!({"all": [0, 2, 1, 3]})), ["l@1::work", "l@3::work", "end"]);
}

#[test]
fn loops_in_which_nothing_is_to_do_are_left_however_many_turns_they_have() {
    let turning = json!({"type": "for", "count": 1000, "maxIterations": 1000});
    let mut steps = json!([step_if("never", &json!({"var": "x"}))]);
    for level in 0..8 {
        steps = json!([looped(&format!("l{level}"), &turning, &steps)]);
    }
    steps.as_array_mut().unwrap().push(step("end"));
    let run_workflow = compiled(&file(&steps));
    let run = Run::new(&run_workflow, &json!({}));
    stands(&run, "end");
    assert_eq!(run.trail().last(), Some(&"Chose the step `end`."));
}

#[test]
fn a_condition_that_something_else_makes_void_is_named_in_a_warning() {
    let source = json!({"kind": "context_variable", "condition": {"var": "x"}});
    for (turning, body, void) in [
        (json!({"type": "while", "condition": {"var": "x"}}), json!([step("work")]), false),
        (json!({"type": "while", "condition": {"var": "x"}}), json!([decision("decide")]), true),
        (
            json!({"type": "while", "condition": {"var": "y"}, "conditionSource": source}),
            json!([step("work")]),
            true,
        ),
    ] {
        let mut turning = turning;
        turning["maxIterations"] = json!(2);
        let workflow = compiled(&file(&json!([looped("l", &turning, &body)])));
        let mut warnings = workflow.compiled_warnings.iter();
        let told = warnings.any(|warning| {
            warning.code == WarningCode::NoEffect && warning.subject == "l.loop.condition"
        });
        assert_eq!(told, void, "{turning}");
    }
}

#[test]
fn a_decision_in_a_loop_that_it_does_not_drive_reaches_no_limit() {
    let turning = json!({"type": "for", "count": 1, "maxIterations": 1});
    let workflow = compiled(&file(&json!([looped("l", &turning, &json!([decision("decide")]))])));
    let state = next_step::begin(&workflow, &Map::new()).unwrap().next;
    let again = [control("l", "continue")];
    let submission = Submission { notes: None, artifacts: &again };
    let findings =
        validate(&workflow, &state, &submission, &KnownCapabilities::new(), &Map::new()).unwrap();
    assert_eq!(findings, []);
}
