//! Workspaces as people configure them.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use piton_core::Code;
use piton_workspaces::config::{WorkspaceConfig, WorkspacePorts, open};
use piton_workspaces::{Error, Files};
use serde_json::{Value, json};

use crate::world::memory_ports;

fn ports() -> WorkspacePorts {
    WorkspacePorts {
        kept: memory_ports(1),
        memory: memory_ports(2),
        configuration: None,
        data: None,
    }
}

fn configs(list: Value) -> Vec<WorkspaceConfig> {
    serde_json::from_value(list).unwrap()
}

// shows in part: WS-006 (missing directory, all problems), WS-008 (the warning)
#[tokio::test]
async fn a_configuration_opens_every_kind_of_mount_or_names_every_problem() {
    let directory = tempfile::tempdir().unwrap();
    let real = directory.path().join("project");
    fs::create_dir_all(real.join("notes")).unwrap();
    fs::write(real.join("a.txt"), "alpha\n").unwrap();
    let opened = open(
        &configs(json!([
            { "prefix": "/project", "scope": "read-only", "directory": real, "purpose": "the code" },
            { "prefix": "/project/notes", "scope": "read-write", "directory": real.join("notes") },
            { "prefix": "/scratch", "scope": "read-write", "memory": ["s"], "over": "/project" },
            { "prefix": "/kept", "scope": "read-write", "virtual": ["k"], "bytes_max": 10 },
            { "prefix": "/drop", "scope": "write-only", "directory": real },
        ])),
        &ports(),
    )
    .unwrap();
    assert_eq!(
        opened.warnings,
        [
            "/project (read-only) and /drop (write-only) reach the same files; the wider of the two scopes counts for them",
            "/drop (write-only) and /project/notes (read-write) reach the same files; the wider of the two scopes counts for them",
        ]
    );
    assert_eq!(opened.overlays.len(), 1);
    let files = Files::new(Arc::new(opened.workspaces));
    let reply =
        files.call("write", json!({ "path": "/scratch/a.txt", "content": "omega\n" })).await;
    assert!(!reply.is_error(), "{}", reply.text);
    assert_eq!(fs::read_to_string(real.join("a.txt")).unwrap(), "alpha\n");
    let refused = open(
        &configs(json!([
            { "prefix": "/gone", "scope": "read-only", "directory": real.join("gone") },
            { "prefix": "/file", "scope": "read-only", "directory": real.join("a.txt") },
            { "prefix": "/none", "scope": "read-only" },
            { "prefix": "/both", "scope": "read-only", "directory": real, "memory": ["x"] },
            { "prefix": "/over", "scope": "read-write", "memory": ["x"], "over": "/nothing" },
            { "prefix": "/ns", "scope": "read-write", "virtual": [] },
            { "prefix": "relative", "scope": "everything", "memory": ["x"] },
        ])),
        &ports(),
    );
    let Err(Error::Config { problems }) = refused else {
        panic!("not refused");
    };
    insta::assert_snapshot!(problems.join("\n"));
    let host = directory.path().to_str().unwrap();
    assert!(problems.iter().all(|problem| !problem.contains(host)));
    // An overlay is not to blame for a directory that is missing elsewhere.
    let refused = open(
        &configs(json!([
            { "prefix": "/project", "scope": "read-only", "directory": real },
            { "prefix": "/scratch", "scope": "read-write", "memory": ["s"], "over": "/project" },
            { "prefix": "/gone", "scope": "read-only", "directory": real.join("gone") },
        ])),
        &ports(),
    );
    let Err(Error::Config { problems }) = refused else {
        panic!("not refused");
    };
    assert_eq!(problems, ["/gone has a `directory` that does not exist"]);
    let refused = open(
        &configs(json!([
            { "prefix": "/second", "scope": "read-write", "memory": ["t"], "over": "/scratch" },
            { "prefix": "/scratch", "scope": "read-write", "memory": ["s"], "over": "/project" },
            { "prefix": "/project", "scope": "read-only", "directory": real },
        ])),
        &ports(),
    );
    let Err(Error::Config { problems }) = refused else {
        panic!("not refused");
    };
    let expected =
        "/second lies over /scratch, which is an overlay itself; lay it over /project instead";
    assert_eq!(problems, [expected]);
}

#[tokio::test]
async fn what_lies_in_something_protected_and_what_a_protected_name_leads_to_is_protected() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let directories =
        [".git/hooks", ".claude/skills", ".claude/worktrees/w", "links/conf", "plain"];
    for name in directories.into_iter().chain(["separate/meta"]) {
        fs::create_dir_all(at(name)).unwrap();
    }
    for (target, link) in [
        (".git", "other"),
        ("plain", ".codex"),
        ("plain", "plain.d"),
        ("conf", "links/.claude"),
        ("../plain", "links/.vscode"),
    ] {
        symlink(target, at(link)).unwrap();
    }
    // As git leaves them where its directory is elsewhere.
    fs::write(at("separate/.git"), "gitdir: meta\n").unwrap();
    fs::write(at(".claude/worktrees/w/.git"), "gitdir: /elsewhere\n").unwrap();
    for (mount, path, is_protected) in [
        (".git", "config", true),
        (".git/hooks", "pre-commit", true),
        (".claude", "settings.json", true),
        (".claude/skills", "x", true),
        // By another name, and by a name that leads elsewhere.
        ("other", "hooks/pre-commit", true),
        (".codex", "config.toml", true),
        ("links", "conf/settings.json", true),
        ("links", "CONF/settings.json", true),
        ("links", "config", false),
        ("separate", "meta/config", true),
        ("separate", "work.txt", false),
        // What a name leads to outside of the Mount, and a checkout that lies in a protected directory.
        ("plain.d", "x", false),
        (".claude/worktrees/w", "src/x", false),
    ] {
        for writable in [&[][..], &[".git", ".claude", ".codex"]] {
            let config = json!([{
                "prefix": "/w", "scope": "read-write", "directory": at(mount), "writable": writable,
            }]);
            let opened = open(&configs(config), &ports()).unwrap();
            let files = Files::new(Arc::new(opened.workspaces));
            let write = json!({ "path": format!("/w/{path}"), "content": "x" });
            let reply = files.call("write", write).await;
            let code = reply.error.as_ref().map(Error::code);
            let expected =
                (is_protected && writable.is_empty()).then_some(Code::WorkspaceProtected);
            assert_eq!(code, expected, "{mount} {path} {writable:?}: {}", reply.text);
        }
    }
}
