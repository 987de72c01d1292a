//! D: ways around an Access Scope.

use std::{fs, sync::atomic::Ordering};

use piton_core::Code;
use piton_workspaces::physical::PhysicalOptions;
use serde_json::{Value, json};

use super::case::{Case, Expect, OneOf, case, refused, run};
use crate::world::World;

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
                // An edit that changes nothing, and a missing file, are refused for other reasons.
                assert_ne!(code, Some(Code::WorkspaceScope), "{told}");
            } else {
                assert_eq!(code, Some(Code::WorkspaceScope), "{told}");
                assert!(reply.text.contains("Permitted in /"), "{told}");
            }
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
