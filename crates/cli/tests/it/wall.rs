//! The kernel's sandbox around servers.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, symlink},
};

use serde_json::json;

use crate::{
    agent::Agent,
    rig::{Rig, text},
};

const WORKSPACE: &str =
    "[[workspaces]]\nprefix = \"/docs\"\nscope = \"read-write\"\ndirectory = \"docs\"\n";

/// A machine whose logs a link leads out of the data directory: what writes them follows it, as any code might.
fn rig(configuration: &str) -> Rig {
    let rig = Rig::new();
    rig.write("docs/a.md", "# Guide\n");
    rig.write("elsewhere/keep", "");
    rig.write("piton.toml", configuration);
    fs::create_dir_all(rig.data()).unwrap();
    symlink(rig.project().join("elsewhere"), rig.data().join("logs")).unwrap();
    rig
}

/// Whether a server wrote where the link leads.
fn writes_outside(rig: &Rig) -> bool {
    let mut agent = Agent::start(rig);
    agent.call("list_workflows", &json!({}));
    agent.leave();
    is_written_outside(rig)
}

fn is_written_outside(rig: &Rig) -> bool {
    fs::read_dir(rig.project().join("elsewhere")).unwrap().count() > 1
}

#[test]
fn a_server_with_workspaces_writes_nowhere_else_whatever_its_code_does() {
    let walled = rig(WORKSPACE);
    let (is_out, doctor) = (writes_outside(&walled), text(&walled.run(&["doctor"]).stdout));
    assert_eq!(is_out, doctor.contains("this system has no sandbox"), "{doctor}");
    assert_eq!(!is_out, doctor.contains("the kernel"), "{doctor}");
    // The same server without Workspaces has no wall: it is the wall that kept it in.
    assert!(writes_outside(&rig("")));
}

#[test]
fn whoever_runs_as_root_is_told() {
    let rig = rig(WORKSPACE);
    let is_root = fs::metadata(rig.project()).unwrap().uid() == 0;
    let doctor = text(&rig.run(&["doctor"]).stdout);
    let has_wall = !doctor.contains("this system has no sandbox") && !doctor.contains("too old");
    assert_eq!(doctor.contains("runs as root"), is_root && has_wall, "{doctor}");
    let served = rig.type_in(&["mcp"], "");
    assert_eq!(text(&served.stderr).contains("Note: Piton runs as root"), is_root);
}

/// Whether a flow wrote where the link leads.
fn flow_writes_outside(rig: &Rig, more: &[&str]) -> bool {
    let look = json!({ "id": "look", "type": "tool_call", "params":
        { "tool": "ls", "arguments": { "path": "/docs" }, "output": "look" } });
    let flow = json!({ "version": "2.0.0", "namespace": "wall", "nodes": [look], "edges": [] });
    let flow = rig.write("flow.json", &flow.to_string());
    let run = ["flow", "run", flow.to_str().unwrap(), "--backpack", "b"];
    assert_eq!(rig.tells(&[&run[..], more].concat())["status"], "done");
    is_written_outside(rig)
}

#[test]
fn a_flow_writes_nowhere_else_either_unless_it_may_start_programs() {
    let walled = rig(WORKSPACE);
    let doctor = text(&walled.run(&["doctor"]).stdout);
    for entry in fs::read_dir(walled.project().join("elsewhere")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    walled.write("elsewhere/keep", "");
    let has_no_wall = doctor.contains("this system has no sandbox");
    assert_eq!(flow_writes_outside(&walled, &[]), has_no_wall);
    assert_eq!(walled.tells(&["flow", "replay", "b", "--from", "look"])["status"], "done");
    assert_eq!(is_written_outside(&walled), has_no_wall, "a replay calls the same tools");
    // A person who names servers for it has it without the wall: they may be programs.
    let named = rig(WORKSPACE);
    let servers = named.write("servers.json", r#"{ "mcpServers": {} }"#);
    assert!(flow_writes_outside(&named, &["--tools", servers.to_str().unwrap()]));
}

#[test]
fn the_wall_lets_a_server_write_what_it_may_and_keeps_reading_elsewhere_possible() {
    let rig = Rig::new();
    rig.write("docs/a.md", "# Guide\n");
    rig.write(
        ".piton/workflows/mine.json",
        r#"{ "id": "project.mine", "steps": [{ "id": "a", "title": "A", "prompt": "Go." }] }"#,
    );
    let mut agent = Agent::start_as(&rig, &["--workspace", "/docs=./docs:rw"]);
    let (said, is_error) =
        agent.call_text("write", &json!({ "path": "/docs/new/b.md", "content": "new\n" }));
    assert!(!is_error, "{said}");
    let started = agent.call("start_workflow", &json!({ "workflowId": "project.mine" }));
    assert!(started["ackToken"].is_string(), "{started}");
    agent.leave();
    assert_eq!(fs::read_to_string(rig.project().join("docs/new/b.md")).unwrap(), "new\n");
}

#[test]
fn a_workspace_that_became_a_link_outward_after_the_start_leads_nowhere() {
    let rig = Rig::new();
    rig.write("docs/a.md", "inside\n");
    rig.write("secret/a.md", "outside\n");
    let mut agent = Agent::start_as(&rig, &["--workspace", "/docs=./docs:rw"]);
    let docs = rig.project().join("docs");
    fs::rename(&docs, rig.project().join("was-docs")).unwrap();
    symlink(rig.project().join("secret"), &docs).unwrap();
    let (read, _) = agent.call_text("read", &json!({ "path": "/docs/a.md" }));
    assert!(read.ends_with("inside\n"), "{read}");
    agent.call_text("write", &json!({ "path": "/docs/a.md", "content": "changed\n" }));
    agent.leave();
    assert_eq!(fs::read_to_string(rig.project().join("secret/a.md")).unwrap(), "outside\n");
}
