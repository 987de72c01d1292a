//! Whatever the file and the context of a run, nothing panics and every run comes to its end.

use piton_workflow::ExecutionState;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::engine::{
    Decision, KnownCapabilities, Refusals, StepFacts, Submission, decide, next_step,
};
use piton_workflow::event::Preferences;
use piton_workflow::{Autonomy, RiskPolicy};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::samples::{compiled, everything, file, looped, step};
use crate::engine::samples::control;
use crate::source::compile_value;

const VARIABLES: [&str; 6] = ["a", "b", "list", "currentItem", "currentIteration", "item.x"];

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..5).prop_map(Value::from),
        (-2.0_f64..2.0).prop_map(Value::from),
        prop::sample::select(vec!["", "yes", "no", "3", "Text"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 6, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[xy]", inner, 0..2)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn conditions() -> impl Strategy<Value = Value> {
    let variable = prop::sample::select(VARIABLES.to_vec());
    let operator = prop::sample::select(vec![
        "equals",
        "not_equals",
        "gt",
        "lte",
        "contains",
        "in",
        "startsWith",
        "matches",
    ]);
    let leaf = (variable, operator, values()).prop_map(|(variable, operator, value)| {
        let operand = match operator {
            "gt" | "lte" => json!(value.as_f64().unwrap_or(1.0)),
            "in" => json!([value]),
            "startsWith" | "matches" => {
                json!(value.as_str().filter(|text| !text.is_empty()).unwrap_or("t"))
            }
            _ => value,
        };
        json!({"var": variable, operator: operand})
    });
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(|of| json!({"and": of})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|of| json!({"or": of})),
            inner.prop_map(|of| json!({"not": of})),
        ]
    })
}

/// The form of a step, without a name.
#[derive(Clone, Debug)]
enum Form {
    Step { condition: Option<Value> },
    Loop { turning: Value, condition: Option<Value>, decides: bool, body: Vec<Form> },
}

fn turnings() -> impl Strategy<Value = (Value, bool)> {
    let kind = prop_oneof![
        conditions()
            .prop_map(|condition| (json!({"type": "while", "condition": condition}), false)),
        conditions()
            .prop_map(|condition| (json!({"type": "until", "condition": condition}), false)),
        (0_u32..4).prop_map(|count| (json!({"type": "for", "count": count}), false)),
        Just((json!({"type": "for", "count": "a"}), false)),
        Just((json!({"type": "forEach", "items": "list"}), false)),
        Just((json!({"type": "forEach", "items": "currentItem"}), false)),
        Just((json!({"type": "while"}), true)),
    ];
    (kind, 1_u32..4).prop_map(|((mut turning, decides), most)| {
        turning["maxIterations"] = json!(most);
        (turning, decides)
    })
}

fn forms() -> impl Strategy<Value = Vec<Form>> {
    let condition = || prop::option::of(conditions());
    let leaf = condition().prop_map(|condition| Form::Step { condition });
    let tree = leaf.prop_recursive(3, 10, 3, move |inner| {
        let body = prop::collection::vec(inner, 1..3);
        (turnings(), condition(), body).prop_map(|((turning, decides), condition, body)| {
            Form::Loop { turning, condition, decides, body }
        })
    });
    prop::collection::vec(tree, 1..4)
}

fn named(forms: &[Form], count: &mut u32) -> Vec<Value> {
    let mut steps = Vec::new();
    for form in forms {
        *count += 1;
        let number = *count;
        let (mut made, condition) = match form {
            Form::Step { condition } => {
                let mut step = step(&format!("s{number}"));
                step["prompt"] = json!("{{a}} {{currentItem.x}} {{currentIteration}} {{list}}");
                (step, condition)
            }
            Form::Loop { turning, condition, decides, body } => {
                let mut body = named(body, count);
                if *decides {
                    let mut decision = step(&format!("d{number}"));
                    decision["outputContract"] =
                        json!({"contractRef": "wr.contracts.loop_control"});
                    body.push(decision);
                }
                (looped(&format!("l{number}"), turning, &json!(body)), condition)
            }
        };
        if let Some(condition) = condition {
            made["runCondition"] = condition.clone();
        }
        steps.push(made);
    }
    steps
}

fn workflows() -> impl Strategy<Value = CompiledWorkflow> {
    forms().prop_map(|forms| compiled(&file(&json!(named(&forms, &mut 0)))))
}

fn contexts() -> impl Strategy<Value = Map<String, Value>> {
    let items = prop::collection::vec(values(), 0..4).prop_map(Value::from);
    (values(), values(), prop_oneof![items, values()]).prop_map(|(a, b, list)| {
        [("a", a), ("b", b), ("list", list)]
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect()
    })
}

/// A run cannot have more steps: four loops of three turns inside each other.
const STEPS_MAX: usize = 3 * 3 * 3 * 3 * 40;

proptest! {
    #[test]
    fn every_run_comes_to_its_end(
        workflow in workflows(),
        contexts in prop::collection::vec(contexts(), 1..4),
        decisions in prop::collection::vec(any::<bool>(), 1..8),
    ) {
        let mut state = next_step::begin(&workflow, &contexts[0]).expect("it begins").next;
        let mut steps = 0;
        while state != ExecutionState::Complete {
            prop_assert!(steps < STEPS_MAX);
            let context = &contexts[steps % contexts.len()];
            let decision = if decisions[steps % decisions.len()] { "continue" } else { "stop" };
            let ExecutionState::Running(running) = &state else { panic!("{state:?}") };
            let path = running.loop_stack().positions();
            let artifacts: Vec<_> =
                path.last().map(|position| control(position.loop_id.as_str(), decision)).into_iter().collect();
            let facts = StepFacts {
                preferences: Preferences {
                    autonomy: Autonomy::FullAutoNeverStop,
                    risk_policy: RiskPolicy::Balanced,
                },
                standings: KnownCapabilities::new(),
                context: Some(context),
                open_gaps: Vec::new(),
                settled: Vec::new(),
                refusals: Refusals::default(),
            };
            let submission = Submission { notes: Some("Done."), artifacts: &artifacts };
            let decided = decide(&workflow, &state, &facts, &submission).expect("it decides");
            let Decision::Advanced { next, .. } = decided else { panic!("never stop stops") };
            state = next;
            steps += 1;
        }
    }

    #[test]
    fn what_is_compiled_reads_back(workflow in workflows()) {
        prop_assert_eq!(CompiledWorkflow::read(workflow.canonical().as_bytes()), Ok(workflow));
    }

    #[test]
    fn no_value_in_place_of_another_makes_the_compiler_panic(
        at in any::<prop::sample::Index>(),
        with in prop::sample::select(vec![
            json!(null), json!(-1), json!(1e300), json!(""), json!("a/b"), json!("{{"), json!("plan"),
            json!([]), json!([[]]), json!({}), json!({"kind": "ref"}), json!({"var": "x"}), json!(true),
        ]),
    ) {
        let mut source = everything();
        let places = crate::compile::hash::places(&source, "");
        *source.pointer_mut(at.get(places.as_slice()).as_str()).expect("it is there") = with;
        if let Ok(workflow) = compile_value(&source) {
            prop_assert_eq!(CompiledWorkflow::read(workflow.canonical().as_bytes()), Ok(workflow));
        }
    }
}
