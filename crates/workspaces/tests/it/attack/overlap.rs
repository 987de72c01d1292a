//! E: prefixes that overlap, and what lies under them.

use std::fs;

use piton_core::Code;
use piton_workspaces::physical::PhysicalOptions;
use serde_json::json;

use super::case::{Expect, Has, Lacks, case, refused, run};
use crate::guarded::{Guarded, in_directory};
use crate::world::{World, quick_directory};

// shows in part: WS-036 (one count over all Workspaces, in the order of paths)
#[tokio::test]
async fn what_is_left_out_is_counted_over_all_workspaces() {
    let world = World::new().await;
    let found = world.call("glob", json!({ "pattern": "*", "limit": 3 })).await.text;
    assert_eq!(
        found,
        "/home/a.txt\n/home/src/dup.txt\n/home/src/m.rs\n[3 more files; narrow the pattern or the path]\n[not searched, write-only: /drop, /home/src/inbox]\n",
        "E13"
    );
}

// shows: WS-003, WS-004
// shows: WS-008 (with a_configuration_opens_every_kind_of_mount_or_names_every_problem)
#[tokio::test]
async fn what_an_inner_workspace_hides_is_out_of_reach_and_the_inner_one_wins() {
    let inner = refused(Code::WorkspaceInner);
    let cases = [
        case(
            "B28",
            "read",
            json!({ "path": "/home/src/shadow.txt" }),
            refused(Code::WorkspaceNotFound),
        ),
        case("B28a", "ls", json!({ "path": "/home" }), Has("src/\tread-write Workspace\nsrcX/\n")),
        case("B28c", "ls", json!({ "path": "/home/src" }), Has("inbox/\twrite-only Workspace\n")),
        case(
            "B28d",
            "grep",
            json!({ "path": "/home", "pattern": "SHADOW" }),
            Has("no lines match"),
        ),
        case("E11", "glob", json!({ "pattern": "**/*" }), Lacks("shadow")),
        case("E11b", "glob", json!({ "pattern": "*.rs" }), Has("/home/src/m.rs\n")),
        case(
            "D8",
            "delete",
            json!({ "path": "/home", "recursive": true }),
            refused(Code::WorkspaceScope),
        ),
        case(
            "D9",
            "delete",
            json!({ "path": "/home/src", "recursive": true }),
            refused(Code::WorkspaceBadArgument),
        ),
        case(
            "D9b",
            "move",
            json!({ "from": "/home/src", "to": "/mem/x" }),
            refused(Code::WorkspaceBadArgument),
        ),
        case(
            "D11",
            "write",
            json!({ "path": "/home/src/inbox", "content": "x" }),
            refused(Code::WorkspaceWriteFailed),
        ),
        case("D11b", "mkdir", json!({ "path": "/home/src/inbox" }), refused(Code::WorkspaceScope)),
        case("E10", "ls", json!({}), Has("home/\tread-only Workspace\n")),
        case("E10b", "ls", json!({ "path": "/" }), Has("drop/\twrite-only Workspace\n")),
        case(
            "E10c",
            "write",
            json!({ "path": "/new", "content": "x" }),
            refused(Code::WorkspaceUnmapped),
        ),
        case("E10d", "stat", json!({ "path": "/" }), Has("directory above Workspaces")),
    ];
    run(&cases, |_| {}).await;
    let nested = [
        case("D9c", "delete", json!({ "path": "/home/deep", "recursive": true }), inner),
        case("D9d", "move", json!({ "from": "/home/deep", "to": "/home/other" }), inner),
        case("D9e", "copy", json!({ "from": "/home/deep", "to": "/home/other" }), inner),
        case(
            "D9f",
            "write",
            json!({ "path": "/home/deep", "content": "x" }),
            refused(Code::WorkspaceIsDirectory),
        ),
        case("D9g", "ls", json!({ "path": "/home/deep" }), Has("inner/\tread-only Workspace")),
    ];
    for case in &nested {
        let directory = quick_directory();
        for name in ["outer/deep/inner", "inner"] {
            fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        fs::write(directory.path().join("inner/kept.txt"), "kept").unwrap();
        let mount = |prefix, scope, name: &str| {
            in_directory(prefix, scope, &directory.path().join(name), PhysicalOptions::default())
        };
        let guarded = Guarded::new(
            Some(directory.path()),
            vec![
                mount("/home", "read-write", "outer"),
                mount("/home/deep/inner", "read-only", "inner"),
            ],
        );
        let reply = case.run(&guarded).await;
        let names_it = reply.text.contains("/home/deep/inner");
        let is_inner = matches!(case.expect, Expect::Code(Code::WorkspaceInner));
        assert!(!is_inner || names_it, "{}: {}", case.id, reply.text);
    }
}
