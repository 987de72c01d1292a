//! The list of tools follows the steps that an agent is at.

use std::sync::Arc;

use piton_mcp::ServerBuilder;
use piton_runtime::workspaces::{Declared, FileWorld, Mount, VirtualPorts, WorkspacePorts, join};
use piton_store::memory::{MemoryBlobs, MemoryTable};
use serde_json::{Value, json};

use crate::rig::{Answer, Machine, Pipe, REVISIONS, STATELESS, Web};

const READING: [&str; 5] = ["ls", "read", "glob", "grep", "stat"];
const WRITING: [&str; 6] = ["write", "edit", "copy", "move", "delete", "mkdir"];
const CHANGED: &str = "notifications/tools/list_changed";

/// A machine with a workflow that grants writing in its second step alone, and one that grants nothing special.
fn machine() -> Machine {
    let machine = Machine::new();
    let step = |id: &str, scope: &str| {
        let granted = json!([{ "prefix": "/mem", "scope": scope }]);
        json!({ "id": id, "title": id, "prompt": "Go.", "access": { "workspaces": granted } })
    };
    let steps = [step("look", "read-only"), step("mend", "read-write"), step("check", "read-only")];
    let narrow = json!({ "id": "project.narrow", "steps": steps });
    machine.write("project/.piton/workflows/narrow.json", &narrow.to_string());
    machine
}

/// Two Workspaces.
const MOUNTS: [&str; 2] = ["/mem=memory:rw", "/ref=memory:ro"];

/// What is offered: the sets of Piton, and these Workspaces.
pub(crate) async fn offer(machine: &Machine, mounts: &[&str]) -> ServerBuilder {
    let of = || VirtualPorts {
        table: Arc::new(MemoryTable::default()),
        blobs: Arc::new(MemoryBlobs::new(Arc::clone(&machine.ports.clock))),
        clock: Arc::clone(&machine.ports.clock),
        entropy: Arc::clone(&machine.ports.entropy),
    };
    let ports = WorkspacePorts { kept: of(), memory: of(), configuration: None, data: None };
    let mounts: Vec<Mount> = mounts.iter().map(|text| text.parse().unwrap()).collect();
    let joined = join(vec![Declared::typed(&mounts, machine.project())], None);
    let world = FileWorld::open(joined, &ports).await.unwrap();
    ServerBuilder::from(machine.runtime()).with_workspaces(Arc::new(world))
}

async fn client(machine: &Machine, revision: &'static str) -> Pipe {
    let silent = Pipe::silent(offer(machine, &MOUNTS).await, machine.whereabouts());
    let mut pipe = silent.begun(revision, json!({})).await;
    if revision == STATELESS {
        let wanted = json!({ "notifications": { "toolsListChanged": true } });
        pipe.ask("subscriptions/listen", wanted).await;
        let acknowledged = pipe.receive().await;
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(acknowledged["params"]["notifications"]["toolsListChanged"], true);
    }
    pipe
}

/// The file tools that are listed.
fn files(listed: &Value) -> Vec<String> {
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| READING.contains(&&**name) || WRITING.contains(&&**name)).collect()
}

impl Pipe {
    async fn lists_writing(&mut self) -> bool {
        let listed = files(&self.request("tools/list", json!({})).await);
        assert!(READING.iter().all(|name| listed.iter().any(|one| one == name)), "{listed:?}");
        let writing = WRITING.iter().filter(|name| listed.iter().any(|one| one == *name)).count();
        assert!(writing == 0 || writing == WRITING.len(), "{listed:?}");
        writing > 0
    }

    /// Waits for the notice that belongs to the last call, which may come before or after its reply.
    async fn hears_of_a_change(&mut self) {
        while !self.notified.iter().any(|one| one["method"] == CHANGED) {
            let message = self.receive().await;
            self.notified.push(message);
        }
        self.notified.clear();
    }
}

fn map(answer: &Answer) -> Option<&str> {
    let beside = answer.beside.as_deref()?;
    beside.split_once("What you may touch is something else now.\n").map(|(_, map)| map)
}

