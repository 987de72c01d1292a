//! Every revision of the protocol, at one endpoint.

use serde_json::{Value, json};

use crate::rig::{Answer, Machine, Pipe, REVISIONS, STATELESS, Web, request};

fn names(listed: &Value) -> usize {
    listed["result"]["tools"].as_array().map_or(0, Vec::len)
}

fn done(token: &str) -> Value {
    json!({ "ackToken": token, "output": { "notesMarkdown": "Done." } })
}

#[tokio::test]
async fn every_revision_leads_a_run_to_its_end_over_a_pipe() {
    for revision in REVISIONS {
        let machine = Machine::new();
        let mut pipe = Pipe::of_revision(&machine, revision).await;
        assert_eq!(names(&pipe.request("tools/list", json!({})).await), 7, "{revision}");
        let mut answer = pipe.start("project.plain").await;
        while answer.structured["isComplete"] == false {
            answer = pipe.call("continue_workflow", done(&answer.at("/ackToken"))).await;
        }
        assert!(!answer.is_error, "{revision}: {}", answer.text);
        pipe.close().await.unwrap();
    }
}

#[tokio::test]
async fn every_revision_leads_a_run_to_its_end_over_http() {
    let machine = Machine::new();
    let start = json!({ "workflowId": "project.plain", "projectDir": machine.project() });
    for revision in REVISIONS {
        let mut web = Web::of_revision(machine.runtime(), revision).await;
        assert_eq!(names(&web.request("tools/list", json!({})).await), 7, "{revision}");
        let mut answer: Answer = web.call("start_workflow", start.clone()).await;
        while answer.structured["isComplete"] == false {
            answer = web.call("continue_workflow", done(&answer.at("/ackToken"))).await;
        }
        assert!(!answer.is_error, "{revision}: {}", answer.text);
        web.stop().await;
    }
}

#[tokio::test]
async fn a_client_without_a_handshake_discovers_every_revision_and_the_instructions() {
    let machine = Machine::new();
    let mut pipe = Pipe::of_revision(&machine, STATELESS).await;
    let over_pipe = pipe.request("server/discover", json!({})).await;
    let web = Web::of_revision(machine.runtime(), STATELESS).await;
    let message = request(STATELESS, 1, "server/discover", json!({}));
    let over_http = web.post(&message, &[]).await.messages().remove(0);
    for discovered in [over_pipe, over_http] {
        let result = &discovered["result"];
        let mut known: Vec<&str> = result["supportedVersions"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        known.sort_unstable();
        assert_eq!(known, REVISIONS);
        assert!(result["instructions"].as_str().unwrap().contains("start_workflow"));
    }
}
