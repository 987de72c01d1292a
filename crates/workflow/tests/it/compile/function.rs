//! Functions: scopes, order and budgets.

use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::compile::function::section;
use serde_json::json;

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
// shows in part: WR-391 (which functions)
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

// shows: WR-395
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
