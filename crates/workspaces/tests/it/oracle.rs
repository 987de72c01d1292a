//! Results of searches beside ripgrep's own, on real trees.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::{Files, Workspaces};
use serde_json::{Value, json};

use crate::world::{definition, physical};

pub(crate) fn ripgrep(directory: &Path, arguments: &[&str]) -> Vec<String> {
    let output = Command::new("rg")
        .args(["--no-config", "--no-ignore-dot", "--no-ignore-exclude", "--no-ignore-global"])
        .args(["--no-require-git", "--sort", "path", "--no-messages"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("ripgrep is installed: `cargo xtask test` does that");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(str::to_owned).collect()
}

fn agent(directory: &Path) -> Files {
    let store = physical(directory, PhysicalOptions::default());
    let set = Workspaces::new(vec![definition("/t", "read-only", store)]);
    Files::new(Arc::new(set.unwrap()))
}

pub(crate) async fn ours(files: &Files, tool: &str, arguments: Value) -> Vec<String> {
    let reply = files.call(tool, arguments).await;
    assert!(!reply.is_error(), "{}", reply.text);
    let lines = reply.text.lines().filter(|line| !line.starts_with('['));
    lines.map(|line| line.replacen("/t/", "", 1)).collect()
}

/// The project itself, without what is built and without tests that hold odd files.
fn real_tree() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

// shows: WS-036
#[tokio::test]
async fn searches_of_a_real_tree_find_what_ripgrep_finds_in_the_same_order() {
    let root = real_tree();
    let files = agent(&root);
    for (pattern, more, flags) in [
        ("fn prepare_\\w+", json!({}), &["-n"][..]),
        ("WORKSPACES_[A-Z]+", json!({ "context": 2 }), &["-n", "-C2"]),
        ("enum error", json!({ "ignore_case": true }), &["-n", "-i"]),
        ("Arc<dyn Store>", json!({ "literal": true }), &["-n", "-F"]),
        ("tokio", json!({ "type": "toml" }), &["-n", "-ttoml"]),
        ("piton", json!({ "glob": "*.toml" }), &["-n", "-g*.toml"]),
        ("^//! ", json!({ "output": "files", "glob": "mod.rs" }), &["-l", "-gmod.rs"]),
        ("unwrap\\(\\)", json!({ "output": "count", "type": "rust" }), &["-c", "-trust"]),
        ("no such text anywhere at all\u{20ac}", json!({}), &["-n"]),
    ] {
        let mut arguments = json!({ "pattern": pattern, "path": "/t/workspaces", "limit": 2000 });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let found = ours(&files, "grep", arguments).await;
        let flags = [flags, &["-e", pattern, "workspaces"]].concat();
        let wanted: Vec<String> =
            ripgrep(&root, &flags).into_iter().filter(|line| line.len() < 480).collect();
        // Both stop somewhere; ours at a number of lines.
        let compared = found.len().min(wanted.len());
        assert!(
            found.len() == wanted.len() || found.len() >= 1_000,
            "{pattern}: {} {}",
            found.len(),
            wanted.len()
        );
        assert_eq!(found[..compared], wanted[..compared], "{pattern}");
        assert!(compared > 0 || pattern.contains('\u{20ac}'), "{pattern} finds nothing");
    }
}

// shows in part: WS-036 (globs and ignore files)
#[tokio::test]
async fn ignore_files_count_as_for_ripgrep() {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in [
        (".gitignore", "*.log\n/build\n!keep.log\n# comment\ntemp/\n\\!odd\n"),
        ("a/.gitignore", "x.txt\n!/y.log\n"),
        ("a/b/.gitignore", "*\n!z.txt\n"),
        // What an agent could not see into hides nothing.
        (".ignore", "*.txt\n"),
        (".git/info/exclude", "*\n"),
        ("one.log", "t"),
        ("keep.log", "t"),
        ("build/out.txt", "t"),
        ("a/build/out.txt", "t"),
        ("a/x.txt", "t"),
        ("a/y.log", "t"),
        ("a/c/y.log", "t"),
        ("a/c/x.txt", "t"),
        ("a/b/q.txt", "t"),
        ("a/b/z.txt", "t"),
        ("a/temp/t.txt", "t"),
        ("!odd", "t"),
        (".hidden", "t"),
        (".dir/inside", "t"),
        ("a.b/file", "t"),
        ("a/file", "t"),
        ("a-b/file", "t"),
        ("ü/file", "t"),
    ] {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let files = agent(directory.path());
    for (path, inside, all) in
        [("/t", ".", false), ("/t", ".", true), ("/t/a", "a", false), ("/t/a/b", "a/b", false)]
    {
        let found =
            ours(&files, "glob", json!({ "pattern": "**", "path": path, "all": all })).await;
        let mut flags = vec!["--files", inside];
        if all {
            flags.splice(0..0, ["--hidden", "--no-ignore"]);
        }
        let wanted: Vec<String> = ripgrep(directory.path(), &flags)
            .into_iter()
            .map(|line| line.trim_start_matches("./").to_owned())
            .collect();
        assert_eq!(found, wanted, "{path} {all}");
    }
}

// shows in part: WS-036 (only inside the Mount, and no other ignore file)
#[tokio::test]
async fn ignore_files_above_the_mount_and_of_other_programs_hide_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mount = directory.path().join("above/mount");
    std::fs::create_dir_all(mount.join("sub")).unwrap();
    for above in [".gitignore", "above/.gitignore", "above/.ignore"] {
        std::fs::write(directory.path().join(above), "*\n").unwrap();
    }
    std::fs::create_dir(directory.path().join(".git")).unwrap();
    std::fs::write(mount.join("sub/a.txt"), "hit\n").unwrap();
    // Nor does one that is the business of ripgrep alone.
    std::fs::write(mount.join(".rgignore"), "*\n").unwrap();
    let files = agent(&mount);
    for path in ["/t", "/t/sub"] {
        let found = ours(&files, "grep", json!({ "pattern": "hit", "path": path })).await;
        assert_eq!(found, ["sub/a.txt:1:hit"], "{path}");
    }
}

// shows in part: WS-036 (bounded output with a count of the rest)
#[tokio::test]
async fn what_is_left_out_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..300 {
        std::fs::write(directory.path().join(format!("{number:03}")), "hit\nhit\n").unwrap();
    }
    let files = agent(directory.path());
    let text = files.call("glob", json!({ "pattern": "*" })).await.text;
    assert!(text.ends_with("/t/249\n[50 more files; narrow the pattern or the path]\n"), "{text}");
    let text = files.call("grep", json!({ "pattern": "hit", "limit": 3 })).await.text;
    let wanted = "/t/000:1:hit\n/t/000:2:hit\n/t/001:1:hit\n[597 more matching lines; narrow the pattern, the path or the glob]\n";
    assert_eq!(text, wanted);
}

#[tokio::test]
async fn a_search_that_nobody_waits_for_ends() {
    let files = agent(&real_tree());
    for _ in 0..50 {
        let search = files.call("grep", json!({ "pattern": "(a|b|c)+x", "all": true }));
        // Polled once, then dropped.
        let _ = futures_once(search).await;
    }
    assert!(!files.call("ls", json!({ "path": "/t" })).await.is_error());
}

async fn futures_once<T>(future: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        result = future => Some(result),
        () = std::future::ready(()) => None,
    }
}