// shows in part: WS-042 (a change of set sends `tools/list_changed`, and the reply has the new map)
#[tokio::test]
async fn a_step_that_changes_what_may_be_touched_changes_the_list_and_says_so() {
    for revision in REVISIONS {
        let machine = machine();
        let mut pipe = client(&machine, revision).await;
        assert!(pipe.lists_writing().await, "{revision}: before a run everything is listed");
        let mut answer = pipe.start("project.narrow").await;
        for (is_writable, scope) in
            [(false, "read-only"), (true, "read-write"), (false, "read-only")]
        {
            pipe.hears_of_a_change().await;
            let map = map(&answer).unwrap_or_else(|| panic!("{revision}: {answer:?}"));
            assert!(map.contains(&format!("/mem  {scope}")) && !map.contains("/ref"), "{map}");
            assert_eq!(pipe.lists_writing().await, is_writable, "{revision}");
            answer = pipe.submit(&answer, "Done.").await;
        }
        pipe.hears_of_a_change().await;
        assert!(map(&answer).is_some_and(|map| map.contains("/ref")), "{revision}: {answer:?}");
        assert!(pipe.lists_writing().await, "{revision}: after the run everything is listed again");
    }
}

#[tokio::test]
async fn several_runs_list_what_any_of_their_steps_leaves_and_each_call_is_judged_by_its_own() {
    let machine = machine();
    let mut pipe = client(&machine, "2025-11-25").await;
    let narrow = pipe.start("project.narrow").await;
    assert!(!pipe.lists_writing().await);
    let plain = pipe.start("project.plain").await;
    pipe.hears_of_a_change().await;
    assert!(pipe.lists_writing().await, "one of the two may write");
    for (answer, is_refused) in [(&narrow, true), (&plain, false)] {
        let write = json!({ "path": "/mem/a", "content": "x", "run": answer.at("/ackToken") });
        assert_eq!(pipe.call("write", write).await.is_error, is_refused);
    }
}

#[tokio::test]
async fn a_run_that_narrows_nothing_changes_nothing() {
    let machine = machine();
    let mut pipe = client(&machine, "2025-11-25").await;
    let mut answer = pipe.start("project.plain").await;
    while answer.structured["isComplete"] == false {
        assert_eq!(map(&answer), None);
        answer = pipe.submit(&answer, "Done.").await;
    }
    // Whatever was sent before this reply has arrived with it.
    assert!(pipe.lists_writing().await);
    assert!(pipe.notified.is_empty(), "{:?}", pipe.notified);
}

#[tokio::test]
async fn a_change_is_declared_where_it_can_be_told_and_nowhere_else() {
    let machine = machine();
    let (_, welcome) = Pipe::offered(&machine, offer(&machine, &MOUNTS).await).await;
    assert_eq!(welcome["result"]["capabilities"]["tools"], json!({ "listChanged": true }));
    let mut web = Web::of_revision(offer(&machine, &MOUNTS).await, "2025-11-25").await;
    let listed = web.request("tools/list", json!({})).await;
    assert_eq!(files(&listed).len(), READING.len() + WRITING.len());
    web.stop().await;
}

#[tokio::test]
async fn a_path_under_the_name_that_models_write_is_taken_and_both_names_are_refused() {
    let machine = machine();
    let mut pipe = client(&machine, "2025-11-25").await;
    let write = pipe.call("write", json!({ "file_path": "/mem/a", "content": "one\n" })).await;
    assert!(!write.is_error, "{}", write.text);
    let edit = json!({ "file_path": "/mem/a", "old_string": "one", "new_string": "two" });
    assert!(!pipe.call("edit", edit).await.is_error);
    assert!(pipe.call("read", json!({ "file_path": "/mem/a" })).await.text.ends_with("two\n"));
    let moved = pipe.call("move", json!({ "source": "/mem/a", "destination": "/mem/b" })).await;
    assert!(!moved.is_error, "{}", moved.text);
    let both = pipe.call("read", json!({ "file_path": "/mem/a", "path": "/mem/b" })).await;
    assert!(both.is_error && both.text.contains("`file_path` is not a field"), "{}", both.text);
}
