//! D: what a write-only Workspace tells of itself.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use piton_core::Code;
use piton_workspaces::audit::Ledger;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{Actor, Error, Quota};
use serde_json::json;

use super::case::{Case, Expect, OneOf, case, refused, run};
use crate::guarded::{Guarded, in_directory, in_store};
use crate::world::{World, memory_ports, namespace, put, quick_directory};

const SCOPE: Expect = Expect::Code(Code::WorkspaceScope);

fn writes(path: &str) -> Vec<Case> {
    vec![
        case("D12", "read", json!({ "path": path }), SCOPE),
        case("D12b", "stat", json!({ "path": path }), SCOPE),
        case(
            "D15",
            "edit",
            json!({ "path": path, "old_string": "CANARY", "new_string": "x" }),
            SCOPE,
        ),
        case("D15b", "delete", json!({ "path": path }), SCOPE),
        case(
            "D17",
            "write",
            json!({ "path": path, "content": "x", "version": "0123456789abcdef" }),
            refused(Code::WorkspaceBadArgument),
        ),
        case(
            "D18",
            "write",
            json!({ "path": format!("{path}/below"), "content": "x" }),
            OneOf(&[Code::WorkspaceWriteFailed]),
        ),
        case("D20", "copy", json!({ "from": path, "to": "/mem/x" }), SCOPE),
        case("D20b", "move", json!({ "from": path, "to": "/mem/x" }), SCOPE),
    ]
}

// shows: WS-022
#[tokio::test]
async fn a_write_only_workspace_tells_nothing_of_what_it_holds() {
    let cases: Vec<Case> =
        ["/home/src/inbox/old.txt", "/drop/old"].into_iter().flat_map(writes).collect();
    run(&cases, |_| {}).await;
    for (there, missing) in
        [("/home/src/inbox/old.txt", "/home/src/inbox/new.txt"), ("/drop/old", "/drop/new")]
    {
        let refused = ["read", "ls", "stat", "delete", "mkdir", "edit"];
        for tool in refused {
            let world = World::new().await;
            let arguments = |path: &str| match tool {
                "edit" => json!({ "path": path, "old_string": "C", "new_string": "x" }),
                _ => json!({ "path": path }),
            };
            let one = world.call(tool, arguments(there)).await;
            let other = world.call(tool, arguments(missing)).await;
            let same = one.text.replace(there, "P") == other.text.replace(missing, "P");
            assert!(same, "{tool}: {} / {}", one.text, other.text);
        }
        for more in [json!({}), json!({ "append": true })] {
            let world = World::new().await;
            let mut told = Vec::new();
            for path in [there, missing] {
                let mut arguments = json!({ "path": path, "content": "abc" });
                arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                let reply = world.call("write", arguments).await;
                assert!(!reply.is_error(), "{}", reply.text);
                told.push(reply.text.replace(path, "P"));
            }
            assert_eq!(told[0], told[1]);
        }
        for tool in ["copy", "move"] {
            let mut told = Vec::new();
            for path in [there, missing] {
                let world = World::new().await;
                world.set_up("write", json!({ "path": "/mem/f", "content": "abc" })).await;
                let reply = world.call(tool, json!({ "from": "/mem/f", "to": path })).await;
                assert!(!reply.is_error(), "{}", reply.text);
                told.push(reply.text.replace(path, "P"));
            }
            assert_eq!(told[0], told[1]);
        }
    }
}

// shows in part: WS-022 (no error tells what is there)
#[tokio::test]
async fn why_a_write_only_workspace_takes_nothing_is_not_told() {
    let quota = Quota { bytes_max: 100, files_max: 2 };
    let directory = quick_directory();
    fs::create_dir(directory.path().join("dir")).unwrap();
    fs::write(directory.path().join("one"), "x".repeat(90)).unwrap();
    symlink("one", directory.path().join("link")).unwrap();
    let options = PhysicalOptions { quota: Some(quota), ..PhysicalOptions::default() };
    let kept = VirtualStore::new(memory_ports(3), &namespace(&["n"]), Some(quota));
    put(&kept, "one", "x".repeat(90).as_bytes()).await;
    put(&kept, "dir/two", b"").await;
    let memory = VirtualStore::new(memory_ports(4), &namespace(&["m"]), None);
    let laid = vec![
        in_directory("/p", "write-only", directory.path(), options),
        in_store("/v", "write-only", Arc::new(kept)),
        in_store("/mem", "read-write", Arc::new(memory)),
    ];
    let files = Guarded::new(Some(directory.path()), laid);
    files.set_up("write", json!({ "path": "/mem/f", "content": "y".repeat(95) })).await;
    let long = "y".repeat(101);
    for path in ["/p/new", "/p/dir", "/p/one/below", "/p/link", "/v/new", "/v/dir", "/v/one/below"]
    {
        for (tool, arguments) in [
            ("write", json!({ "path": path, "content": long })),
            ("write", json!({ "path": path, "content": long, "append": true })),
            ("copy", json!({ "from": "/mem/f", "to": path })),
            ("move", json!({ "from": "/mem/f", "to": path })),
        ] {
            let reply = files.call(tool, arguments).await;
            let expected = Error::WriteFailed { path: path.parse().unwrap() };
            assert_eq!(reply.error, Some(expected), "{tool} {path}: {}", reply.text);
        }
    }
}

