//! Ways to widen one's own scope, or to have another program run something: names that agents only read.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use piton_core::Code;
use piton_workspaces::overlay::{ApplyRequest, OverlayStore};
use piton_workspaces::path::LogicalPath;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{Files, Workspaces};
use serde_json::{Value, json};

use super::case::{Case, Has, case, refused, run};
use crate::guarded::{Guarded, in_directory, in_store};
use crate::world::{World, definition, memory_ports, namespace, physical, put, quick_directory};

const PROTECTED: super::case::Expect = super::case::Expect::Code(Code::WorkspaceProtected);

/// Every way to change something at a path; `other` is a file that may be read and moved.
fn every_change(path: &str, other: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("write", json!({ "path": path, "content": "x" })),
        ("write", json!({ "path": path, "content": "x", "append": true })),
        ("edit", json!({ "path": path, "old_string": "alpha", "new_string": "omega" })),
        ("edit", json!({ "path": path, "old_string": "absent", "new_string": "omega" })),
        ("copy", json!({ "from": other, "to": path })),
        ("move", json!({ "from": other, "to": path })),
        ("move", json!({ "from": path, "to": format!("{other}.new") })),
        ("delete", json!({ "path": path })),
        ("delete", json!({ "path": path, "recursive": true })),
        ("mkdir", json!({ "path": path })),
    ]
}

const NAMES: [&str; 16] = [
    "piton.toml",
    "sub/piton.toml",
    ".piton/workflows/mine.json",
    ".git",
    ".git/config",
    ".git/hooks/pre-commit",
    "deep/er/.git/config",
    ".GIT/config",
    ".g\u{200c}it/config",
    ".git./config",
    ".mcp.json",
    ".claude/settings.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
    ".vscode/tasks.json",
    "sub/.envrc",
];

