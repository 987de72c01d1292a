//! Which project a call is about.

use std::collections::BTreeMap;
use std::path::Path;

use piton_runtime::Whereabouts;
use serde_json::{Value, json};

use crate::rig::{Answer, Machine, Pipe, Web};

/// A machine with one more project for each way to name one.
fn machine() -> Machine {
    let machine = Machine::new();
    for name in ["asked", "my root", "claude", "configured"] {
        machine.write(&format!("{name}/piton.toml"), "");
    }
    machine
}

fn used(answer: &Answer) -> &Value {
    &answer.structured["projectDir"]
}

/// Lists workflows and answers the question for roots on the way.
async fn list_with_root(pipe: &mut Pipe, root: &Path) -> Answer {
    let arguments = json!({ "name": "list_workflows", "arguments": {} });
    let id = pipe.ask("tools/call", arguments).await;
    let question = pipe.receive().await;
    assert_eq!(question["method"], "roots/list", "{question}");
    let uri = format!("file://{}", root.display()).replace(' ', "%20");
    let roots = json!({ "roots": [{ "uri": "https://example.org" }, { "uri": uri }] });
    pipe.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": roots })).await;
    Answer::of(&pipe.reply_to(id).await)
}

#[tokio::test]
async fn over_a_pipe_the_argument_counts_then_the_root_then_the_environment_then_the_directory() {
    let machine = machine();
    let at = |name: &str| machine.home().join(name);
    let whereabouts = Whereabouts {
        client_root: None,
        claude_project_dir: Some(at("claude")),
        working_dir: Some(machine.project()),
    };
    let mut pipe = Pipe::with_roots(&machine.runtime(), whereabouts.clone()).await;
    let answer = list_with_root(&mut pipe, &at("my root")).await;
    assert_eq!(used(&answer), &json!(at("my root")));
    let asked = pipe.call("list_workflows", json!({ "projectDir": at("asked") })).await;
    assert_eq!(used(&asked), &json!(at("asked")));
    assert!(pipe.notified.is_empty(), "roots are asked for once: {:?}", pipe.notified);
    pipe.notify("notifications/roots/list_changed").await;
    pipe.request("ping", json!({})).await;
    let answer = list_with_root(&mut pipe, &at("asked")).await;
    assert_eq!(used(&answer), &json!(at("asked")));

    let mut pipe = Pipe::silent(machine.runtime(), whereabouts);
    pipe.request("initialize", crate::rig::hello("2025-11-25")).await;
    pipe.notify("notifications/initialized").await;
    assert_eq!(used(&pipe.call("list_workflows", json!({})).await), &json!(at("claude")));
    let mut pipe = Pipe::at(&machine).await;
    assert_eq!(used(&pipe.call("list_workflows", json!({})).await), &json!(machine.project()));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_tell_its_roots_is_not_waited_for() {
    let machine = machine();
    let mut pipe = Pipe::with_roots(&machine.runtime(), machine.whereabouts()).await;
    let answer = pipe.call("list_workflows", json!({})).await;
    assert_eq!(used(&answer), &json!(machine.project()));
    assert_eq!(pipe.notified[0]["method"], "roots/list");
}

#[tokio::test]
async fn over_http_only_what_is_named_or_configured_counts() {
    let machine = machine();
    let mut web = Web::of_revision(machine.runtime(), "2025-11-25").await;
    assert!(used(&web.call("list_workflows", json!({})).await).is_null());
    let asked = machine.home().join("asked");
    let answer = web.call("list_workflows", json!({ "projectDir": asked })).await;
    assert_eq!(used(&answer), &json!(asked));
    let configured = machine.home().join("configured");
    let variable = ("PITON_PROJECT_DIR".to_owned(), configured.display().to_string());
    let runtime = machine.runtime_with(BTreeMap::from([variable]));
    let mut web = Web::of_revision(runtime, "2025-11-25").await;
    assert_eq!(used(&web.call("list_workflows", json!({})).await), &json!(configured));
}
