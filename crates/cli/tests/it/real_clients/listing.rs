//! A client that is told when the list of tools is another one.

use serde_json::{Value, json};

use super::installed;
use crate::rig::{Rig, text};

const WORKSPACE: &str =
    "[[workspaces]]\nprefix = \"/mem\"\nscope = \"read-write\"\nmemory = [\"m\"]\n";

/// Lets a client follow the list through a workflow that grants writing in its second step alone.
// shows in part: WS-042 (a change of set sends `tools/list_changed`, as clients hear it)
pub(crate) fn follow(line: &str, revision: &str) {
    let rig = Rig::new();
    rig.write("piton.toml", WORKSPACE);
    let step = |id: &str, scope: &str| {
        let granted = json!([{ "prefix": "/mem", "scope": scope }]);
        json!({ "id": id, "title": id, "prompt": "Go.", "access": { "workspaces": granted } })
    };
    let steps = [step("look", "read-only"), step("mend", "read-write"), step("check", "read-only")];
    let workflow = json!({ "id": "project.narrow", "steps": steps });
    rig.write(".piton/workflows/narrow.json", &workflow.to_string());
    let task = json!({
        "line": line,
        "revision": revision,
        "server": {
            "command": env!("CARGO_BIN_EXE_piton"),
            "cwd": rig.project(),
            "env": { "HOME": rig.home() },
        },
        "workflow": "project.narrow",
        "tool": "write",
    });
    let output = installed::script(line, "listing").arg(task.to_string()).output().unwrap();
    let (told, trouble) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{line}, {revision}: {told}{trouble}");
    let listed: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert_eq!(listed, json!([true, false, true, false, true]), "{line}, {revision}");
}
