//! Following a directory while it is edited.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton_context::bounds::TRIES_MAX;
use piton_context::scan::Scanner;
use piton_context::watch::{Follower, json_lines};
use piton_context::{Context, ContextPorts};
use piton_store::port::Table;

use crate::refusing::Refusing;
use crate::scene::{Scene, block_on, path};

/// How long a test waits for the system before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// Follows until the recorded tree is what a scan from nothing finds.
async fn catch_up(follower: &mut Follower, scene: &Scene) {
    let wanted = Scanner::new(scene.dir.path()).scan(false).unwrap().tree.id();
    loop {
        if scene.context.current().await.unwrap().root == wanted {
            return;
        }
        let stepped = follower.step(PATIENCE).await.unwrap();
        assert!(stepped.is_some() || scene.context.current().await.unwrap().root == wanted);
    }
}

// shows: CT-082 (with changes_are_collected_until_it_is_quiet_however_long_nothing_happened_before, an_edit_costs_its_directory, what_changed_is_its_directories_until_it_is_too_much, a_change_that_could_not_be_recorded_is_recorded_by_the_next_step, changes_are_told_while_other_commands_work_and_ctrl_c_ends_it)
// shows: CT-083
#[test]
fn a_follower_records_bursts_renames_and_new_directories() {
    let scene = Scene::new(&[("a/x", "1"), ("b/y", "2"), (".gitignore", "target\n")]);
    fs::create_dir(scene.dir.path().join("target")).unwrap();
    block_on(async {
        let (mut follower, first) = Follower::start(scene.context.clone()).await.unwrap();
        assert_eq!(first.root.sequence, 1);
        let told = Arc::new(Mutex::new(String::new()));
        let lines = Arc::clone(&told);
        follower.subscribe(Arc::new(move |recorded| {
            lines.lock().unwrap().push_str(&json_lines(recorded));
        }));
        // Let it see the directories that it began to watch after the scan.
        follower.step(Duration::ZERO).await.unwrap();
        scene.write("a/x", "edited");
        catch_up(&mut follower, &scene).await;
        fs::rename(scene.dir.path().join("b/y"), scene.dir.path().join("a/z")).unwrap();
        catch_up(&mut follower, &scene).await;
        // A directory that appears with everything in it, and a burst.
        for number in 0..1_000 {
            scene.write(&format!("new/d{}/f{}", number % 7, number % 90), &number.to_string());
        }
        catch_up(&mut follower, &scene).await;
        fs::remove_dir_all(scene.dir.path().join("new")).unwrap();
        catch_up(&mut follower, &scene).await;
        let told = told.lock().unwrap().clone();
        let line = |path: &str, change: &str| {
            told.lines().any(|line| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                line["path"] == path && line["change"] == change
            })
        };
        assert!(line("a/x", "changed") && line("a/z", "renamed") && line("new/d1/f1", "added"));
        assert!(line("new", "removed"));
        let edit: serde_json::Value =
            serde_json::from_str(told.lines().find(|line| line.contains("\"a/x\"")).unwrap())
                .unwrap();
        assert_ne!(edit["old"]["id"], edit["new"]["id"]);
        assert!(block_on_heads_are_empty(&scene).await, "following makes no frames");
    });
}

// shows in part: CT-083 (the part that nothing goes untold)
#[test]
fn what_somebody_else_recorded_is_told_all_the_same() {
    let mut scene = Scene::new(&[("a", "1"), ("b", "1")]);
    block_on(async {
        let (mut follower, _) = Follower::start(scene.context.clone()).await.unwrap();
        follower.step(Duration::ZERO).await.unwrap();
        scene.write("a", "22");
        let tree = scene.scanner.scan(false).unwrap().tree;
        scene.context.record(&tree, false, None).await.unwrap();
        scene.write("b", "333");
        let told = follower.step(PATIENCE).await.unwrap().unwrap();
        let paths: Vec<String> =
            told.changes.iter().map(|change| change.path.to_string()).collect();
        assert_eq!(paths, [".", "a", "b"]);
    });
}

// shows in part: CT-082 (the part that it survives errors)
// shows in part: CT-083 (the part that nothing goes untold)
#[test]
fn a_change_that_could_not_be_recorded_is_recorded_by_the_next_step() {
    let scene = Scene::new(&[("a", "1")]);
    let (table, left) = (scene.table.clone(), AtomicU64::new(0));
    let refusing = Arc::new(Refusing { table, row: 0, left });
    let ports =
        ContextPorts { table: Arc::clone(&refusing) as Arc<dyn Table>, ..scene.ports.clone() };
    let context = Context::new(ports, scene.context.location().clone());
    block_on(async {
        let (mut follower, _) = Follower::start(context).await.unwrap();
        follower.step(Duration::ZERO).await.unwrap();
        scene.write("a", "22");
        refusing.left.store(u64::from(TRIES_MAX), Ordering::Relaxed);
        follower.step(PATIENCE).await.unwrap_err();
        // Nothing changes any more, and there is nothing to wait for.
        let told = follower.step(Duration::ZERO).await.unwrap().unwrap();
        let paths: Vec<String> =
            told.changes.iter().map(|change| change.path.to_string()).collect();
        assert_eq!(paths, [".", "a"]);
        assert_eq!(follower.step(Duration::ZERO).await.unwrap(), None);
    });
}

async fn block_on_heads_are_empty(scene: &Scene) -> bool {
    scene.context.heads(&path(".")).await.unwrap().is_empty()
}

// shows in part: CT-082 (the part that the cost is that of the change)
#[test]
fn an_edit_costs_its_directory() {
    let scene = Scene::new(&[]);
    for number in 0..300 {
        scene.write(&format!("d{}/f{number}", number % 60), "x");
    }
    let mut scanner = Scanner::new(scene.dir.path());
    scanner.scan(false).unwrap();
    scene.write("d7/f7", "edited");
    let dirty = Arc::new([path("d7")].into_iter().collect());
    let found = scanner.scan_only(&piton_context::scan::ScanScope::Only(dirty), false).unwrap();
    assert_eq!(found.report.listed_directories, 1);
}
