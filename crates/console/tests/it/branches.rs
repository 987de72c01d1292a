//! The branch that a person prefers.

use piton_runtime::Whereabouts;
use piton_runtime::request::Continue;
use serde_json::json;

use crate::browser::Machine;

#[tokio::test]
async fn a_branch_is_preferred_in_the_name_of_the_person() {
    let machine = Machine::start().await;
    let agent = machine.runtime.connect(Whereabouts::default());
    let start = serde_json::from_value(json!({ "workflowId": "wr.tour" })).unwrap();
    let begun = agent.start_workflow(start).await.unwrap().body;
    let (session, run) = (begun.run.session_id, begun.run.run_id);
    // The first step is left twice: the second time makes a branch.
    for way in ["left", "right"] {
        let here = json!({ "stateToken": begun.state_token });
        let here: Continue = serde_json::from_value(here).unwrap();
        let ack = agent.continue_workflow(here).await.unwrap().body.ack_token;
        let notes = format!("Project: a shop\nSeen: 3 files, the {way} way");
        let leave = json!({ "ackToken": ack, "output": { "notesMarkdown": notes } });
        agent.continue_workflow(serde_json::from_value(leave).unwrap()).await.unwrap();
    }
    let browser = machine.entered().await;
    let path = format!("/api/v1/sessions/{session}/runs/{run}");
    let shape = browser.get(&format!("{path}/shape")).await.json()["shape"].clone();
    let current = shape["preferredTip"].as_u64().unwrap();
    let tips: Vec<u64> =
        shape["tips"].as_array().unwrap().iter().map(|tip| tip.as_u64().unwrap()).collect();
    assert_eq!(tips.len(), 2);
    let other = *tips.iter().find(|tip| **tip != current).unwrap();
    let node = shape["nodes"]["id"][usize::try_from(other).unwrap()].as_str().unwrap();
    for was_preferred in [false, true] {
        let reply = browser.post(&format!("{path}/prefer"), &json!({ "node": node })).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let reply = reply.json();
        assert_eq!(
            (&reply["tipId"], &reply["wasPreferred"]),
            (&json!(node), &json!(was_preferred))
        );
    }
    let shape = browser.get(&format!("{path}/shape")).await.json()["shape"].clone();
    assert_eq!(shape["preferredTip"], other);
    assert_eq!((&shape["waits"], &shape["openGaps"]), (&json!([]), &json!([])));
    let step = browser.get(&format!("{path}/steps/{node}")).await.text();
    assert!(step.contains("A person (os-user) prefers this branch."), "{step}");
    let strange = json!({ "node": "node_00000000000000000000000000" });
    assert!(browser.post(&format!("{path}/prefer"), &strange).await.status >= 400);
}
