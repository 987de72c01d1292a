//! Several writers at once.

use std::{fs, sync::Arc};

use piton_workspaces::{Files, Workspaces, store::Store, virtual_store::VirtualStore};
use serde_json::json;

use crate::{
    conformance::local_ports,
    world::{World, definition, namespace},
};

const WRITERS: usize = 8;

/// Each writer adds its lines to one file, over and over, by reading, editing and naming the version.
async fn lose_nothing(agents: Vec<Files>, path: &'static str, rounds: usize) {
    agents[0].call("write", json!({ "path": path, "content": "start\n" })).await;
    let work = agents.into_iter().enumerate().map(|(who, files)| {
        tokio::spawn(async move {
            for round in 0..rounds {
                loop {
                    let read = files.call("read", json!({ "path": path, "limit": 2000 })).await.text;
                    assert!(read.contains("start\n"), "a torn read: {read}");
                    let at = read.find("version ").unwrap() + 8;
                    let version = &read[at..at + 16];
                    let line = format!("start\n{who}.{round}\n");
                    let edit = json!({
                        "path": path, "old_string": "start\n", "new_string": line, "version": version,
                    });
                    let reply = files.call("edit", edit).await;
                    if !reply.is_error() {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
            }
        })
    });
    for one in work.collect::<Vec<_>>() {
        one.await.unwrap();
    }
}

fn is_complete(text: &str, rounds: usize) {
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.contains("start")).collect();
    assert_eq!(lines.len(), WRITERS * rounds, "{text}");
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), WRITERS * rounds);
}

// shows: WS-056
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_editors_of_one_file_lose_nothing() {
    let world = World::new().await;
    lose_nothing(vec![world.files.clone(); WRITERS], "/home/src/log.txt", 12).await;
    is_complete(&fs::read_to_string(world.at("src/log.txt")).unwrap(), 12);
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
    is_complete(read.split_once('\n').unwrap().1, 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_hundred_writes_at_once_one_is_there_as_a_whole() {
    let world = World::new().await;
    for path in ["/home/src/one.txt", "/mem/one.txt"] {
        let bodies: Vec<String> = (0..100).map(|who| format!("{who:03}\n").repeat(2_000)).collect();
        let writes = bodies.iter().cloned().map(|content| {
            let files = world.files.clone();
            tokio::spawn(async move {
                files.call("write", json!({ "path": path, "content": content })).await
            })
        });
        for write in writes.collect::<Vec<_>>() {
            let reply = write.await.unwrap();
            assert!(!reply.is_error(), "{}", reply.text);
        }
        let read = world.call("read", json!({ "path": path })).await.text;
        let content = read.split_once('\n').unwrap().1;
        assert!(bodies.iter().any(|body| body == content), "{read:.200}");
    }
}

// shows: WS-034, WS-056 (appends)
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_appended_by_many_is_all_there() {
    let world = World::new().await;
    for path in ["/home/src/log", "/mem/log", "/drop/log"] {
        let appends = (0..WRITERS).map(|who| {
            let files = world.files.clone();
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
                world.call("read", json!({ "path": path })).await.text.split_once('\n').unwrap().1,
                10,
            );
        }
    }
}
