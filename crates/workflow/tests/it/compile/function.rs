//! Functions: scopes, order and budgets.

use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::compile::function::section;
use serde_json::json;

use crate::engine::samples::{Run, running};
use crate::source::compile_value;

/// A step in a loop that refers to functions of all scopes.
fn workflow() -> CompiledWorkflow {
    let function = |name: &str, definition: &str| json!({"name": name, "definition": definition});
    compile_value(&json!({
        "id": "a.b",
        "functionDefinitions": [function("zip", "of workflow"), function("ask", "of workflow"), function("same", "of workflow")],
        "conditions": [{"conditionId": "c", "kind": "loop_control", "loopId": "l"}],
        "steps": [
            {"id": "before", "title": "B", "prompt": "x", "functionReferences": ["same()"]},
            {
                "type": "loop", "loopId": "l", "maxIterations": 2,
                "while": {"kind": "condition_ref", "conditionId": "c"},
                "functionDefinitions": [function("mid", "of loop"), function("same", "of loop")],
                "body": [{
                    "id": "s", "title": "S", "prompt": "x",
                    "functionDefinitions": [function("own", "of step")],
                    "functionReferences": ["zip()", "mid()", "ask()", "own()", "same()", "ask()"],
                    "outputContract": {"contractRef": "wr.contracts.loop_control"},
                }],
            },
        ],
    }))
    .expect("it compiles")
}

// shows: WR-394
#[test]
fn a_step_lists_its_functions_by_scope_and_then_by_name() {
    let workflow = workflow();
    let functions = workflow.functions_of(workflow.step(&"s".parse().unwrap()).unwrap());
    assert_eq!(
        section(&functions, 8192),
        "\n\n---\nFUNCTION DEFINITIONS:\n- own(): of step\n- mid(): of loop\n- same(): of loop\n\
         - ask(): of workflow\n- zip(): of workflow"
    );
    let before = workflow.functions_of(workflow.step(&"before".parse().unwrap()).unwrap());
    assert_eq!(section(&before, 8192), "\n\n---\nFUNCTION DEFINITIONS:\n- same(): of workflow");
    assert_eq!(section(&[], 8192), "");
}

// shows: WR-391
#[test]
fn the_prompt_of_the_pending_step_defines_the_functions_of_all_scopes() {
    let workflow = workflow();
    let mut run = Run::new(&workflow);
    let defined = |run: &Run<'_>| {
        let prompt = running(&run.now.next).pending().unwrap().prompt.as_str();
        let (_, functions) = prompt.split_once("FUNCTION DEFINITIONS:\n").unwrap();
        functions.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(defined(&run), ["- same(): of workflow"]);
    run.leave(&[]);
    assert_eq!(run.at().as_deref(), Some("l@0::s"));
    assert_eq!(
        defined(&run),
        [
            "- own(): of step",
            "- mid(): of loop",
            "- same(): of loop",
            "- ask(): of workflow",
            "- zip(): of workflow",
        ]
    );
}

// shows: WR-395
// shows in part: WR-432 (definitions of functions)
#[test]
fn definitions_over_budget_are_cut_and_counted() {
    let workflow = workflow();
    let functions = workflow.functions_of(workflow.step(&"s".parse().unwrap()).unwrap());
    let whole = section(&functions, 8192);
    for budget in 0..=whole.len() {
        let cut = section(&functions, budget);
        assert!(cut.len() <= budget);
        assert_eq!(cut == whole, budget == whole.len());
    }
    assert_eq!(
        section(&functions, 100),
        "\n\n---\nFUNCTION DEFINITIONS:\n- own(): of\n\n[TRUNCATED]\nOmitted 5 function definitions."
    );
}
