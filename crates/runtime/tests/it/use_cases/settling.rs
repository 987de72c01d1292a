//! What a person says about a step that waits for one.

use piton_core::Code;
use piton_runtime::request::{PersonVerdict, SessionReference};
use serde_json::json;

use crate::rig::{Machine, notes, start};

#[tokio::test]
async fn a_person_approves_by_the_two_words_of_a_run_and_the_agent_goes_on() {
    let machine = Machine::in_memory();
    let file = json!({ "id": "project.drop", "steps": [
        { "id": "drop", "title": "Drop", "prompt": "Drop the table.",
          "needsUser": { "reason": "needs_user_approval", "question": "May the table be dropped?" } },
        { "id": "end", "title": "End", "prompt": "End." },
    ]});
    machine.write("project/.piton/workflows/drop.json", &file.to_string());
    let agent = machine.agent();
    let first = agent.start_workflow(start("project.drop")).await.unwrap();
    let waits = agent.continue_workflow(notes(first.body.ack_token.as_ref(), "x")).await.unwrap();
    assert!(waits.body.blockers.is_some());

    let run = SessionReference(first.body.run.label.to_string());
    let runtime = machine.runtime();
    for verdict in [PersonVerdict::Answered(" ".to_owned()), PersonVerdict::Refused(String::new())]
    {
        let said_nothing = runtime.settle_run(&run, None, verdict).await;
        assert_eq!(said_nothing.unwrap_err().code, Code::ValidationError);
    }
    let refused = PersonVerdict::Refused("back it up first".to_owned());
    let settled = runtime.settle_run(&run, None, refused).await.unwrap();
    assert_eq!(settled.run.run_id, first.body.run.run_id);
    assert!(settled.summary.contains("back it up first"), "{}", settled.summary);
    runtime.settle_run(&run, None, PersonVerdict::Approved).await.unwrap();
    let next = notes(waits.body.ack_token.as_ref(), "Dropped.");
    let next = agent.continue_workflow(next).await.unwrap();
    assert_eq!(next.body.pending.unwrap().step_id.as_str(), "end");

    let session = SessionReference(first.body.run.session_id.to_string());
    let refused = runtime.settle_run(&session, None, PersonVerdict::Approved).await.unwrap_err();
    assert_eq!(refused.code, Code::ValidationError);
}
