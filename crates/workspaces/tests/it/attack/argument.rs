//! Arguments that do not fit.

use piton_core::Code;
use serde_json::{Value, json};

use super::case::{Case, case, refused, run};
use crate::world::World;

fn bad(tool: &'static str, arguments: Value) -> Case {
    case("A34", tool, arguments, refused(Code::WorkspaceBadArgument))
}

// shows in part: WS-010 (arguments that are no text)
#[tokio::test]
async fn arguments_that_do_not_fit_are_refused_before_anything_is_looked_at() {
    let mut cases: Vec<Case> = [
        json!(7),
        json!(["/home/a.txt"]),
        json!({ "path": 7 }),
        json!({ "path": null }),
        json!({ "path": ["/home/a.txt"] }),
        json!({ "path": { "path": "/home/a.txt" } }),
        json!({ "path": 1e308 }),
        json!({}),
        json!({ "path": "/home/a.txt", "scope": "read-write" }),
        json!({ "path": "/home/a.txt", "workspace": "/home/src" }),
        json!({ "path": "/home/a.txt", "file_path": "/home/src/m.rs" }),
        json!({ "path": "/home/a.txt", "offset": 0 }),
        json!({ "path": "/home/a.txt", "limit": 0 }),
        json!({ "path": "/home/a.txt", "offset": -1 }),
        json!({ "path": "/home/a.txt", "offset": 1.5 }),
        json!({ "path": "/home/a.txt", "offset": 9 }),
        json!({ "path": "/home/a.txt", "offset": u64::MAX }),
    ]
    .into_iter()
    .map(|arguments| bad("read", arguments))
    .collect();
    cases.extend([
        bad("write", json!({ "path": "/home/src/x" })),
        bad("write", json!({ "path": "/home/src/x", "content": "x", "version": "latest" })),
        bad("write", json!({ "path": "/home/src/x", "content": "x", "append": true, "version": "0123456789abcdef" })),
        bad("edit", json!({ "path": "/home/src/m.rs", "old_string": "", "new_string": "x" })),
        bad("edit", json!({ "path": "/home/src/m.rs", "old_string": "main", "new_string": "main" })),
        bad("grep", json!({ "pattern": "x", "output": "everything" })),
        bad("grep", json!({ "pattern": "(" })),
        bad("grep", json!({ "pattern": "x", "type": "no-such-type" })),
        bad("grep", json!({ "pattern": "x", "limit": 0 })),
        bad("glob", json!({ "pattern": "[" })),
        bad("symlink", json!({ "from": "/home/a.txt", "to": "/home/src/l" })),
        bad("link", json!({})),
        bad("execute", json!({ "command": "id" })),
        bad("", json!({})),
    ]);
    run(&cases, |_| {}).await;
}

#[tokio::test]
async fn a_lone_surrogate_and_overlong_bytes_never_become_a_path() {
    for text in [&br#"{"path":"/home/\ud800"}"#[..], b"{\"path\":\"/home/\xc0\xae\xc0\xae/x\"}"] {
        assert!(serde_json::from_slice::<Value>(text).is_err());
    }
    let world = World::new().await;
    let path = json!({ "path": "/home/\u{fffd}" });
    let reply = world.call("read", path).await;
    assert_eq!(reply.error.unwrap().code(), Code::WorkspaceNotFound);
}