#[tokio::test]
async fn no_tool_changes_a_protected_name_whether_or_not_it_exists() {
    for there in [false, true] {
        for name in NAMES {
            let world = World::new().await;
            for (root, other) in [("/home/src", "/home/src/m.rs"), ("/mem", "/mem/m.rs")] {
                if root == "/mem" {
                    world.set_up("write", json!({ "path": other, "content": "x" })).await;
                } else if there {
                    let at = world.at("src").join(name);
                    fs::create_dir_all(at.parent().unwrap()).unwrap();
                    fs::write(at, "alpha\n").unwrap();
                }
                let path = format!("{root}/{name}");
                for (tool, arguments) in every_change(&path, other) {
                    case(name, tool, arguments, PROTECTED).run(&world).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn what_is_protected_can_be_read_and_what_builds_the_project_can_be_changed() {
    let cases: Vec<Case> = vec![
        case("read", "read", json!({ "path": "/home/src/.git/config" }), Has("alpha")),
        case(
            "grep",
            "grep",
            json!({ "pattern": "alpha", "all": true }),
            Has(".git/config:1:alpha"),
        ),
        case("ls", "ls", json!({ "path": "/home/src/.git" }), Has("config")),
        case(
            "copy out",
            "copy",
            json!({ "from": "/home/src/.git/config", "to": "/home/src/seen" }),
            Has("copied"),
        ),
        case(
            "build file",
            "write",
            json!({ "path": "/home/src/Makefile", "content": "all:\n" }),
            Has("created"),
        ),
        case(
            "ignore file",
            "write",
            json!({ "path": "/home/src/.gitignore", "content": "target\n" }),
            Has("created"),
        ),
    ];
    run(&cases, |world| {
        fs::create_dir(world.at("src/.git")).unwrap();
        fs::write(world.at("src/.git/config"), "alpha\n").unwrap();
    })
    .await;
}

#[tokio::test]
async fn nothing_that_holds_or_would_become_a_protected_name_is_moved_or_deleted() {
    let change = |tool, arguments, expect| case("around", tool, arguments, expect);
    let cases = vec![
        change("delete", json!({ "path": "/home/src/lib", "recursive": true }), PROTECTED),
        change("move", json!({ "from": "/home/src/lib", "to": "/home/src/gone" }), PROTECTED),
        change("move", json!({ "from": "/home/src/lib/deep", "to": "/home/src/x" }), PROTECTED),
        change("move", json!({ "from": "/home/src/made", "to": "/home/src/.git" }), PROTECTED),
        change("move", json!({ "from": "/home/src/made", "to": "/home/src/lib/.git" }), PROTECTED),
        change("move", json!({ "from": "/home/src/made", "to": "/home/src/new/.Git" }), PROTECTED),
        change(
            "move",
            json!({ "from": "/home/src/m.rs", "to": "/home/src/piton.toml" }),
            PROTECTED,
        ),
        change("move", json!({ "from": "/mem/x", "to": "/home/src/.envrc" }), PROTECTED),
        change("copy", json!({ "from": "/home/a.txt", "to": "/home/src/.mcp.json" }), PROTECTED),
        change("copy", json!({ "from": "/home/a.txt", "to": "/drop/.mcp.json" }), PROTECTED),
        // Beside it, everything goes on.
        change(
            "move",
            json!({ "from": "/home/src/made", "to": "/home/src/lib/made" }),
            Has("moved"),
        ),
        change("delete", json!({ "path": "/home/src/lib/plain.txt" }), Has("deleted")),
    ];
    run(&cases, |world| {
        let src = world.at("src");
        for name in ["lib/deep/.git/hooks", "made/hooks"] {
            fs::create_dir_all(src.join(name)).unwrap();
        }
        fs::write(src.join("lib/deep/.git/config"), "alpha\n").unwrap();
        fs::write(src.join("made/config"), "alpha\n").unwrap();
        fs::write(src.join("lib/plain.txt"), "alpha\n").unwrap();
    })
    .await;
}

#[tokio::test]
async fn no_link_leads_around_the_protection() {
    let world =
        World::with(PhysicalOptions { links: true, ..PhysicalOptions::default() }, &[]).await;
    let (src, inbox) = (world.at("src"), world.at("inbox"));
    for directory in [&src, &inbox] {
        fs::create_dir_all(directory.join(".git/hooks")).unwrap();
        fs::write(directory.join(".git/config"), "alpha\n").unwrap();
        symlink(".git", directory.join("harmless")).unwrap();
        symlink(".git/config", directory.join("settings")).unwrap();
    }
    for path in ["/home/src/harmless/config", "/home/src/harmless/hooks/pre-commit"] {
        let cases = every_change(path, "/home/src/m.rs").into_iter();
        for (tool, arguments) in cases.filter(|(tool, one)| {
            // What fails before anything is changed may say why.
            !(*tool == "edit" && (one["old_string"] == "absent" || path.ends_with("commit")))
        }) {
            case("link", tool, arguments, PROTECTED).run(&world).await;
        }
    }
    for tool in ["write", "edit"] {
        let arguments = json!({
            "path": "/home/src/settings", "content": "x", "old_string": "alpha", "new_string": "x",
        });
        let mut arguments = arguments.as_object().unwrap().clone();
        arguments.retain(|name, _| name == "path" || (name == "content") == (tool == "write"));
        case("link", tool, Value::Object(arguments), PROTECTED).run(&world).await;
    }
    // Where nothing may be learned, no answer says that a link leads there.
    let arguments = json!({ "path": "/home/src/inbox/harmless/config", "content": "x" });
    case("blind", "write", arguments, refused(Code::WorkspaceWriteFailed)).run(&world).await;
    let arguments = json!({ "path": "/home/src/inbox/.git/config", "content": "x" });
    case("blind", "write", arguments, PROTECTED).run(&world).await;
}

#[tokio::test]
async fn what_the_person_lists_can_be_changed_and_only_that() {
    let directory = quick_directory();
    fs::create_dir_all(directory.path().join("a/.vscode")).unwrap();
    fs::write(directory.path().join("a/.vscode/tasks.json"), "alpha\n").unwrap();
    let laid = in_directory("/w", "read-write", directory.path(), PhysicalOptions::default());
    let laid = laid.letting(&[".vscode", "piton.toml"]);
    let world = Guarded::new(Some(directory.path()), vec![laid]);
    for (tool, arguments, expect) in [
        ("write", json!({ "path": "/w/.vscode/settings.json", "content": "{}" }), Has("created")),
        ("write", json!({ "path": "/w/piton.toml", "content": "" }), Has("created")),
        ("write", json!({ "path": "/w/.git/config", "content": "" }), PROTECTED),
        ("write", json!({ "path": "/w/.vscode/.git", "content": "" }), PROTECTED),
        ("delete", json!({ "path": "/w/a", "recursive": true }), Has("deleted")),
    ] {
        case("listed", tool, arguments, expect).run(&world).await;
    }
}

#[tokio::test]
async fn a_refusal_says_what_is_protected_why_and_who_can_allow_it() {
    let world = World::new().await;
    let write = json!({ "path": "/home/src/.git/hooks/pre-commit", "content": "x" });
    let text = world.call("write", write).await.text;
    insta::assert_snapshot!(text);
}

/// An overlay that lets agents change `.vscode`, over a Workspace that does not.
#[tokio::test]
async fn what_is_protected_below_stays_in_the_overlay_when_it_is_applied() {
    let directory = quick_directory();
    let at = |name: &str| directory.path().join(name);
    for name in ["src", ".vscode", "old/.vscode", "mixed/.vscode"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    for name in ["src/a.rs", ".vscode/tasks.json", "old/.vscode/x", "mixed/.vscode/x", "mixed/y"] {
        fs::write(at(name), "alpha\n").unwrap();
    }
    let lower =
        definition("/p", "read-only", physical(directory.path(), PhysicalOptions::default()));
    let lower = Workspaces::new(vec![lower]).unwrap();
    let upper = VirtualStore::new(memory_ports(4), &namespace(&["o"]), None);
    let overlay = OverlayStore::new(upper, &lower.all()[0]);
    let mut above = definition("/o", "read-write", Arc::new(overlay.clone()));
    above.writable = vec![".vscode".into()];
    let agent = Files::new(Arc::new(Workspaces::new(vec![above]).unwrap()));
    for (tool, arguments) in [
        ("edit", json!({ "path": "/o/src/a.rs", "old_string": "alpha", "new_string": "beta" })),
        ("write", json!({ "path": "/o/.vscode/tasks.json", "content": "run me\n" })),
        ("write", json!({ "path": "/o/new/.vscode/tasks.json", "content": "run me\n" })),
        ("write", json!({ "path": "/o/new/plain.txt", "content": "plain\n" })),
        ("delete", json!({ "path": "/o/old", "recursive": true })),
        ("delete", json!({ "path": "/o/mixed/y" })),
    ] {
        let reply = agent.call(tool, arguments).await;
        assert!(!reply.is_error(), "{}", reply.text);
    }
    let prefix: LogicalPath = "/p".parse().unwrap();
    let person = Files::new(Arc::new(overlay.operator(&prefix).unwrap()));
    let request = ApplyRequest::everything(prefix);
    let applied = overlay.apply(&person, &request).await.unwrap();
    let left: Vec<&str> = applied.left.iter().map(|one| one.path.as_str()).collect();
    let expected =
        ["/p/.vscode/tasks.json", "/p/new/.vscode", "/p/new/.vscode/tasks.json", "/p/old"];
    assert_eq!(left, expected);
    let read = |name: &str| fs::read_to_string(at(name)).ok();
    assert_eq!(read("src/a.rs").as_deref(), Some("beta\n"));
    assert_eq!(read("new/plain.txt").as_deref(), Some("plain\n"));
    assert_eq!(read("mixed/y"), None);
    assert_eq!(read(".vscode/tasks.json").as_deref(), Some("alpha\n"));
    assert_eq!(read("old/.vscode/x").as_deref(), Some("alpha\n"));
    assert!(!at("new/.vscode").exists());
    // What was left is still there, and nothing else is: applying once more changes nothing.
    let shown = agent.call("read", json!({ "path": "/o/.vscode/tasks.json" })).await;
    assert!(shown.text.contains("run me"), "{}", shown.text);
    let again = overlay.apply(&person, &request).await.unwrap();
    assert!(again.paths.is_empty(), "{:?}", again.paths);
    assert_eq!(again.left, applied.left);
}

#[tokio::test]
async fn a_tree_in_a_virtual_store_that_holds_a_protected_name_stays() {
    let store = VirtualStore::new(memory_ports(3), &namespace(&["n"]), None);
    for path in ["lib/.git/config", "lib/plain.txt", "other/plain.txt"] {
        put(&store, path, b"alpha\n").await;
    }
    let world = Guarded::new(None, vec![in_store("/v", "read-write", Arc::new(store))]);
    for (tool, arguments, expect) in [
        ("delete", json!({ "path": "/v/lib", "recursive": true }), PROTECTED),
        ("move", json!({ "from": "/v/lib", "to": "/v/x" }), PROTECTED),
        ("move", json!({ "from": "/v/other", "to": "/v/.git" }), PROTECTED),
        ("delete", json!({ "path": "/v/other", "recursive": true }), Has("deleted")),
    ] {
        case("virtual", tool, arguments, expect).run(&world).await;
    }
}
