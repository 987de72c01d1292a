//! D: ways around an Access Scope.

use std::fs;
use std::sync::Arc;

use piton_core::Code;
use piton_workspaces::Error;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::virtual_store::VirtualStore;
use serde_json::{Value, json};

use crate::guarded::{Guarded, in_store};
use crate::world::{World, memory_ports, namespace, put};

/// Every operation at a path of a directory.
fn every_operation(directory: &str) -> Vec<(&'static str, Value)> {
    let path = format!("{directory}/a.txt");
    vec![
        ("ls", json!({ "path": directory })),
        ("read", json!({ "path": path })),
        ("stat", json!({ "path": path })),
        ("glob", json!({ "pattern": "*", "path": directory })),
        ("grep", json!({ "pattern": "x", "path": directory })),
        ("write", json!({ "path": format!("{directory}/w.txt"), "content": "x" })),
        ("write", json!({ "path": format!("{directory}/w2.txt"), "content": "x", "append": true })),
        ("edit", json!({ "path": path, "old_string": "alpha", "new_string": "omega" })),
        ("edit", json!({ "path": path, "old_string": "alpha", "new_string": "alpha" })),
        ("copy", json!({ "from": path, "to": "/mem/copied" })),
        ("copy", json!({ "from": "/ref/guide.md", "to": format!("{directory}/g.md") })),
        ("move", json!({ "from": path, "to": "/mem/moved" })),
        ("move", json!({ "from": "/mem/there", "to": format!("{directory}/m.md") })),
        ("delete", json!({ "path": path })),
        ("mkdir", json!({ "path": format!("{directory}/made") })),
    ]
}

/// Which of those a scope permits, in the same order.
const READ_ONLY: [bool; 15] = [
    true, true, true, true, true, false, false, false, false, true, false, false, false, false,
    false,
];
const READ_WRITE: [bool; 15] = [true; 15];
const WRITE_ONLY: [bool; 15] = [
    false, false, false, false, false, true, true, false, false, false, true, false, true, false,
    false,
];

// shows: WS-020..023, WS-025
#[tokio::test]
async fn each_scope_permits_exactly_its_operations_and_refuses_in_the_router() {
    for (directory, permits) in [
        ("/home", READ_ONLY),
        ("/ref", READ_ONLY),
        ("/home/src", READ_WRITE),
        ("/mem", READ_WRITE),
        ("/home/src/inbox", WRITE_ONLY),
        ("/drop", WRITE_ONLY),
    ] {
        for ((tool, arguments), permitted) in every_operation(directory).into_iter().zip(permits) {
            let world = World::new().await;
            fs::write(world.at("src/a.txt"), "alpha\n").unwrap();
            fs::write(world.at("inbox/a.txt"), "alpha\n").unwrap();
            for path in ["/mem/a.txt", "/mem/there", "/drop/a.txt"] {
                world.set_up("write", json!({ "path": path, "content": "alpha\n" })).await;
            }
            let reply = world.call(tool, arguments.clone()).await;
            let code = reply.error.as_ref().map(piton_workspaces::Error::code);
            let told = format!("{directory}: {tool} {arguments}: {}", reply.text);
            if permitted {
                let changes_nothing = arguments["old_string"] == arguments["new_string"];
                let expected = match tool {
                    "edit" if changes_nothing => Some(Code::WorkspaceBadArgument),
                    // There is no such file in this one.
                    "read" | "stat" | "copy" if told.starts_with("/ref: ") => {
                        Some(Code::WorkspaceNotFound)
                    }
                    _ => None,
                };
                assert_eq!(code, expected, "{told}");
            } else {
                assert_eq!(code, Some(Code::WorkspaceScope), "{told}");
                assert!(reply.text.contains("Permitted in /"), "{told}");
            }
        }
    }
}

// shows in part: WS-003 (for every operation, read-only inside read-write and the reverse)
#[tokio::test]
async fn the_scope_of_the_inner_workspace_counts_for_every_operation_whichever_is_wider() {
    for (outer, inner, permits) in
        [("read-write", "read-only", READ_ONLY), ("read-only", "read-write", READ_WRITE)]
    {
        let operations = every_operation("/out/in").into_iter().zip(permits);
        let outside = every_operation("/out").into_iter();
        let outside = outside.zip(if outer == "read-only" { READ_ONLY } else { READ_WRITE });
        for ((tool, arguments), permitted) in operations.chain(outside) {
            let ports = memory_ports(8);
            let of = |name: &str| VirtualStore::new(ports.clone(), &namespace(&[name]), None);
            for (name, path) in
                [("out", "a.txt"), ("in", "a.txt"), ("mem", "there"), ("ref", "guide.md")]
            {
                put(&of(name), path, b"alpha\n").await;
            }
            let workspace = |prefix, scope, name| in_store(prefix, scope, Arc::new(of(name)));
            let laid = vec![
                workspace("/out", outer, "out"),
                workspace("/out/in", inner, "in"),
                workspace("/mem", "read-write", "mem"),
                workspace("/ref", "read-only", "ref"),
            ];
            let reply = Guarded::new(None, laid).call(tool, arguments.clone()).await;
            let is_refused = matches!(reply.error, Some(Error::Scope { .. }));
            assert_eq!(
                is_refused, !permitted,
                "{outer}, {inner}: {tool} {arguments}: {}",
                reply.text
            );
        }
    }
}

