//! Replies about a large run: each stays within its bound, and says what is left out.
#![expect(clippy::disallowed_methods, reason = "writes the workflow of a project")]

use std::sync::Arc;

use piton_runtime::provenance::NodeReference;
use piton_runtime::request::{Continue, SessionReference, StartWorkflow, SubmittedOutput};
use piton_runtime::{Connection, Whereabouts};
use serde_json::{Value, json};

use crate::browser::{Browser, Machine};

const ARTIFACTS: usize = 64;
const REPLY_MAX: usize = 1 << 20;

/// The size of a run, in steps and branches.
#[derive(Clone, Copy)]
struct Size {
    steps: usize,
    branches: usize,
}

/// A run with 64 artifacts for each step, and branches after its second step.
async fn large_run(
    machine: &Machine,
    project: &std::path::Path,
    size: Size,
) -> (String, String, Vec<String>) {
    let steps: Vec<Value> = (0..size.steps)
        .map(|n| json!({ "id": format!("s{n}"), "title": format!("Step {n}"), "prompt": "Do it." }))
        .collect();
    let file = json!({ "id": "project.large", "name": "L", "description": "d", "steps": steps });
    let workflows = project.join(".piton/workflows");
    std::fs::create_dir_all(&workflows).unwrap();
    std::fs::write(workflows.join("large.json"), file.to_string()).unwrap();
    let working_dir = Some(project.to_owned());
    let whereabouts = Whereabouts { working_dir, ..Whereabouts::default() };
    let agent: Connection = Arc::clone(&machine.runtime).connect(whereabouts);
    let start: StartWorkflow =
        serde_json::from_value(json!({ "workflowId": "project.large", "goal": "grow" })).unwrap();
    let mut body = agent.start_workflow(start).await.unwrap().body;
    let (session, run) = (body.run.session_id.to_string(), body.run.run_id.to_string());
    let submit = async |ack: Option<String>, notes: String, artifacts: Vec<Value>| {
        let output = SubmittedOutput { notes_markdown: Some(notes), artifacts };
        let request = Continue { ack_token: ack, output: Some(output), ..Continue::default() };
        agent.continue_workflow(request).await.unwrap().body
    };
    for step in 0..size.steps {
        let artifact =
            |n: usize| json!({ "kind": "row", "step": step, "n": n, "text": "x".repeat(100) });
        let notes = format!("Did {step}.\n{}", "A line of what was done.\n".repeat(100));
        body = submit(body.ack_token.clone(), notes, (0..ARTIFACTS).map(artifact).collect()).await;
    }
    assert!(body.is_complete);
    let browser = machine.entered().await;
    let shape = browser.get(&format!("/api/v1/sessions/{session}/runs/{run}/shape")).await.json();
    let nodes: Vec<String> = serde_json::from_value(shape["shape"]["nodes"]["id"].clone()).unwrap();
    let at = NodeReference { run: SessionReference(run.clone()), node: Some(nodes[1].clone()) };
    let forked = serde_json::to_value(machine.runtime.fork_run(&at).await.unwrap()).unwrap();
    let token = find(&forked, "stateToken").expect("a fork names the token to continue with");
    for branch in 0..size.branches {
        // Each time, the token gives the right to one more attempt, which begins one more branch.
        let asked = Continue { state_token: Some(token.clone()), ..Continue::default() };
        let there = agent.continue_workflow(asked).await.unwrap().body;
        submit(there.ack_token, format!("Branch {branch}."), Vec::new()).await;
    }
    (session, run, nodes)
}

/// Returns the first text of this name anywhere in a value.
fn find(value: &Value, name: &str) -> Option<String> {
    match value {
        Value::Object(object) => object.iter().find_map(|(key, value)| match value {
            Value::String(text) if key == name => Some(text.clone()),
            value => find(value, name),
        }),
        Value::Array(list) => list.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

async fn bounded(browser: &Browser, path: &str) -> Value {
    let reply = browser.get(&format!("/api/v1/{path}")).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.text().chars().take(400).collect::<String>());
    assert!(reply.body.len() <= REPLY_MAX, "{path}: {} bytes", reply.body.len());
    reply.json()
}

async fn shows_within_bounds(size: Size) {
    let machine = Machine::start().await;
    let project = tempfile::tempdir().unwrap();
    let (session, run, nodes) = large_run(&machine, project.path(), size).await;
    let browser = machine.entered().await;
    bounded(&browser, "inbox").await;
    let of_run = format!("sessions/{session}/runs/{run}");
    let shape = bounded(&browser, &format!("{of_run}/shape")).await;
    assert_eq!(
        shape["shape"]["nodes"]["id"].as_array().unwrap().len(),
        size.steps + 1 + size.branches
    );
    assert_eq!(shape["shape"]["tips"].as_array().unwrap().len(), size.branches + 1);
    for path in ["tree", "recap", "drift", "pinned"] {
        bounded(&browser, &format!("{of_run}/{path}")).await;
    }
    let last = &nodes[size.steps];
    let blame = bounded(&browser, &format!("{of_run}/blame?node={last}")).await;
    let chain = blame["chain"].as_array().unwrap().len() as u64;
    assert_eq!(chain + blame["leftOut"].as_u64().unwrap(), size.steps as u64 + 1);
    let compared = bounded(&browser, &format!("compare?left={run}@{last}&right={run}")).await;
    let remarks = compared["notes"].to_string();
    let has_all = compared["left"]["steps"].as_array().unwrap().len() == size.steps;
    assert!(has_all || remarks.contains("are left out"), "{remarks}");
    let step = bounded(&browser, &format!("{of_run}/steps/{}", nodes[0])).await;
    let outputs = &step["outputs"];
    let shown = outputs["items"].as_array().unwrap().len() as u64;
    assert_eq!(shown + outputs["leftOut"].as_u64().unwrap(), ARTIFACTS as u64 + 1);
    let shown = bounded(&browser, &format!("sessions/{session}")).await;
    assert_eq!(shown["sessionId"], session.as_str());
    // Every event is on some page.
    let (mut from, mut met) = (0, 0);
    loop {
        let page = bounded(&browser, &format!("sessions/{session}/events?from={from}")).await;
        let events = page["events"].as_array().unwrap();
        assert!(!events.is_empty(), "{from}");
        met += events.len();
        from = met;
        if met as u64 >= page["total"].as_u64().unwrap() {
            break;
        }
    }
    assert!(met > size.steps * ARTIFACTS, "{met}");
}

mod long {
    use super::{Size, shows_within_bounds};

    #[tokio::test]
    async fn a_run_with_many_artifacts_and_branches_is_shown_within_bounds() {
        let is_long = std::env::var_os("PITON_LONG").is_some();
        let size = if is_long { (82, 200) } else { (8, 20) };
        shows_within_bounds(Size { steps: size.0, branches: size.1 }).await;
    }
}
