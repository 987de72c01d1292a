//! The five promises to whoever builds agents, end to end: a flow from JSON with a tool that fails and a model on a
//! real socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use piton_backpack::flow::{Flow, FlowState, FunctionTool, Registry, RunOptions, Tools};
use piton_backpack::{Backpack, Filter, NodeId, NodeIdentity, PackOptions, StateDiff};
use piton_core::{Code, TimestampMs};
use piton_models::testing::{ModelServer, ScriptedReply};
use serde_json::{Value, json};

use crate::flow::builtin::client;
use crate::flow::site::{clock, runner_with, state, value};

/// A tool that fails twice, then gives the prices, and fails for ever when it is told to.
pub(crate) fn prices(calls: &Arc<AtomicU32>) -> Tools {
    let calls = Arc::clone(calls);
    let tool =
        FunctionTool::new("get_prices", "Prices", json!({ "type": "object" }), move |arguments| {
            let call = calls.fetch_add(1, Ordering::SeqCst) + 1;
            let broken = arguments["broken"] == true;
            std::future::ready(if broken || call < 3 {
                Err(format!("ECONNRESET-canary-{call}"))
            } else {
                Ok(json!({ "prices": "fell 3 %" }))
            })
        });
    let mut tools = Tools::new();
    tools.register(Arc::new(tool)).unwrap();
    tools
}

/// Finds prices, checks them, and lets a model sum up everything that research has found.
pub(crate) fn research(broken: bool) -> Value {
    json!({
        "version": "2.0.0", "namespace": "research",
        "nodes": [
            { "id": "find", "type": "tool_call", "retry": { "attempts": 3 },
              "params": { "tool": "get_prices", "arguments": { "broken": broken }, "output": "found" } },
            { "id": "sum-up", "type": "chat", "segment": "summary",
              "params": { "prompt": "Sum up for {{user}}:", "context": ["research.**"], "output": "answer" },
              "permissions": { "read": ["user"], "namespaceRead": ["research.**"], "write": ["answer"] } },
        ],
        "edges": [{ "from": "find", "to": "sum-up" }],
    })
}

pub(crate) async fn run(server: &ModelServer, broken: bool, state: &FlowState) {
    let tools = prices(&Arc::default());
    let text = research(broken).to_string();
    let flow = Flow::from_json(&text, &Registry::builtin(tools.clone())).unwrap().flow;
    let report =
        runner_with(client(server), tools, clock()).run(&flow, state, RunOptions::default()).await;
    report.outcome.unwrap();
}

pub(crate) fn sent(server: &ModelServer) -> String {
    server.seen().last().unwrap().body.to_string()
}

// shows: BP-054
#[tokio::test]
async fn what_failed_on_the_way_never_reaches_the_model_and_what_was_packed_on_purpose_does() {
    let server = ModelServer::start().await;
    server.push_reply(ScriptedReply::text("prices fell"));
    let good = state(&[("user", json!("Ada"))]);
    run(&server, false, &good).await;
    let prompt = sent(&server);
    assert!(prompt.contains("fell 3 %"), "{prompt}");
    assert!(!prompt.contains("canary") && !prompt.contains("ECONNRESET"), "{prompt}");
    let quarantined = good.backpack().debug().quarantined();
    let trace: Vec<String> = quarantined
        .iter()
        .map(|entry| entry.value::<Value>().unwrap().unwrap().to_string())
        .collect();
    assert!(
        trace[0].contains("canary-1") && trace[1].contains("canary-2"),
        "but it is in the trace"
    );

    server.push_reply(ScriptedReply::text("no prices today"));
    let bad = state(&[("user", json!("Ada"))]);
    run(&server, true, &bad).await;
    let prompt = sent(&server);
    assert!(prompt.contains("ECONNRESET-canary-3"), "the model has to know: {prompt}");
    assert!(!prompt.contains("canary-1") && !prompt.contains("canary-2"), "{prompt}");
}

// A wrong answer is traced to the node that packed what it rests on.
#[tokio::test]
async fn the_history_says_which_node_packed_what_the_answer_rests_on() {
    let server = ModelServer::start().await;
    server.push_reply(ScriptedReply::text("prices fell"));
    let state = state(&[("user", json!("Ada"))]);
    run(&server, false, &state).await;
    let debug = state.backpack().debug();
    let writers: Vec<String> = debug
        .key_history("found")
        .unwrap()
        .iter()
        .map(|commit| {
            format!("{} in {}", commit.author().id, commit.author().namespace.as_ref().unwrap())
        })
        .collect();
    assert_eq!(writers, ["find in research.find"]);
    let read: Vec<String> = debug
        .access_log(&NodeId::parse("sum-up").unwrap(), piton_backpack::Access::Read)
        .iter()
        .map(|commit| commit.key().to_string())
        .collect();
    assert_eq!(read, ["user", "found"]);
}

