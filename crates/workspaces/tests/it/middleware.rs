//! An agent loop that uses the middleware.

use piton_store::port::BoxFuture;
use piton_workspaces::tools::{CallReply, FilesMiddleware, Middleware, ModelCall, ModelToolCall};
use serde_json::json;

use crate::world::World;

fn other_tool<'a>(call: ModelToolCall) -> BoxFuture<'a, CallReply> {
    Box::pin(async move { CallReply { text: format!("ran {}", call.name), error: None } })
}

/// A model that wants one thing after the other.
fn model(call: &ModelCall, turn: usize) -> Option<ModelToolCall> {
    assert!(call.system.contains("/home/src"), "{}", call.system);
    assert_eq!(call.tools.len(), 11);
    let (name, arguments) = [
        ("read", json!({ "path": "/home/a.txt" })),
        ("write", json!({ "path": "/home/a.txt", "content": "x" })),
        ("weather", json!({})),
        ("write", json!({ "path": "/mem/a.txt", "content": "x" })),
    ]
    .get(turn)?
    .clone();
    Some(ModelToolCall { name: name.into(), arguments })
}

// shows: WS-037
#[tokio::test]
async fn an_agent_loop_gets_map_and_tools_and_its_calls_are_run_or_refused() {
    let world = World::new().await;
    let middleware = FilesMiddleware::new(world.unguarded().clone());
    let mut call = ModelCall { system: "You are careful.".into(), tools: Vec::new() };
    let mut told = Vec::new();
    for turn in 0.. {
        call = middleware.wrap_model_call(call);
        let Some(wanted) = model(&call, turn) else {
            break;
        };
        told.push(middleware.wrap_tool_call(wanted, &other_tool).await);
    }
    assert!(call.system.starts_with("You are careful.\n<filesystem-map>\n"));
    assert_eq!(call.system.matches("<filesystem-map>").count(), 1);
    assert!(told[0].text.contains("alpha"));
    assert!(told[1].is_error() && told[1].text.contains("read-only"));
    assert_eq!(told[2].text, "ran weather");
    assert!(told[3].text.starts_with("created /mem/a.txt"));
}
