//! Somebody exchanges directories and files for links to the outside, and for pipes, while every operation runs.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, thread};

use piton_workspaces::physical::PhysicalOptions;
use rustix::fs::{CWD, FileType, Mode, RenameFlags};
use serde_json::{Value, json};

use crate::snapshot::tree;
use crate::world::World;

/// Exchanges pairs of paths for each other until it is told to stop; returns how often it did.
fn exchange(pairs: Vec<(PathBuf, PathBuf)>, stop: &Arc<AtomicBool>) -> thread::JoinHandle<u64> {
    let stop = Arc::clone(stop);
    thread::spawn(move || {
        let mut count = 0;
        while !stop.load(Ordering::Relaxed) {
            for (one, other) in &pairs {
                let done = rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
                count += u64::from(done.is_ok());
            }
        }
        count
    })
}

/// Every operation on what is exchanged, by turns.
fn operation(turn: u64) -> (&'static str, Value) {
    let new = format!("/home/src/swap/new-{}.txt", turn % 50);
    let deep = format!("/home/src/swap/d{}/e/new.txt", turn % 50);
    match turn % 16 {
        0 => ("read", json!({ "path": "/home/src/swap/x.txt" })),
        1 => ("write", json!({ "path": new, "content": "INSIDE" })),
        2 => (
            "edit",
            json!({ "path": "/home/src/swap/x.txt", "old_string": "inside", "new_string": "INSIDE" }),
        ),
        3 => ("read", json!({ "path": "/home/src/leaf" })),
        4 => ("write", json!({ "path": "/home/src/leaf", "content": "INSIDE" })),
        5 => ("ls", json!({ "path": "/home/src/swap" })),
        6 => ("grep", json!({ "path": "/home/src", "pattern": "CANARY" })),
        7 => ("glob", json!({ "path": "/home/src/swap", "pattern": "**/*" })),
        8 => ("stat", json!({ "path": "/home/src/swap/secret.txt" })),
        9 => ("write", json!({ "path": deep, "content": "INSIDE" })),
        10 => (
            "move",
            json!({ "from": "/home/src/swap/secret.txt", "to": format!("/home/src/in-{turn}") }),
        ),
        11 => (
            "copy",
            json!({ "from": "/home/src/swap/secret.txt", "to": format!("/mem/in-{turn}") }),
        ),
        12 => ("delete", json!({ "path": new })),
        13 => ("mkdir", json!({ "path": format!("/home/src/swap/m{}", turn % 50) })),
        14 => ("write", json!({ "path": "/home/src/leaf", "content": "INSIDE", "append": true })),
        _ => (
            "delete",
            json!({ "path": format!("/home/src/swap/d{}", turn % 50), "recursive": true }),
        ),
    }
}

async fn no_escape(operations: u64, by_name: bool) -> (u64, u64) {
    let options = PhysicalOptions { by_name, ..PhysicalOptions::default() };
    let world = World::with(options, &[]).await;
    let src = |name: &str| world.at("src").join(name);
    fs::create_dir(src("swap")).unwrap();
    fs::write(src("swap/x.txt"), "inside\n").unwrap();
    fs::write(src("leaf"), "inside\n").unwrap();
    fs::write(world.outside.join("x.txt"), "CANARY-OUT inside\n").unwrap();
    symlink(&world.outside, src("swap-link")).unwrap();
    symlink(world.outside.join("secret.txt"), src("leaf-link")).unwrap();
    let mode = Mode::from_raw_mode(0o666);
    rustix::fs::mknodat(CWD, src("leaf-pipe"), FileType::Fifo, mode, 0).unwrap();
    let before = world.look().await;
    let stop = Arc::new(AtomicBool::new(false));
    let pairs = vec![
        (src("swap"), src("swap-link")),
        (src("leaf"), src("leaf-link")),
        (src("leaf"), src("leaf-pipe")),
    ];
    let swapper = exchange(pairs, &stop);
    let mut succeeded = 0;
    for turn in 0..operations {
        let (tool, arguments) = operation(turn);
        let reply = world.amid(tool, arguments).await;
        succeeded += u64::from(!reply.is_error());
    }
    stop.store(true, Ordering::Relaxed);
    let exchanged = swapper.join().unwrap();
    world.still_holds(&before, "exchanged for links").await;
    let inside = tree(&world.jail);
    let canary = format!("{:?}", b"CANARY-OUT");
    let canary = canary.trim_end_matches(']').to_owned();
    let imported =
        inside.iter().find(|(name, content)| name.starts_with("src/") && content.contains(&canary));
    assert_eq!(imported, None, "something from outside was brought in");
    (succeeded, exchanged)
}

mod long {
    use piton_store::testing::LongRun;

    use super::no_escape;

    // shows: WS-011 (with a_mount_is_held_from_the_start_on_whatever_happens_to_its_path)
    // shows in part: WS-013 (where a file becomes a pipe)
    #[tokio::test]
    async fn no_operation_escapes_while_directories_become_links() {
        let run = LongRun::start("workspaces: exchanged for links");
        println!("{run}");
        let operations = LongRun::size(20_000, 1_000_000);
        let (mut succeeded, mut exchanged) = (0, 0);
        for by_name in [false, true] {
            let (one, other) = no_escape(operations / 2, by_name).await;
            succeeded += one;
            exchanged += other;
        }
        let counts =
            [("operations", operations), ("succeeded", succeeded), ("exchanges", exchanged)];
        println!("{counts:?}");
        run.report(&counts);
        assert!(succeeded > operations / 10, "most operations never met the files");
        assert!(exchanged > operations / 10, "too little was exchanged to mean something");
    }
}
