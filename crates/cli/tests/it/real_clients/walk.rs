//! One walk: a client, a transport, a revision.

use serde_json::{Value, json};

use super::installed;
use crate::{
    rig::{Rig, text},
    servers::Server,
};

/// How a client reaches the program.
#[derive(Clone, Copy)]
pub(crate) enum Transport {
    Pipe,
    Http,
}

/// The schemas that the replies are held to.
const SCHEMAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/generated/schema");

/// Lets a client walk, and compares what it saw with what a person is shown.
// shows: WR-262, WR-263, WR-527
// shows in part: WR-247, WR-258 (one repetition, as a client sees it)
// shows in part: WR-250 (without a rehydrate between)
// shows in part: WR-485 (over MCP)
// shows in part: WR-494 (a forged token, one of another kind, crossed ones and nonsense)
pub(crate) fn walk(line: &str, transport: Transport, revision: &str) {
    let rig = Rig::new();
    let server = match transport {
        Transport::Pipe => None,
        Transport::Http => Some(Server::start(&rig, &[("PITON_HTTP_PORT", "0")])),
    };
    let to = match &server {
        Some(server) => json!({ "url": server.url }),
        None => json!({
            "command": env!("CARGO_BIN_EXE_piton"),
            "cwd": rig.project(),
            "env": { "HOME": rig.home() },
        }),
    };
    let task = json!({
        "line": line,
        "revision": revision,
        "server": to,
        "project": rig.project(),
        "schemas": SCHEMAS,
    });
    let output = installed::script(line, "walk").arg(task.to_string()).output().unwrap();
    let (told, trouble) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{told}{trouble}");
    let saw: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert_eq!(saw["revision"], revision);
    is_shown(&rig, &saw);
    if let Some(server) = server {
        assert_eq!(server.stop("-TERM"), Some(0));
    }
}

/// The run that was walked to its end, the one whose tokens were crossed with it, and the one that was given up and
/// started again: three, however often they were asked for.
fn is_shown(rig: &Rig, saw: &Value) {
    let listed = rig.tells(&["session", "list"]);
    let runs = listed["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3, "{listed}");
    let walked = runs.iter().find(|run| run["runId"] == saw["runId"]).unwrap();
    assert_eq!((&walked["label"], &walked["status"]), (&saw["label"], &json!("complete")));
    assert_eq!(runs.iter().filter(|run| run["status"] == "in_progress").count(), 2, "{listed}");
}
