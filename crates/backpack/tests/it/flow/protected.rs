//! What a node was granted to read reaches nobody else.

use std::sync::Arc;

use piton_backpack::flow::{
    EventFilter, Flow, FunctionTool, NodeError, NodeSettings, Registry, RetryRule, RunOptions,
    Tools,
};
use piton_backpack::{NodeIdentity, PackOptions, Permissions};
use piton_models::Scripted;
use serde_json::{Value, json};

use crate::flow::probe::Probe;
use crate::flow::site::{clock, heard, runner_with, state, watch};

const SECRET: &str = "ada@canary.example";

/// A state with something about a person, and settings of a node that may read it.
fn personal() -> (piton_backpack::flow::FlowState, NodeSettings) {
    let state = state(&[]);
    let system = state.backpack().scope(NodeIdentity::system(), None).unwrap();
    let _ = system
        .pack_with("email", &json!({ "to": SECRET }), &PackOptions::new().tagged(["pii"]).unwrap())
        .unwrap();
    let permissions = Permissions::none().reading(["email"]).unwrap().writing(["answer"]).unwrap();
    let retry = RetryRule { attempts: 2, wait_ms: 0 };
    (state, NodeSettings { permissions: Some(permissions), retry, ..NodeSettings::default() })
}

// shows in part: BP-044 (the part about events and errors of flows)
#[tokio::test]
async fn a_protected_value_is_in_no_event_and_no_error_of_the_node_that_read_it() {
    let (state, settings) = personal();
    let telling = Probe::new().prep(|context| Box::pin(context.unpack_required("email"))).exec(
        |prepared, _| {
            let to = prepared["to"].as_str().unwrap().to_owned();
            Box::pin(std::future::ready(Err(NodeError::new(format!("no mail to {to}")))))
        },
    );
    let mut flow = Flow::new();
    flow.add_with("mail", telling, settings).unwrap();
    let (report, events) = watch(&flow, &state).await;
    let error = report.outcome.unwrap_err();
    assert_eq!(error.to_string(), "node `mail` failed in exec: no mail to [protected]");
    assert!(events.len() > 4);
    for text in events.iter().map(|event| event.to_json_line()) {
        assert!(!text.contains("canary"), "{text}");
    }
    let envelope = serde_json::to_string(&error.envelope()).unwrap();
    assert!(!envelope.contains("canary"), "{envelope}");
}

// shows in part: BP-044 (the part about events and errors of flows)
#[tokio::test]
async fn what_was_peeked_at_is_as_protected_as_what_was_read() {
    let (state, settings) = personal();
    let telling = Probe::new().prep(|context| {
        Box::pin(async move {
            let email: Option<Value> = context.peek("email").await?;
            context.warn(&format!("about {SECRET}"));
            Err(NodeError::new(email.unwrap_or_default()["to"].to_string()))
        })
    });
    let mut flow = Flow::new();
    flow.add_with("mail", telling, settings).unwrap();
    let (report, events) = watch(&flow, &state).await;
    let told: Vec<String> = events.iter().map(|event| event.to_json_line()).collect();
    let error = report.outcome.unwrap_err().to_string();
    assert!(told.iter().any(|line| line.contains("about [protected]")), "{told:?}");
    assert!(told.iter().chain([&error]).all(|text| !text.contains("canary")), "{told:?} {error}");
}

#[tokio::test]
async fn a_protected_text_that_begins_another_leaves_nothing_of_it_behind() {
    let state = state(&[]);
    let system = state.backpack().scope(NodeIdentity::system(), None).unwrap();
    let names = json!(["ada", "ada@canary.example"]);
    let tagged = PackOptions::new().tagged(["pii"]).unwrap();
    let _ = system.pack_with("names", &names, &tagged).unwrap();
    let permissions = Some(Permissions::none().reading(["names"]).unwrap());
    let telling = Probe::new().prep(|context| {
        Box::pin(async move {
            let names: Vec<String> = context.unpack_required("names").await?;
            Err(NodeError::new(format!("no mail to {} of {}", names[1], names[0])))
        })
    });
    let mut flow = Flow::new();
    let settings = NodeSettings { permissions, ..NodeSettings::default() };
    flow.add_with("mail", telling, settings).unwrap();
    let error = watch(&flow, &state).await.0.outcome.unwrap_err();
    let words = "node `mail` failed in prep: no mail to [protected] of [protected]";
    assert_eq!(error.to_string(), words);
}

// shows in part: BP-044 (the part about what a model streams and what tools are given)
#[tokio::test]
async fn what_a_model_says_after_reading_something_protected_is_withheld_from_events() {
    let (state, _) = personal();
    let echo = FunctionTool::new("echo", "Echoes", json!({ "type": "object" }), |arguments| {
        std::future::ready(Ok(arguments.clone()))
    });
    let mut tools = Tools::new();
    tools.register(Arc::new(echo)).unwrap();
    let text = json!({
        "nodes": [
            { "id": "chat", "type": "chat",
              "params": { "prompt": "write to {{email}}", "stream": true },
              "permissions": { "read": ["email"], "write": ["answer"] } },
            { "id": "call", "type": "tool_call",
              "params": { "tool": "echo", "argumentsFrom": "email" },
              "permissions": { "read": ["email"], "write": ["result"] } },
        ],
        "edges": [{ "from": "chat", "to": "call" }],
    });
    let flow = Flow::from_json(&text.to_string(), &Registry::builtin(tools.clone())).unwrap().flow;
    let models = Arc::new(Scripted::with_texts(&["sent to ada@canary.example today"]));
    let runner = runner_with(models.clone(), tools, clock());
    let mut events = runner.subscribe(EventFilter::default());
    runner.run(&flow, &state, RunOptions::default()).await.outcome.unwrap();
    assert!(models.requests()[0].messages[0].text().contains("canary"), "the node itself may");
    let told: Vec<String> = heard(&mut events).iter().map(|event| event.to_json_line()).collect();
    let withheld = told.iter().filter(|line| line.contains("[withheld, ")).count();
    assert_eq!(withheld, 5, "four pieces and the arguments: {told:#?}");
    // What the node itself packs from it is its own to protect; everything else is silent about it.
    let others = told.iter().filter(|line| !line.contains("backpack_pack"));
    for line in others {
        assert!(!line.contains("canary"), "{line}");
    }
}
