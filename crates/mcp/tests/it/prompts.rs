//! A prompt for each workflow, which clients offer as a slash command.

use piton_runtime::Whereabouts;
use serde_json::{Value, json};

use crate::rig::{Machine, Pipe, STATELESS};

const CHANGED: &str = "notifications/prompts/list_changed";

fn names(listed: &Value) -> Vec<&str> {
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    prompts.iter().map(|prompt| prompt["name"].as_str().unwrap()).collect()
}

fn message(prompt: &Value) -> &str {
    prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap()
}

#[tokio::test]
async fn every_workflow_that_can_be_started_is_a_prompt_that_starts_it() {
    let machine = Machine::new();
    let mut pipe = Pipe::at(&machine).await;
    let listed = pipe.request("prompts/list", json!({})).await;
    let workflows = pipe.call("list_workflows", json!({})).await.structured;
    let ids = workflows["workflows"].as_array().unwrap().iter();
    let ids: Vec<_> = ids.map(|entry| entry["workflowId"].as_str().unwrap()).collect();
    assert_eq!(names(&listed), ids);
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    let plain = prompts.iter().find(|prompt| prompt["name"] == "project.plain").unwrap();
    assert_eq!(
        (&plain["title"], &plain["description"]),
        (&json!("A sample"), &json!("For tests."))
    );
    assert_eq!(plain["arguments"][0]["name"], "goal");

    // The call that the text names works as it is, whatever characters the goal has.
    let goal = "mend \"it\"\u{1f9d7}";
    let arguments = json!({ "name": "project.plain", "arguments": { "goal": goal } });
    let prompt = pipe.request("prompts/get", arguments).await;
    let (_, call) = message(&prompt).split_once("start_workflow with ").unwrap();
    let call = call.split(". Then do").next().unwrap();
    let call: Value = serde_json::from_str(call).unwrap();
    let answer = pipe.call("start_workflow", call).await;
    assert!(!answer.is_error, "{}", answer.text);
    let run = json!({ "runId": answer.structured["run"]["runId"] });
    let found = pipe.call("resume_session", run).await;
    assert_eq!(found.structured["candidates"][0]["title"], goal);

    let bare = pipe.request("prompts/get", json!({ "name": "project.plain" })).await;
    assert!(message(&bare).contains("what we are talking about"), "{bare}");
}

#[tokio::test]
async fn a_client_is_told_when_there_are_other_prompts() {
    for revision in ["2025-11-25", STATELESS] {
        let machine = Machine::new();
        let mut pipe = Pipe::of_revision(&machine, revision).await;
        if revision == STATELESS {
            let wanted = json!({ "notifications": { "promptsListChanged": true } });
            pipe.ask("subscriptions/listen", wanted).await;
            let acknowledged = pipe.receive().await;
            assert_eq!(acknowledged["params"]["notifications"]["promptsListChanged"], true);
        }
        pipe.request("prompts/list", json!({})).await;
        pipe.call("list_workflows", json!({})).await;
        assert!(pipe.notified.is_empty(), "{:?}", pipe.notified);
        let text =
            std::fs::read_to_string(machine.project().join(".piton/workflows/plain.json")).unwrap();
        let other = text.replace("project.plain", "project.other");
        machine.write("project/.piton/workflows/other.json", &other);
        pipe.call("list_workflows", json!({})).await;
        while !pipe.notified.iter().any(|one| one["method"] == CHANGED) {
            let message = pipe.receive().await;
            pipe.notified.push(message);
        }
        let listed = pipe.request("prompts/list", json!({})).await;
        assert!(names(&listed).contains(&"project.other"), "{listed}");
    }
}

#[tokio::test]
async fn the_prompts_are_those_of_the_root_that_the_client_tells() {
    let machine = Machine::new();
    let whereabouts = Whereabouts::default();
    let mut pipe = Pipe::with_roots(&machine.runtime(), whereabouts).await;
    let id = pipe.ask("prompts/list", json!({})).await;
    let question = pipe.receive().await;
    assert_eq!(question["method"], "roots/list", "{question}");
    let roots = json!({ "roots": [{ "uri": format!("file://{}", machine.project().display()) }] });
    pipe.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": roots })).await;
    assert!(names(&pipe.reply_to(id).await).contains(&"project.plain"));
}
