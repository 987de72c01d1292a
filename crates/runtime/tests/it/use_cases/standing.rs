//! What a call stands on: the step that it belongs to, read from the log each time.

use piton_core::Code;
use piton_runtime::Connection;
use piton_runtime::reply::ReplyBody;
use piton_workflow::compile::ContextRole;
use serde_json::json;

use crate::rig::{Machine, labelled, notes, start, two_steps};

/// A workflow whose first step narrows and whose second does not.
fn machine() -> Machine {
    let machine = Machine::in_memory();
    let narrow = json!({
        "id": "project.narrow",
        "steps": [
            { "id": "look", "title": "Look", "prompt": "Look.", "access": { "context": "reader" } },
            { "id": "mend", "title": "Mend", "prompt": "Mend." },
        ],
    });
    machine.write("project/.piton/workflows/narrow.json", &narrow.to_string());
    machine.write("project/.piton/workflows/plain.json", &two_steps("project.plain"));
    machine
}

async fn started(agent: &Connection, id: &str) -> ReplyBody {
    agent.start_workflow(start(id)).await.unwrap().body
}

fn token(body: &ReplyBody) -> Option<&str> {
    body.next_call.as_ref()?.params.ack_token.as_deref()
}

// shows in part: WR-237 (a step that was passed)
#[tokio::test]
async fn a_step_narrows_while_it_is_pending_and_no_longer() {
    let machine = machine();
    let agent = machine.agent();
    let first = started(&agent, "project.narrow").await;
    let standing = agent.call_basis(token(&first)).await.unwrap();
    assert_eq!(standing.access.unwrap().context, Some(ContextRole::Reader));
    // Another process goes on with the run: this one's token of the first step grants nothing from then on.
    let other = machine.agent();
    let second =
        other.continue_workflow(notes(first.ack_token.as_ref(), "Looked.")).await.unwrap().body;
    let passed = agent.call_basis(token(&first)).await.unwrap_err();
    assert_eq!(passed.code, Code::TokenStepPassed);
    assert!(passed.message.contains("the step `look` of"), "{}", passed.message);
    let standing = agent.call_basis(token(&second)).await.unwrap();
    assert_eq!((standing.access, standing.provenance.unwrap().step.as_str()), (None, "mend"));
}

// shows in part: WR-237 (a run is required)
#[tokio::test]
async fn a_call_must_name_its_step_as_long_as_a_run_of_the_agent_narrows() {
    let machine = machine();
    let agent = machine.agent();
    let plain = started(&agent, "project.plain").await;
    assert!(agent.call_basis(None).await.is_ok());
    let narrow = started(&agent, "project.narrow").await;
    let refused = agent.call_basis(None).await.unwrap_err();
    assert_eq!(refused.code, Code::TokenRunRequired);
    assert!(refused.message.contains("has no `run`"), "{}", refused.message);
    // The other run of the same connection is not narrowed.
    assert_eq!(agent.call_basis(token(&plain)).await.unwrap().access, None);
    // Somebody else's connection does not know of it.
    assert!(machine.agent().call_basis(None).await.is_ok());
    let on = labelled(&narrow.run, notes(narrow.ack_token.as_ref(), "Looked."));
    let mend = agent.continue_workflow(on).await.unwrap();
    assert!(agent.call_basis(None).await.is_err(), "the workflow narrows, and is not at its end");
    let on = labelled(&narrow.run, notes(mend.body.ack_token.as_ref(), "Mended."));
    agent.continue_workflow(on).await.unwrap();
    assert!(agent.call_basis(None).await.is_ok());
}

#[tokio::test]
async fn a_rewound_token_grants_nothing_until_the_run_is_there_again() {
    let machine = machine();
    let agent = machine.agent();
    let first = started(&agent, "project.narrow").await;
    agent.continue_workflow(notes(first.ack_token.as_ref(), "Looked.")).await.unwrap();
    let rewound = agent.call_basis(Some(&first.state_token)).await.unwrap_err();
    assert_eq!(rewound.code, Code::TokenStepPassed);
}

#[tokio::test]
async fn a_caller_of_whom_nothing_is_known_names_its_step_wherever_a_workflow_narrows() {
    let machine = machine();
    let narrow = "project/.piton/workflows/narrow.json";
    let text = std::fs::read_to_string(machine.home().join(narrow)).unwrap();
    let once = machine.runtime().connect_once();
    assert!(once.call_basis(None).await.is_ok(), "without a project there is no such workflow");
    machine.write(".config/piton/workflows/narrow.json", &text);
    let refused = machine.runtime().connect_once().call_basis(None).await.unwrap_err();
    assert_eq!(refused.code, Code::TokenRunRequired);
    let body = started(&machine.agent(), "project.narrow").await;
    let standing = machine.runtime().connect_once().call_basis(token(&body)).await.unwrap();
    assert!(standing.access.is_some());
}

#[tokio::test]
async fn the_configuration_can_have_every_call_name_its_step() {
    let machine = machine();
    machine.write("project/piton.toml", "[access]\nrun = \"always\"");
    let agent = machine.agent();
    assert_eq!(agent.call_basis(None).await.unwrap_err().code, Code::TokenRunRequired);
    let plain = started(&agent, "project.plain").await;
    assert!(agent.call_basis(token(&plain)).await.unwrap().provenance.is_some());
}
