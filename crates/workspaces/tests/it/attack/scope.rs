//! D: ways around an Access Scope.

use std::{
    fs,
    os::unix::fs::symlink,
    sync::{Arc, atomic::Ordering},
};

use piton_core::Code;
use piton_workspaces::{
    Error, Files, Quota, Workspaces, physical::PhysicalOptions, virtual_store::VirtualStore,
};
use serde_json::{Value, json};

use super::case::{Case, Expect, OneOf, case, refused, run};
use crate::world::{World, definition, memory_ports, namespace, physical, put, quick_directory};

const SCOPE: Expect = Expect::Code(Code::WorkspaceScope);

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
                world.call("write", json!({ "path": path, "content": "alpha\n" })).await;
            }
            let reply = world.checked(tool, arguments.clone()).await;
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

// shows: WS-003 (for every operation, read-only inside read-write and the reverse)
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
            let workspace = |prefix, scope, name| definition(prefix, scope, Arc::new(of(name)));
            let set = Workspaces::new(vec![
                workspace("/out", outer, "out"),
                workspace("/out/in", inner, "in"),
                workspace("/mem", "read-write", "mem"),
                workspace("/ref", "read-only", "ref"),
            ]);
            let reply = Files::new(Arc::new(set.unwrap())).call(tool, arguments.clone()).await;
            let is_refused = matches!(reply.error, Some(Error::Scope { .. }));
            assert_eq!(
                is_refused, !permitted,
                "{outer}, {inner}: {tool} {arguments}: {}",
                reply.text
            );
        }
    }
}

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
            let one = world.checked(tool, arguments(there)).await;
            let other = world.checked(tool, arguments(missing)).await;
            let same = one.text.replace(there, "P") == other.text.replace(missing, "P");
            assert!(same, "{tool}: {} / {}", one.text, other.text);
        }
        for more in [json!({}), json!({ "append": true })] {
            let world = World::new().await;
            let mut told = Vec::new();
            for path in [there, missing] {
                let mut arguments = json!({ "path": path, "content": "abc" });
                arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                let reply = world.checked("write", arguments).await;
                assert!(!reply.is_error(), "{}", reply.text);
                told.push(reply.text.replace(path, "P"));
            }
            assert_eq!(told[0], told[1]);
        }
        for tool in ["copy", "move"] {
            let mut told = Vec::new();
            for path in [there, missing] {
                let world = World::new().await;
                world.call("write", json!({ "path": "/mem/f", "content": "abc" })).await;
                let reply = world.checked(tool, json!({ "from": "/mem/f", "to": path })).await;
                assert!(!reply.is_error(), "{}", reply.text);
                told.push(reply.text.replace(path, "P"));
            }
            assert_eq!(told[0], told[1]);
        }
    }
}

// shows: WS-022 (no error tells what is there)
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
    let set = Workspaces::new(vec![
        definition("/p", "write-only", physical(directory.path(), options)),
        definition("/v", "write-only", Arc::new(kept)),
        definition(
            "/mem",
            "read-write",
            Arc::new(VirtualStore::new(memory_ports(4), &namespace(&["m"]), None)),
        ),
    ]);
    let files = Files::new(Arc::new(set.unwrap()));
    files.call("write", json!({ "path": "/mem/f", "content": "y".repeat(95) })).await;
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
    assert!(!files.call("read", json!({ "path": "/mem/f" })).await.is_error(), "nothing was moved");
}

// shows: WS-022 (nor where links lead)
#[tokio::test]
async fn that_a_link_leads_to_something_hidden_is_not_told_of_a_write_only_workspace() {
    let directory = quick_directory();
    fs::write(directory.path().join(".env"), "KEY=1").unwrap();
    symlink(".env", directory.path().join("link")).unwrap();
    symlink(".", directory.path().join("self")).unwrap();
    let options = PhysicalOptions { links: true, ..PhysicalOptions::default() };
    let mut closed = definition("/w", "write-only", physical(directory.path(), options));
    closed.deny = vec![".env".into()];
    let files = Files::new(Arc::new(Workspaces::new(vec![closed]).unwrap()));
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
        let at = directory.path().join(below);
        definition(prefix, scope, physical(&at, PhysicalOptions::default()))
    };
    let all = vec![open("/all", "read-write", ""), open("/drop", "write-only", "sub")];
    let files = Files::new(Arc::new(Workspaces::new(all).unwrap()));
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

#[tokio::test]
async fn a_write_only_workspace_takes_new_directories_and_what_is_added() {
    let world = World::new().await;
    for (path, append) in [
        ("/home/src/inbox/x/y/z.txt", false),
        ("/home/src/inbox/x/y/z.txt", true),
        ("/home/src/inbox/old.txt", true),
    ] {
        let arguments = json!({ "path": path, "content": "abc\n", "append": append });
        let reply = world.checked("write", arguments).await;
        assert!(!reply.is_error(), "{}", reply.text);
    }
    assert_eq!(fs::read_to_string(world.at("inbox/x/y/z.txt")).unwrap(), "abc\nabc\n");
    assert_eq!(fs::read_to_string(world.at("inbox/old.txt")).unwrap(), "CANARY-WO-P\nabc\n");
}

// shows: WS-024
#[tokio::test]
async fn a_refusal_says_what_was_refused_and_what_would_be_permitted() {
    let world = World::new().await;
    world.calls.store(0, Ordering::Relaxed);
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
        told.push_str(&world.checked(tool, arguments).await.text);
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
        let reply = world.checked(tool, json!({ "path": path })).await;
        assert_eq!(reply.error.map(|error| error.code()), Some(hidden), "{path}");
        for (tool, arguments) in [
            ("write", json!({ "path": path, "content": "x" })),
            ("edit", json!({ "path": path, "old_string": "T", "new_string": "x" })),
            ("copy", json!({ "from": path, "to": "/mem/x" })),
            ("copy", json!({ "from": "/home/a.txt", "to": path })),
            ("move", json!({ "from": path, "to": "/home/src/x" })),
            ("move", json!({ "from": "/home/src/m.rs", "to": path })),
        ] {
            let reply = world.checked(tool, arguments).await;
            assert_eq!(reply.error.map(|error| error.code()), Some(hidden), "{tool} {path}");
        }
        for (tool, arguments) in [
            ("ls", json!({ "path": path })),
            ("stat", json!({ "path": path })),
            ("glob", json!({ "pattern": "*", "path": path, "all": true })),
            ("grep", json!({ "pattern": "TOKEN", "path": path, "all": true })),
        ] {
            let reply = world.checked(tool, arguments).await;
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
            let reply = world.checked(tool, arguments).await;
            assert_eq!(reply.error.map(|error| error.code()), Some(hidden), "{tool}");
        }
    }
}

// shows: WS-007 (in a Virtual Store)
#[tokio::test]
async fn names_are_hidden_in_a_virtual_store_as_in_a_directory() {
    let store = VirtualStore::new(memory_ports(2), &namespace(&["n"]), None);
    for path in [".env", "sub/.env", "sub/plain.txt", ".git/config", "keys/a.pem"] {
        put(&store, path, b"TOKEN=1\n").await;
    }
    let mut hiding = definition("/v", "read-write", Arc::new(store));
    hiding.deny = vec![".env".into(), ".git/**".into(), "/keys/*.pem".into()];
    let files = Files::new(Arc::new(Workspaces::new(vec![hiding]).unwrap()));
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