// shows: WS-024
#[tokio::test]
async fn a_refusal_says_what_was_refused_and_what_would_be_permitted() {
    let world = World::new().await;
    let mut told = String::new();
    for (tool, arguments) in [
        ("write", json!({ "path": "/home/a.txt", "content": "x" })),
        ("read", json!({ "path": "/drop/old" })),
        ("move", json!({ "from": "/home/a.txt", "to": "/mem/a.txt" })),
        ("move", json!({ "from": "/mem/a.txt", "to": "/home/a.txt" })),
        ("read", json!({ "path": "/etc/passwd" })),
        ("read", json!({ "path": "/home/../x" })),
        ("execute", json!({ "command": "id" })),
    ] {
        told.push_str(&world.call(tool, arguments).await.text);
        told.push('\n');
    }
    insta::assert_snapshot!(told);
}

// shows: WS-007
#[tokio::test]
async fn names_that_a_workspace_hides_are_denied_and_absent() {
    let hidden = Code::WorkspaceHidden;
    for (path, tool) in [
        ("/home/src/.env", "read"),
        ("/home/src/sub/.env", "read"),
        ("/home/src/.git/config", "read"),
        ("/home/src/.git", "ls"),
        ("/home/src/.git/deep/new", "stat"),
        ("/home/src/.env", "delete"),
        ("/home/src/keys/a.pem", "read"),
        ("/home/src/.env.missing", "mkdir"),
    ] {
        let world =
            World::with(PhysicalOptions::default(), &[".env*", ".git/**", "keys/*.pem"]).await;
        for name in ["sub", ".git", "keys"] {
            fs::create_dir(world.at("src").join(name)).unwrap();
        }
        for name in [".env", "sub/.env", ".git/config", "keys/a.pem", "sub/plain.txt"] {
            fs::write(world.at("src").join(name), "TOKEN=1\n").unwrap();
        }
        let reply = world.call(tool, json!({ "path": path })).await;
        assert_eq!(reply.error.map(|error| error.code()), Some(hidden), "{path}");
        for (tool, arguments) in [
            ("write", json!({ "path": path, "content": "x" })),
            ("edit", json!({ "path": path, "old_string": "T", "new_string": "x" })),
            ("copy", json!({ "from": path, "to": "/mem/x" })),
            ("copy", json!({ "from": "/home/a.txt", "to": path })),
            ("move", json!({ "from": path, "to": "/home/src/x" })),
            ("move", json!({ "from": "/home/src/m.rs", "to": path })),
        ] {
            let reply = world.call(tool, arguments).await;
            assert_eq!(reply.error.map(|error| error.code()), Some(hidden), "{tool} {path}");
        }
        for (tool, arguments) in [
            ("ls", json!({ "path": path })),
            ("stat", json!({ "path": path })),
            ("glob", json!({ "pattern": "*", "path": path, "all": true })),
            ("grep", json!({ "pattern": "TOKEN", "path": path, "all": true })),
        ] {
            let reply = world.call(tool, arguments).await;
            assert_eq!(reply.error.map(|error| error.code()), Some(hidden), "{tool} {path}");
        }
        let found = world.call("grep", json!({ "pattern": "TOKEN", "all": true })).await;
        assert_eq!(found.text.lines().next(), Some("/home/src/sub/plain.txt:1:TOKEN=1"));
        let listed = world.call("ls", json!({ "path": "/home/src" })).await;
        assert!(!listed.text.contains(".env") && !listed.text.contains(".git"), "{}", listed.text);
        let found = world.call("glob", json!({ "pattern": "**/*", "all": true })).await;
        assert!(!found.text.contains(".env") && !found.text.contains(".pem"), "{}", found.text);
        for (tool, arguments) in [
            ("delete", json!({ "path": "/home/src/sub", "recursive": true })),
            ("move", json!({ "from": "/home/src/keys", "to": "/home/src/open" })),
        ] {
            let reply = world.call(tool, arguments).await;
            assert_eq!(reply.error.map(|error| error.code()), Some(hidden), "{tool}");
        }
    }
}

// shows in part: WS-007 (in a Virtual Store)
#[tokio::test]
async fn names_are_hidden_in_a_virtual_store_as_in_a_directory() {
    let store = VirtualStore::new(memory_ports(2), &namespace(&["n"]), None);
    for path in [".env", "sub/.env", "sub/plain.txt", ".git/config", "keys/a.pem"] {
        put(&store, path, b"TOKEN=1\n").await;
    }
    let hidden = [".env", ".git/**", "/keys/*.pem"];
    let hiding = in_store("/v", "read-write", Arc::new(store)).hiding(&hidden);
    let files = Guarded::new(None, vec![hiding]);
    let found = files.call("grep", json!({ "pattern": "TOKEN", "all": true })).await.text;
    assert_eq!(found, "/v/sub/plain.txt:1:TOKEN=1\n");
    let found = files.call("glob", json!({ "pattern": "**/*", "all": true })).await.text;
    assert_eq!(found, "/v/sub/plain.txt\n");
    assert_eq!(files.call("ls", json!({ "path": "/v" })).await.text, "keys/\nsub/\n");
    assert_eq!(files.call("ls", json!({ "path": "/v/keys" })).await.text, "[/v/keys is empty]\n");
    for (tool, arguments) in [
        ("read", json!({ "path": "/v/.env" })),
        ("write", json!({ "path": "/v/.git/new", "content": "x" })),
        ("delete", json!({ "path": "/v/sub", "recursive": true })),
        ("move", json!({ "from": "/v/keys", "to": "/v/open" })),
    ] {
        let reply = files.call(tool, arguments).await;
        assert_eq!(reply.error.map(|error| error.code()), Some(Code::WorkspaceHidden), "{tool}");
    }
}