// shows: BP-026
// shows in part: BP-023 (a flow runs with a snapshot)
#[tokio::test]
async fn any_moment_of_a_run_can_be_looked_at_and_run_again_from() {
    let server = ModelServer::start().await;
    server
        .push_reply(ScriptedReply::text("prices fell"))
        .push_reply(ScriptedReply::text("prices rose"));
    let ticking = clock();
    let ports = piton_backpack::BackpackPorts {
        clock: ticking.clone(),
        entropy: Arc::new(piton_core::port::fixed::SeededEntropy::new(3)),
    };
    let backpack =
        Backpack::new([("user", "Ada")], piton_backpack::Options::default(), ports).unwrap();
    let state = FlowState::new(backpack).unwrap();
    ticking.set(TimestampMs(2_000));
    run(&server, false, &state).await;
    let before = state.backpack().snapshot_at(TimestampMs(1_999)).unwrap();
    assert_eq!(before.debug().keys().len(), 1, "only what was there before the run");
    let node = NodeId::parse("sum-up").unwrap();
    let paused = state.backpack().snapshot_before_node(&node).unwrap();
    assert_eq!(paused.debug().peek::<Value>("answer").unwrap(), None);
    assert_eq!(paused.debug().peek::<Value>("found").unwrap().unwrap()["success"], json!(true));

    // The last node again, on the state before it, with another word in it.
    let text = research(false);
    let mut again = text.clone();
    again["nodes"] = json!([text["nodes"][1]]);
    again["edges"] = json!([]);
    let tools = Tools::new();
    let flow = Flow::from_json(&again.to_string(), &Registry::builtin(tools.clone())).unwrap().flow;
    let fork = FlowState::new(paused.clone()).unwrap();
    let _ = paused.scope(NodeIdentity::system(), None).unwrap().pack("user", "Grace").unwrap();
    let runner = runner_with(client(&server), tools, clock());
    runner.run(&flow, &fork, RunOptions::default()).await.outcome.unwrap();
    assert!(sent(&server).contains("Sum up for Grace") && sent(&server).contains("fell 3 %"));
    assert_eq!(
        (value(&state, "answer"), value(&fork, "answer")),
        (json!("prices fell"), json!("prices rose"))
    );
    let diff = StateDiff::between(state.backpack(), fork.backpack()).unwrap();
    let changed: Vec<String> = diff.changes.iter().map(|change| change.key.to_string()).collect();
    assert_eq!(changed, ["answer", "flow.run", "user"]);
}

// A node that is not named may not read what is about a person, whatever namespaces it may read.
#[tokio::test]
async fn what_is_about_a_person_stays_out_of_prompts_of_nodes_that_may_not_read_it() {
    let server = ModelServer::start().await;
    server.push_reply(ScriptedReply::text("prices fell"));
    let state = state(&[("user", json!("Ada"))]);
    let sign_in = NodeIdentity::new("sign-in", "sign-in")
        .unwrap()
        .within("research.sign-in".parse().unwrap());
    let scope = state.backpack().scope(sign_in, None).unwrap();
    let _ = scope
        .pack_with("email", "ada@canary", &PackOptions::new().tagged(["pii"]).unwrap())
        .unwrap();
    run(&server, false, &state).await;
    assert!(!sent(&server).contains("canary"), "{}", sent(&server));

    let mut text = research(false);
    text["nodes"][1]["params"]["prompt"] = json!("Write to {{email}}");
    let tools = prices(&Arc::default());
    let flow = Flow::from_json(&text.to_string(), &Registry::builtin(tools.clone())).unwrap().flow;
    let runner = runner_with(client(&server), tools, clock());
    let error = runner.run(&flow, &state, RunOptions::default()).await.outcome.unwrap_err();
    let piton_backpack::flow::Error::Node { node, error, .. } = &error else { panic!("{error:?}") };
    assert_eq!((node.as_str(), error.code()), ("sum-up", Some(Code::BackpackAccessDenied)));
    let denied = Filter { action: Some(piton_backpack::Action::Deny), ..Filter::default() };
    assert_eq!(
        state.backpack().debug().history(&denied).unwrap().len(),
        1,
        "and it is in the audit trail"
    );
}
