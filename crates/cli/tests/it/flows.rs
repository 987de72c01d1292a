//! `piton flow`, as people and programs use it: with tools of a server that it starts, and a model on a real socket.

use std::path::Path;

use piton_models::WireFormat;
use piton_models::testing::{ModelServer, ScriptedReply};
use serde_json::{Value, json};

use crate::rig::Rig;

/// Lists workflows by a tool of `piton mcp`, then lets a model say something about them.
fn flow() -> Value {
    json!({
        "version": "2.0.0", "namespace": "tour",
        "nodes": [
            { "id": "look", "type": "tool_call",
              "params": { "tool": "piton_list_workflows", "output": "found", "onError": "fail" } },
            { "id": "say", "type": "final_answer",
              "params": { "prompt": "For {{who}}: {{found}}", "output": "answer" } },
        ],
        "edges": [{ "from": "look", "to": "say" }],
    })
}

struct Files {
    flow: String,
    tools: String,
    models: String,
}

fn write(rig: &Rig, name: &str, value: &Value) -> String {
    let path = rig.project().join(name);
    std::fs::write(&path, value.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn files(rig: &Rig, server: &ModelServer) -> Files {
    let piton = Path::new(env!("CARGO_BIN_EXE_piton"));
    let home = rig.home();
    let tools = json!({ "mcpServers": { "piton": {
        "command": piton, "args": ["mcp"], "env": { "HOME": home } } } });
    let provider = json!({ "name": "local", "wire": "openai", "model": "small",
        "baseUrl": server.base_url(WireFormat::OpenAi) });
    let models = json!({ "default": "local", "providers": [provider] });
    Files {
        flow: write(rig, "flow.json", &flow()),
        tools: write(rig, "tools.json", &tools),
        models: write(rig, "models.json", &models),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

// shows in part: BP-094 (the part about `flow run` and `flow resume`), BP-092 (the part about the command line)
#[test]
fn a_flow_runs_with_tools_of_a_server_and_a_model_and_goes_on_after_a_failure() {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = executor.block_on(ModelServer::start());
    let rig = Rig::new();
    let Files { flow, tools, models } = files(&rig, &server);
    let outside = ["--tools", &tools, "--models", &models];
    server.push_reply(ScriptedReply::status(401, "who are you?"));
    let run = [&["flow", "run", &flow, "--set", "who=Ada", "--json"][..], &outside].concat();
    let failed = rig.run(&run);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stderr));
    let told: Value = serde_json::from_slice(&failed.stdout).unwrap();
    assert_eq!((&told["schema"], &told["status"]), (&json!("piton.flow_run/1"), &json!("failed")));
    assert!(
        told["error"]["message"].as_str().unwrap().contains("Node `say` failed in exec"),
        "{told}"
    );

    server.push_reply(ScriptedReply::text("six of them"));
    let backpack = told["backpack"].as_str().unwrap();
    let resume = [&["flow", "resume", backpack, "--events"][..], &outside].concat();
    let resumed = rig.run(&resume);
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    let events: Vec<Value> =
        text(&resumed.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&events[0]["type"], &events[0]["resumed"]), (&json!("run_start"), &json!(true)));
    assert_eq!(events.last().unwrap()["status"], json!("done"));
    let begun: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "node_start")
        .map(|event| &event["nodeId"])
        .collect();
    assert_eq!(begun, [&json!("say")], "the node that finished does not run again");
    let prompt = server.seen().last().unwrap().body["messages"][0]["content"].to_string();
    assert!(prompt.contains("For Ada") && prompt.contains("wr.bug_investigation"), "{prompt}");

    let again = rig.run(&[&["flow", "resume", backpack, "--flow", &flow][..], &outside].concat());
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("came to its end"), "{}", text(&again.stderr));
}

// shows in part: BP-094 (the part about `flow check` and `flow graph`)
#[test]
fn a_flow_is_checked_and_drawn_without_running_it() {
    let rig = Rig::new();
    let chat = |id: &str| json!({ "id": id, "type": "chat", "params": { "prompt": "hi" } });
    let good = write(
        &rig,
        "good.json",
        &json!({ "nodes": [chat("a"), chat("b")], "edges": [{ "from": "a", "to": "b" }] }),
    );
    let checked = rig.run(&["flow", "check", &good]);
    assert_eq!(
        (checked.status.code(), text(&checked.stdout)),
        (Some(0), "The flow can run.\n".to_owned())
    );
    let drawn = rig.run(&["flow", "graph", &good]);
    assert!(text(&drawn.stdout).starts_with("flowchart TD\n    n0[\"a<br/>chat\"]"));
    let bad = write(
        &rig,
        "bad.json",
        &json!({ "nodes": [chat("a"), { "id": "b", "type": "nope" }], "edges": [{ "from": "a", "to": "c" }] }),
    );
    let refused = rig.run(&["flow", "check", &bad]);
    assert_eq!(refused.status.code(), Some(1));
    let lines = text(&refused.stdout);
    assert!(lines.contains("error  nodes[1].type: there is no type `nope`"), "{lines}");
    assert!(lines.contains("error  edges[0].to: there is no node or subflow `c`"), "{lines}");
    let run = rig.run(&["flow", "run", &bad]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("nodes[1].type"), "{}", text(&run.stderr));
}

