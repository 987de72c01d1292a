//! Live replies against the generated schemas.

use std::collections::BTreeSet;

use jsonschema::Validator;
use piton_mcp::catalogue::{Object, WorkflowTool, error_schema};
use serde_json::{Value, json};

use crate::rig::{Machine, Pipe};

fn validator(schema: &Object) -> Validator {
    jsonschema::validator_for(&Value::Object(schema.clone())).unwrap()
}

/// Calls a tool and holds what it took and what it answered to their schemas.
async fn call(pipe: &mut Pipe, tool: WorkflowTool, arguments: Value) -> Value {
    validator(&tool.card().input).validate(&arguments).unwrap();
    let answer = pipe.call(tool.as_str(), arguments).await;
    assert!(!answer.is_error, "{}", answer.text);
    if let Err(error) = validator(&tool.card().output).validate(&answer.structured) {
        panic!("{tool}: {error} at {} in {}", error.instance_path(), answer.structured);
    }
    answer.structured
}

// shows: WR-266, WR-527
// shows in part: WR-262 (the shape)
#[tokio::test]
async fn every_reply_fits_the_schema_of_its_tool() {
    let machine = Machine::new();
    machine.write("project/.piton/workflows/broken.json", "{");
    let mut pipe = Pipe::at(&machine).await;
    call(&mut pipe, WorkflowTool::ListWorkflows, json!({})).await;
    for mode in ["metadata", "preview", "full"] {
        let arguments = json!({ "workflowId": "wr.tour", "mode": mode });
        call(&mut pipe, WorkflowTool::InspectWorkflow, arguments).await;
    }
    let start = json!({ "workflowId": "wr.tour", "goal": "look around", "context": { "a": 1 } });
    let first = call(&mut pipe, WorkflowTool::StartWorkflow, start).await;
    let output = json!({ "notesMarkdown": "Nothing." });
    let blocked = json!({ "ackToken": first["ackToken"], "output": output });
    let blocked = call(&mut pipe, WorkflowTool::ContinueWorkflow, blocked).await;
    assert_eq!(blocked["kind"], "blocked");
    let output = json!({ "notesMarkdown": "Project: a sample\nSeen: 3 files" });
    let on = json!({ "ackToken": blocked["ackToken"], "output": output });
    let second = call(&mut pipe, WorkflowTool::ContinueWorkflow, on).await;
    let state = json!({ "stateToken": second["stateToken"] });
    call(&mut pipe, WorkflowTool::ContinueWorkflow, state).await;
    let bookmark = json!({ "checkpointToken": second["checkpointToken"] });
    call(&mut pipe, WorkflowTool::CheckpointWorkflow, bookmark).await;
    let found = call(&mut pipe, WorkflowTool::ResumeSession, json!({})).await;
    assert_eq!(found["candidates"].as_array().unwrap().len(), 1);
}

/// The names of all fields that a schema has anywhere.
fn fields(schema: &Value, found: &mut BTreeSet<String>) {
    let parts: Vec<&Value> = match schema {
        Value::Object(entries) => entries.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => return,
    };
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        found.extend(properties.keys().cloned());
    }
    for part in parts {
        fields(part, found);
    }
}

// shows: WR-321
#[tokio::test]
async fn what_a_step_requires_stands_in_its_prompt_and_in_no_field_beside_it() {
    let mut known = BTreeSet::new();
    for tool in [WorkflowTool::StartWorkflow, WorkflowTool::ContinueWorkflow] {
        fields(&Value::Object((*tool.card().output).clone()), &mut known);
    }
    assert!(known.contains("prompt") && known.contains("nextIntent"), "{known:?}");
    let beside = ["instruction", "guide", "requirement", "criteria"];
    let is_beside = |field: &&String| beside.iter().any(|word| field.to_lowercase().contains(word));
    assert_eq!(known.iter().find(is_beside), None);
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let start = json!({ "workflowId": "wr.tour" });
    let reply = call(&mut pipe, WorkflowTool::StartWorkflow, start.clone()).await;
    let prompt = reply["pending"]["prompt"].as_str().unwrap();
    assert!(prompt.contains("\n---\nOUTPUT REQUIREMENTS:\n- "), "{prompt}");
    let text = pipe.call("start_workflow", start).await.text;
    assert!(text.contains("\n---\nOUTPUT REQUIREMENTS:\n- "), "{text}");
}

// shows: WR-527
// shows in part: WR-485 (over MCP)
#[tokio::test]
async fn every_failure_is_an_envelope_with_a_text_that_says_the_same() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let envelope = validator(&error_schema());
    for (tool, arguments) in [
        ("list_workflows", json!({ "projectDir": "relative" })),
        ("inspect_workflow", json!({ "workflowId": "no.such" })),
        ("start_workflow", json!({ "workflowId": "wr.tuor" })),
        ("continue_workflow", json!({ "ackToken": "nonsense" })),
        ("checkpoint_workflow", json!({ "checkpointToken": "nonsense" })),
        ("resume_session", json!({ "sessionId": "sess_00000000000000000000000000" })),
    ] {
        let failed = pipe.call(tool, arguments).await;
        assert!(failed.is_error, "{tool}");
        envelope.validate(&failed.structured).unwrap();
        for part in ["/code", "/message", "/suggestion"] {
            assert!(failed.text.contains(&failed.at(part)), "{tool}: {part}");
        }
        assert!(failed.text.contains("The same call"), "{tool}: whether to repeat it");
    }
}
