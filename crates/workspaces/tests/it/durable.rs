//! That a change is on the disk before its reply: the calls of the system that a change makes, in their order.
//!
//! Nothing but the order of these calls decides what a machine without power finds later, and no test can take its
//! power away. So a process makes every kind of change while `strace` writes down what it asks of the kernel.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

use serde_json::{Value, json};

use crate::kill;
use crate::world::quick_directory;

const ROOT: &str = "PITON_WORKSPACES_TRACED";
const CALLS: &str =
    "trace=fsync,fdatasync,openat,openat2,?renameat,renameat2,mkdirat,unlinkat,linkat,write";

/// What a change asks of the kernel until it is answered.
///
/// `record` is whatever makes the record durable, `TEMP` a name that only an unfinished change has, `.` the Mount.
type Asks = &'static [&'static str];

/// What every way to replace a file asks.
const REPLACES: Asks = &["record", "create TEMP", "sync TEMP", "rename TEMP new.txt", "sync ."];

/// Every kind of change to files of a directory, with what it asks where the kernel renames without replacing, and
/// where it does not.
fn changes() -> [(&'static str, Value, Asks, Asks); 10] {
    let same = |tool, arguments, asks| (tool, arguments, asks, asks);
    let write = |path: &str| json!({ "path": path, "content": "new\n" });
    let append = json!({ "path": "/p/new.txt", "content": "more\n", "append": true });
    let edit = json!({ "path": "/p/new.txt", "old_string": "more", "new_string": "less" });
    [
        same("write", write("/p/new.txt"), REPLACES),
        same(
            "write",
            write("/p/d/e/deep.txt"),
            &[
                "make d",
                "make d/e",
                "record",
                "create d/e/TEMP",
                "sync d/e/TEMP",
                "rename d/e/TEMP d/e/deep.txt",
                "sync .",
                "sync d",
                "sync d/e",
            ],
        ),
        same("write", append, REPLACES),
        same("edit", edit, REPLACES),
        (
            "copy",
            json!({ "from": "/p/new.txt", "to": "/p/copy.txt" }),
            &["record", "create TEMP", "sync TEMP", "rename TEMP copy.txt", "sync ."],
            &["record", "create TEMP", "sync TEMP", "link TEMP copy.txt", "remove TEMP", "sync ."],
        ),
        (
            "move",
            json!({ "from": "/p/new.txt", "to": "/p/d/moved.txt" }),
            &["record", "rename new.txt d/moved.txt", "sync d", "sync ."],
            &["record", "link new.txt d/moved.txt", "remove new.txt", "sync d", "sync ."],
        ),
        (
            "move",
            json!({ "from": "/p/d/e", "to": "/p/e" }),
            &["record", "rename d/e e", "sync .", "sync d"],
            &["record", "make e", "rename d/e e", "sync .", "sync d"],
        ),
        same("mkdir", json!({ "path": "/p/f" }), &["make f", "record", "sync .", "sync f"]),
        same(
            "delete",
            json!({ "path": "/p/d/moved.txt" }),
            &["record", "remove d/moved.txt", "sync d"],
        ),
        same(
            "delete",
            json!({ "path": "/p/f", "recursive": true }),
            &["record", "rename f TEMP", "sync .", "remove TEMP"],
        ),
    ]
}

/// In a child: makes the changes one after the other, and says when each begins and is answered.
#[tokio::test]
async fn a_child_changes_files_while_it_is_traced() {
    let Some(root) = env::var_os(ROOT) else {
        return;
    };
    let (files, _) = kill::open(Path::new(&root));
    let say = |text: String| io::stderr().write_all(text.as_bytes()).unwrap();
    // What is done once for all changes is done by the first.
    files.call("write", json!({ "path": "/p/first.txt", "content": "first\n" })).await;
    for (number, (tool, arguments, ..)) in changes().into_iter().enumerate() {
        say(format!("begins {number}."));
        let reply = files.call(tool, arguments).await;
        assert!(!reply.is_error(), "{}", reply.text);
        say(format!("answered {number}."));
    }
}

// shows in part: WS-035 (on the disk before the reply), WS-058 (recorded before the change)
#[test]
fn a_change_is_recorded_then_made_then_durable_and_only_then_answered() {
    let Some(found) = traced(&[]) else { return };
    for (number, (tool, arguments, expected, _)) in changes().into_iter().enumerate() {
        assert_eq!(found[&number], expected, "{tool} {arguments}");
    }
}

// What NFS answers.
#[test]
fn where_the_kernel_cannot_rename_without_replacing_it_takes_two_steps() {
    let Some(found) = traced(&["-e", "inject=renameat2:error=EINVAL"]) else { return };
    for (number, (tool, arguments, _, expected)) in changes().into_iter().enumerate() {
        assert_eq!(found[&number], expected, "{tool} {arguments}");
    }
}

/// What each change of a child asked of the kernel, by its number; nothing where nobody can be traced.
fn traced(more: &[&str]) -> Option<BTreeMap<usize, Vec<String>>> {
    if !Command::new("strace").arg("true").output().is_ok_and(|run| run.status.success()) {
        println!("not tried: strace is missing, or this machine lets nobody trace a process");
        return None;
    }
    let root = quick_directory();
    fs::create_dir(root.path().join("files")).unwrap();
    let trace = root.path().join("trace");
    let traced = Command::new("strace")
        .args(["-f", "-y", "-s", "100", "-e", CALLS])
        .args(more)
        .arg("-o")
        .arg(&trace)
        .arg(env::current_exe().unwrap())
        .args(["--exact", "durable::a_child_changes_files_while_it_is_traced", "--nocapture"])
        .env(ROOT, root.path())
        .output()
        .unwrap();
    assert!(traced.status.success(), "{}", String::from_utf8_lossy(&traced.stderr));
    Some(until_answers(&fs::read_to_string(trace).unwrap(), root.path()))
}

/// What each change asked of the kernel until it was answered, by its number.
fn until_answers(trace: &str, root: &Path) -> BTreeMap<usize, Vec<String>> {
    let (mut found, mut current) = (BTreeMap::new(), Vec::new());
    for call in finished(trace) {
        let Some(step) = step(&call, root) else { continue };
        if step.starts_with("begins ") {
            current.clear();
        } else if let Some(number) = step.strip_prefix("answered ") {
            let number = number.trim_end_matches('.').parse().unwrap();
            found.insert(number, std::mem::take(&mut current));
        } else if current.last() != Some(&step) {
            // Several files may make up a record.
            current.push(step);
        }
    }
    found
}

/// The calls that succeeded, each as one line, in the order in which they ended: a call during which another thread
/// called something is reported in two lines.
fn finished(trace: &str) -> Vec<String> {
    let (mut calls, mut unfinished) = (Vec::new(), BTreeMap::new());
    for line in trace.lines() {
        let (thread, line) = line.split_once(' ').unwrap();
        let line = line.trim_start();
        if let Some(begun) = line.strip_suffix("<unfinished ...>") {
            unfinished.insert(thread, begun);
        } else if let Some((_, rest)) = line.split_once(" resumed>") {
            let begun: &str = unfinished.remove(thread).unwrap();
            calls.push(format!("{begun}{rest}"));
        } else {
            calls.push(line.to_owned());
        }
    }
    calls.retain(|call| !call.contains(" = -1 "));
    calls
}

/// What a call does, if it belongs to a change.
fn step(call: &str, root: &Path) -> Option<String> {
    let (name, arguments) = call.split_once('(')?;
    let named = named(arguments);
    let place = |at: usize| {
        let path = Path::new(named.get(at)?).strip_prefix(root.join("files")).ok()?;
        Some(shown(path))
    };
    let entry = |at: usize| {
        let path = Path::new(named.get(at)?).join(named.get(at + 1)?);
        Some(shown(path.strip_prefix(root.join("files")).ok()?))
    };
    match name {
        "fsync" | "fdatasync" if named.first()?.starts_with(root.join("data").to_str()?) => {
            Some("record".to_owned())
        }
        "fsync" | "fdatasync" => Some(format!("sync {}", place(0)?)),
        "openat" | "openat2" if arguments.contains("O_CREAT") => {
            Some(format!("create {}", entry(0)?))
        }
        "renameat" | "renameat2" => Some(format!("rename {} {}", entry(0)?, entry(2)?)),
        "mkdirat" => Some(format!("make {}", entry(0)?)),
        "unlinkat" => Some(format!("remove {}", entry(0)?)),
        "linkat" => Some(format!("link {} {}", entry(0)?, entry(2)?)),
        "write" => {
            let said = named.get(1)?;
            ["begins ", "answered "].iter().any(|one| said.starts_with(one)).then(|| said.clone())
        }
        _ => None,
    }
}

/// A path below the Mount.
fn shown(path: &Path) -> String {
    let name = |name: &str| if name.starts_with(".piton-") { "TEMP" } else { name }.to_owned();
    let names: Vec<String> = path.iter().map(|one| name(one.to_str().unwrap())).collect();
    if names.is_empty() { ".".to_owned() } else { names.join("/") }
}

/// The paths of descriptors and the texts among the arguments of a call, in order.
fn named(arguments: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = arguments;
    while let Some(at) = rest.find(['<', '"']) {
        let end = if rest[at..].starts_with('<') { '>' } else { '"' };
        let inside = &rest[at + 1..];
        let Some(length) = inside.find(end) else { break };
        found.push(inside[..length].to_owned());
        rest = &inside[length + 1..];
    }
    found
}
