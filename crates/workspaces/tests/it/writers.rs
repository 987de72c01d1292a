//! Several writers at once.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

use piton_workspaces::store::Store;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{Files, Workspaces};
use rustix::fs::FlockOperation;
use serde_json::json;

use crate::conformance::local_ports;
use crate::kill;
use crate::world::{World, definition, namespace, quick_directory};

const WRITERS: usize = 8;

/// Each writer adds its lines to one file, over and over, by reading, editing and naming the version.
async fn lose_nothing(agents: Vec<Files>, path: &'static str, rounds: usize) {
    agents[0].call("write", json!({ "path": path, "content": "start\n" })).await;
    let work = agents.into_iter().enumerate().map(|(who, files)| {
        tokio::spawn(async move {
            for round in 0..rounds {
                add_line(&files, path, &format!("{who}.{round}")).await;
            }
        })
    });
    for one in work.collect::<Vec<_>>() {
        one.await.unwrap();
    }
}

/// Adds a line to a file, again and again until nobody else was faster.
async fn add_line(files: &Files, path: &str, line: &str) {
    loop {
        let read = files.call("read", json!({ "path": path, "limit": 2000 })).await.text;
        assert!(read.contains("start\n"), "a torn read: {read}");
        let at = read.find("version ").unwrap() + 8;
        let version = &read[at..at + 16];
        let text = format!("start\n{line}\n");
        let edit = json!({
            "path": path, "old_string": "start\n", "new_string": text, "version": version,
        });
        if !files.call("edit", edit).await.is_error() {
            return;
        }
        tokio::task::yield_now().await;
    }
}

fn is_complete(text: &str, expected: usize) {
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.contains("start")).collect();
    assert_eq!(lines.len(), expected, "{text}");
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), expected);
}