#[test]
fn a_node_calls_the_tools_of_workspaces_within_their_scopes_and_is_blamed_for_what_it_writes() {
    let rig = Rig::new();
    rig.write("docs/a.txt", "alpha\n");
    rig.write("notes/old.txt", "old\n");
    let call = |id: &str, tool: &str, arguments: Value, on_error: &str| {
        json!({ "id": id, "type": "tool_call", "params":
            { "tool": tool, "arguments": arguments, "output": id, "onError": on_error } })
    };
    let content = json!({ "path": "/notes/new.txt", "content": "seen\n" });
    let refused = json!({ "path": "/docs/b.txt", "content": "x" });
    let nodes = [
        call("look", "read", json!({ "path": "/docs/a.txt" }), "fail"),
        call("note", "write", content, "fail"),
        call("refused", "write", refused, "pack"),
    ];
    let edges = json!([{ "from": "look", "to": "note" }, { "from": "note", "to": "refused" }]);
    let flow = json!({ "version": "2.0.0", "namespace": "files", "nodes": nodes, "edges": edges });
    let flow = write(&rig, "flow.json", &flow);
    // Without Workspaces there is no such tool, and the error comes before anything runs.
    let (code, error) = rig.fails(&["flow", "run", &flow]);
    assert_eq!(code, 1);
    assert!(error.to_string().contains("no tool `read`"), "{error}");
    let scopes = ["--workspace", "/docs=./docs:ro", "--workspace", "/notes=./notes:rw"];
    let run = [&["flow", "run", &flow, "--backpack", "files"][..], &scopes].concat();
    assert_eq!(rig.tells(&run)["status"], "done");
    let at = |key: &str| rig.says(&["backpack", "at", "files", "--key", key]);
    assert!(at("look").contains("alpha"), "{}", at("look"));
    assert!(at("refused").contains("in the read-only Workspace /docs"), "{}", at("refused"));
    assert_eq!(std::fs::read_to_string(rig.project().join("notes/new.txt")).unwrap(), "seen\n");
    assert!(!rig.project().join("docs/b.txt").exists());
    let blame = [&["blame", "file", "/notes/new.txt"][..], &scopes].concat();
    assert_eq!(rig.tells(&blame)["records"][0]["agent"], "flow");
}

#[test]
fn what_cannot_be_packed_is_refused_before_a_backpack_is_made() {
    let rig = Rig::new();
    let node = json!({ "id": "a", "type": "final_answer", "params": { "prompt": "hi" } });
    let flow = write(&rig, "flow.json", &json!({ "nodes": [node] }));
    let long = format!("{}=1", "k".repeat(257));
    for (option, item) in [("--set", "=1"), ("--pii", "=1"), ("--set", &long)] {
        let (code, error) = rig.fails(&["flow", "run", &flow, "--backpack", "kept", option, item]);
        assert_eq!((code, &error["code"]), (1, &json!("VALIDATION_ERROR")));
    }
    assert_eq!(rig.tells(&["backpack", "list"])["backpacks"], json!([]));
}

#[test]
fn a_missing_directory_of_a_workspace_is_told_before_a_run_that_calls_tools_begins() {
    let rig = Rig::new();
    let look = json!({ "id": "look", "type": "tool_call", "params":
        { "tool": "read", "arguments": { "path": "/docs/a.txt" }, "output": "seen" } });
    let inner = json!({ "id": "inner", "nodes": [look] });
    let flow = json!({ "version": "2.0.0", "subflows": [inner] });
    let flow = write(&rig, "flow.json", &flow);
    let docs = ["--workspace", "/docs=./docs:rw"];
    // To check and to draw it takes the scopes alone.
    for command in ["check", "graph"] {
        rig.says(&[&["flow", command, &flow][..], &docs].concat());
    }
    let refused = |arguments: &[&str]| {
        let (code, error) = rig.fails(&[arguments, &docs].concat());
        let message = error["message"].as_str().unwrap();
        assert_eq!(code, 1, "{message}");
        assert!(message.contains("/docs has a `directory` that does not exist"), "{message}");
    };
    let run = ["flow", "run", &flow, "--set", "query=1", "--backpack", "kept"];
    refused(&run);
    assert_eq!(rig.tells(&["backpack", "list"])["backpacks"], json!([]));

    rig.write("docs/a.txt", "alpha\n");
    rig.says(&[&run[..], &docs].concat());
    std::fs::remove_dir_all(rig.project().join("docs")).unwrap();
    let log = rig.tells(&["backpack", "log", "kept"]);
    refused(&["flow", "resume", "kept"]);
    refused(&["flow", "replay", "kept", "--from", "inner/look"]);
    assert_eq!(rig.tells(&["backpack", "log", "kept"]), log);
    assert_eq!(rig.tells(&["backpack", "list"])["backpacks"].as_array().unwrap().len(), 1);

    // What calls no tool needs no files.
    let asks =
        json!({ "nodes": [{ "id": "ask", "type": "final_answer", "params": { "prompt": "hi" } }] });
    let asks = write(&rig, "asks.json", &asks);
    let models = write(&rig, "models.json", &json!({ "rehearsed": [{ "say": "hello" }] }));
    rig.says(&[&["flow", "run", &asks, "--models", &models][..], &docs].concat());
}