// shows in part: WS-022 (nor where links lead)
#[tokio::test]
async fn that_a_link_leads_to_something_hidden_is_not_told_of_a_write_only_workspace() {
    let directory = quick_directory();
    fs::write(directory.path().join(".env"), "KEY=1").unwrap();
    symlink(".env", directory.path().join("link")).unwrap();
    symlink(".", directory.path().join("self")).unwrap();
    let options = PhysicalOptions { links: true, ..PhysicalOptions::default() };
    let closed = in_directory("/w", "write-only", directory.path(), options).hiding(&[".env"]);
    let files = Guarded::new(Some(directory.path()), vec![closed]);
    for path in ["/w/link", "/w/link/below"] {
        let reply = files.call("write", json!({ "path": path, "content": "x" })).await;
        let expected = Error::WriteFailed { path: path.parse().unwrap() };
        assert_eq!(reply.error, Some(expected), "{path}: {}", reply.text);
    }
    // What the agent itself names is refused by the configuration, whatever is there.
    let reply = files.call("write", json!({ "path": "/w/.env", "content": "x" })).await;
    assert_eq!(reply.error.unwrap().code(), Code::WorkspaceHidden);
}

#[tokio::test]
async fn a_file_that_is_moved_onto_itself_under_another_name_is_still_there() {
    let directory = quick_directory();
    fs::create_dir(directory.path().join("sub")).unwrap();
    let open = |prefix: &str, scope: &str, below: &str| {
        in_directory(prefix, scope, &directory.path().join(below), PhysicalOptions::default())
    };
    let all = vec![open("/all", "read-write", ""), open("/drop", "write-only", "sub")];
    let files = Guarded::new(Some(directory.path()), all);
    for content in ["one\n", "two\n"] {
        fs::write(directory.path().join("sub/f"), content).unwrap();
        let onto_itself = json!({ "from": "/all/sub/f", "to": "/drop/f" });
        let reply = files.call("move", onto_itself).await;
        assert_eq!(reply.text, "moved /all/sub/f to /drop/f\n");
        assert_eq!(fs::read_to_string(directory.path().join("sub/f")).unwrap(), content);
    }
    // Another file is moved there in the same words, and is gone where it was.
    fs::write(directory.path().join("g"), "three\n").unwrap();
    let reply = files.call("move", json!({ "from": "/all/g", "to": "/drop/f" })).await;
    assert_eq!(reply.text, "moved /all/g to /drop/f\n");
    assert_eq!(fs::read_to_string(directory.path().join("sub/f")).unwrap(), "three\n");
    assert!(!directory.path().join("g").exists());
}

// A moment without the file would be one in which a crash loses it.
#[tokio::test]
async fn a_file_that_is_moved_onto_itself_is_never_gone() {
    let directory = quick_directory();
    let ports = memory_ports(9);
    let mount =
        |prefix, scope| in_directory(prefix, scope, directory.path(), PhysicalOptions::default());
    let kept = |prefix, scope| {
        let store = VirtualStore::new(ports.clone(), &namespace(&["n"]), None);
        in_store(prefix, scope, Arc::new(store))
    };
    let both = [
        vec![mount("/a", "read-write"), mount("/b", "write-only")],
        vec![kept("/a", "read-write"), kept("/b", "write-only")],
    ];
    for laid in both {
        let guarded = Guarded::new(Some(directory.path()), laid);
        guarded.set_up("write", json!({ "path": "/a/f", "content": "kept\n" })).await;
        let ledger = Ledger::new(Arc::clone(&ports.table), Arc::clone(&ports.clock), "mounts");
        let ledger = Arc::new(ledger);
        let files = guarded.unguarded().clone().recorded(Arc::clone(&ledger), Actor::default());
        let reply = files.call("move", json!({ "from": "/a/f", "to": "/b/f" })).await;
        assert_eq!(reply.text, "moved /a/f to /b/f\n");
        let read = files.call("read", json!({ "path": "/a/f" })).await.text;
        assert!(read.ends_with("\nkept\n"), "{read}");
        let done = ledger.blame(guarded.unguarded().workspaces(), &"/a/f".parse().unwrap()).await;
        assert_eq!(done.unwrap().records, [], "it was deleted and put back");
    }
}

#[tokio::test]
async fn a_write_only_workspace_takes_new_directories_and_what_is_added() {
    let world = World::new().await;
    for (path, append) in [
        ("/home/src/inbox/x/y/z.txt", false),
        ("/home/src/inbox/x/y/z.txt", true),
        ("/home/src/inbox/old.txt", true),
    ] {
        let arguments = json!({ "path": path, "content": "abc\n", "append": append });
        let reply = world.call("write", arguments).await;
        assert!(!reply.is_error(), "{}", reply.text);
    }
    assert_eq!(fs::read_to_string(world.at("inbox/x/y/z.txt")).unwrap(), "abc\nabc\n");
    assert_eq!(fs::read_to_string(world.at("inbox/old.txt")).unwrap(), "CANARY-WO-P\nabc\n");
}
