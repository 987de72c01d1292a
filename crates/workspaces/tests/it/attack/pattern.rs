//! F: patterns of globs and searches.

use std::fs;

use piton_core::Code;
use serde_json::json;

use super::case::{Has, Lacks, Whatever, case, refused, run};

// shows: WS-015
#[tokio::test]
async fn no_pattern_leaves_its_workspace_or_takes_long() {
    let bad = refused(Code::WorkspaceBadPath);
    let bomb = "{a,b}".repeat(30);
    let stars = "**/".repeat(100);
    let many = "*a".repeat(100);
    let cases = [
        case("F1", "glob", json!({ "pattern": "../*" }), bad),
        case("F1b", "glob", json!({ "pattern": "/home/../../**" }), bad),
        case("F1c", "glob", json!({ "pattern": "**/../../**", "path": "/home/src" }), bad),
        case("F1d", "grep", json!({ "pattern": "CANARY", "glob": "../**" }), bad),
        case("F1e", "glob", json!({ "pattern": "/etc/*" }), refused(Code::WorkspaceUnmapped)),
        case("F1f", "glob", json!({ "pattern": "/home/src/*.rs" }), Has("/home/src/m.rs\n")),
        case("F1g", "glob", json!({ "pattern": "*", "path": "/home/../O" }), bad),
        case("F4", "glob", json!({ "pattern": format!("{bomb}x") }), Has("no files match")),
        case("F4b", "glob", json!({ "pattern": "{1..1000000}" }), Has("no files match")),
        case(
            "F4c",
            "glob",
            json!({ "pattern": "{".repeat(1_000) }),
            refused(Code::WorkspaceBadArgument),
        ),
        case("F4d", "glob", json!({ "pattern": "a".repeat(2_000) }), refused(Code::WorkspaceLimit)),
        case("F5", "glob", json!({ "pattern": format!("{stars}*.none") }), Has("no files match")),
        case("F5b", "glob", json!({ "pattern": format!("{many}b") }), Has("no files match")),
        case(
            "F7",
            "grep",
            json!({ "pattern": "(a+)+$", "path": "/home/src" }),
            Has("no lines match"),
        ),
        case(
            "F7b",
            "grep",
            json!({ "pattern": "(.*)*x$", "path": "/home/src/many" }),
            Has("no lines match"),
        ),
        case("F7c", "grep", json!({ "pattern": "a{1000}{1000}" }), refused(Code::WorkspaceLimit)),
        case("F7d", "grep", json!({ "pattern": "x".repeat(5_000) }), refused(Code::WorkspaceLimit)),
        case("F7e", "grep", json!({ "pattern": "(a", "literal": true }), Has("no lines match")),
        case("F8", "grep", json!({ "pattern": "--files" }), Has("no lines match")),
        case("F8b", "grep", json!({ "pattern": "-f/etc/passwd" }), Has("no lines match")),
        case(
            "F8c",
            "grep",
            json!({ "pattern": "x", "glob": "--pre=/bin/sh" }),
            Has("no lines match"),
        ),
        case(
            "F14",
            "grep",
            json!({ "pattern": "CANARY" }),
            Has("not searched, write-only: /drop, /home/src/inbox"),
        ),
        case(
            "F14b",
            "glob",
            json!({ "pattern": "*.txt", "path": "/home/src/inbox" }),
            refused(Code::WorkspaceScope),
        ),
        case("F14c", "glob", json!({ "pattern": "old*" }), Lacks("/old")),
        case(
            "F15",
            "grep",
            json!({ "pattern": "x", "context": 21 }),
            refused(Code::WorkspaceLimit),
        ),
        case(
            "F18",
            "grep",
            json!({ "pattern": "\\bmain\\b", "path": "/" }),
            Has("/home/src/m.rs:1:fn main() {}"),
        ),
        case("F19", "grep", json!({ "pattern": "a\nb" }), Whatever),
    ];
    run(&cases, |world| {
        fs::write(world.at("src").join("a".repeat(250)), "b").unwrap();
        fs::write(world.at("src/many"), "b".repeat(100_000)).unwrap();
    })
    .await;
}