// shows: WS-056
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_editors_of_one_file_lose_nothing() {
    let world = World::new().await;
    lose_nothing(vec![world.unguarded().clone(); WRITERS], "/home/src/log.txt", 12).await;
    is_complete(&fs::read_to_string(world.at("src/log.txt")).unwrap(), WRITERS * 12);
    let directory = tempfile::tempdir().unwrap();
    // Each with a connection of its own, as processes have.
    let agents: Vec<Files> = (0..WRITERS)
        .map(|_| {
            let ports = local_ports(directory.path());
            let store: Arc<dyn Store> =
                Arc::new(VirtualStore::new(ports, &namespace(&["n"]), None));
            let set = Workspaces::new(vec![definition("/v", "read-write", store)]);
            Files::new(Arc::new(set.unwrap()))
        })
        .collect();
    let last = agents[0].clone();
    lose_nothing(agents, "/v/log.txt", 6).await;
    let read = last.call("read", json!({ "path": "/v/log.txt" })).await.text;
    is_complete(read.split_once('\n').unwrap().1, WRITERS * 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_hundred_writes_at_once_one_is_there_as_a_whole() {
    let world = World::new().await;
    for path in ["/home/src/one.txt", "/mem/one.txt"] {
        let bodies: Vec<String> = (0..100).map(|who| format!("{who:03}\n").repeat(2_000)).collect();
        let writes = bodies.iter().cloned().map(|content| {
            let files = world.unguarded().clone();
            tokio::spawn(async move {
                files.call("write", json!({ "path": path, "content": content })).await
            })
        });
        for write in writes.collect::<Vec<_>>() {
            let reply = write.await.unwrap();
            assert!(!reply.is_error(), "{}", reply.text);
        }
        let read = world.unguarded().call("read", json!({ "path": path })).await.text;
        let content = read.split_once('\n').unwrap().1;
        assert!(bodies.iter().any(|body| body == content), "{read:.200}");
    }
}

/// More changes than a runtime has threads that may block.
const WAITING: usize = 600;

/// Whether somebody reads and searches while more changes wait than there are threads, before the first of them gives up
/// waiting for a lock that somebody else holds.
async fn reads_before_a_change_gives_up() -> bool {
    let world = World::new().await;
    let lock = fs::File::open(world.at("src")).unwrap();
    rustix::fs::flock(&lock, FlockOperation::LockExclusive).unwrap();
    let (polled, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut writes = tokio::task::JoinSet::new();
    for number in 0..WAITING {
        let (files, polled, done) =
            (world.unguarded().clone(), Arc::clone(&polled), Arc::clone(&done));
        writes.spawn(async move {
            polled.fetch_add(1, Ordering::Relaxed);
            let path = format!("/home/src/{number}");
            files.call("write", json!({ "path": path, "content": "x" })).await;
            done.fetch_add(1, Ordering::Relaxed);
        });
    }
    // On one thread, a task that was polled has asked for its thread before this one goes on.
    while polled.load(Ordering::Relaxed) < WAITING {
        tokio::task::yield_now().await;
    }
    for (tool, arguments) in [
        ("grep", json!({ "path": "/home/src", "pattern": "fn main" })),
        ("read", json!({ "path": "/home/src/m.rs" })),
    ] {
        let reply = world.unguarded().call(tool, arguments).await;
        assert!(reply.text.contains("fn main"), "{}", reply.text);
    }
    let is_first = done.load(Ordering::Relaxed) == 0;
    drop(lock);
    writes.join_all().await;
    is_first
}

#[tokio::test]
async fn who_reads_does_not_wait_for_changes_that_wait_for_somebody_elses_lock() {
    // A machine that is busy for seconds may let a change give up all the same, but not every time.
    for _ in 0..3 {
        if reads_before_a_change_gives_up().await {
            return;
        }
    }
    panic!("reading waits for a thread that a change has");
}

// shows in part: WS-056 (no torn reads)
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_reads_while_others_write_finds_one_version_as_a_whole() {
    let world = World::new().await;
    for (path, lines) in
        [("/home/src/r", 50), ("/home/src/large", 1_700), ("/mem/r", 50), ("/mem/large", 1_700)]
    {
        let body = move |round: usize| format!("{round:020} {round:020}\n").repeat(lines);
        world.unguarded().call("write", json!({ "path": path, "content": body(0) })).await;
        let files = world.unguarded().clone();
        let writer = tokio::spawn(async move {
            for round in 1..100 {
                let reply =
                    files.call("write", json!({ "path": path, "content": body(round) })).await;
                assert!(!reply.is_error(), "{}", reply.text);
            }
        });
        let mut versions = std::collections::BTreeSet::new();
        while !writer.is_finished() {
            let read = world.unguarded().call("read", json!({ "path": path })).await;
            assert!(!read.is_error(), "{}", read.text);
            let content = read.text.split_once('\n').unwrap().1;
            let first = content.lines().next().unwrap();
            assert_eq!(content.lines().count(), lines, "{path}");
            assert!(content.lines().all(|line| line == first), "{path}: {content:.200}");
            versions.insert(first.to_owned());
        }
        writer.await.unwrap();
        assert!(!versions.is_empty(), "{path}");
    }
}

const EDITOR: &str = "PITON_WORKSPACES_EDITOR";
const PROCESSES: usize = 4;

/// In a child: edits the files of a root together with others.
#[tokio::test]
async fn a_child_edits_what_others_edit() {
    let Some(root) = env::var_os(EDITOR) else {
        return;
    };
    let who = std::process::id();
    let (files, _) = kill::open(Path::new(&root));
    for path in ["/p/log.txt", "/v/log.txt"] {
        for round in 0..5 {
            add_line(&files, path, &format!("{who}.{round}")).await;
        }
    }
}

// shows in part: WS-056 (several processes)
#[tokio::test]
async fn editors_in_processes_of_their_own_lose_nothing() {
    let root = quick_directory();
    fs::create_dir(root.path().join("files")).unwrap();
    let (files, _) = kill::open(root.path());
    for path in ["/p/log.txt", "/v/log.txt"] {
        files.call("write", json!({ "path": path, "content": "start\n" })).await;
    }
    let children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            Command::new(env::current_exe().unwrap())
                .args(["--exact", "writers::a_child_edits_what_others_edit"])
                .env(EDITOR, root.path())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    for path in ["/p/log.txt", "/v/log.txt"] {
        let read = files.call("read", json!({ "path": path })).await.text;
        is_complete(read.split_once('\n').unwrap().1, PROCESSES * 5);
    }
}

// shows in part: WS-034, WS-056 (appends that create the file)
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_first_appends_to_a_file_are_all_there() {
    let world = World::new().await;
    for round in 0..400 {
        for place in ["/home/src", "/mem"] {
            let path = format!("{place}/first-{round}");
            let start = Arc::new(tokio::sync::Barrier::new(4));
            let appends = (0..4).map(|who| {
                let (files, path) = (world.unguarded().clone(), path.clone());
                let start = Arc::clone(&start);
                tokio::spawn(async move {
                    start.wait().await;
                    let append =
                        json!({ "path": path, "content": format!("{who}\n"), "append": true });
                    let reply = files.call("write", append).await;
                    assert!(!reply.is_error(), "{}", reply.text);
                })
            });
            for append in appends.collect::<Vec<_>>() {
                append.await.unwrap();
            }
            let read = world.unguarded().call("read", json!({ "path": path })).await.text;
            is_complete(read.split_once('\n').unwrap().1, 4);
        }
    }
}

// shows in part: WS-034, WS-056 (appends)
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_appended_by_many_is_all_there() {
    let world = World::new().await;
    for path in ["/home/src/log", "/mem/log", "/drop/log"] {
        let appends = (0..WRITERS).map(|who| {
            let files = world.unguarded().clone();
            tokio::spawn(async move {
                for round in 0..10 {
                    let line = format!("{who}.{round}\n");
                    let append = json!({ "path": path, "content": line, "append": true });
                    let reply = files.call("write", append).await;
                    assert!(!reply.is_error(), "{}", reply.text);
                }
            })
        });
        for append in appends.collect::<Vec<_>>() {
            append.await.unwrap();
        }
        if path != "/drop/log" {
            is_complete(
                world
                    .unguarded()
                    .call("read", json!({ "path": path }))
                    .await
                    .text
                    .split_once('\n')
                    .unwrap()
                    .1,
                WRITERS * 10,
            );
        }
    }
}
