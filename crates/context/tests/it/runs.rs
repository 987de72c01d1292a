//! Frames by the run that made them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use piton_context::check::DamageKind;
use piton_context::frame::{Metadata, PutFrame, RunFrames};
use piton_context::{Context, ContextPorts};
use piton_core::RunId;
use piton_store::port::{EntryChange, Expect, Table as _, TableWrite};
use piton_store::testing::{TableCall, WatchedTable};

use crate::history::dump;
use crate::scene::{Scene, block_on};

fn run(number: u8) -> RunId {
    RunId::from_bytes([number; 16])
}

fn put(scene: &Scene, agent: &str, by: RunId, at: &str, text: &str) {
    let said = BTreeMap::from([("run".to_owned(), by.to_string())]);
    let adapter = scene.adapter(agent).with_metadata(Metadata::new(said).unwrap());
    let frame = PutFrame::new(at, "note".parse().unwrap(), text);
    block_on(adapter.put_frame(&frame)).unwrap();
}

/// Frames of two runs and of none, more than come in one page.
fn scene() -> Scene {
    let scene = Scene::scanned(&[("a", "a"), ("b", "b")]);
    put(&scene, "other", run(1), "b", "first of its agent");
    for number in 0..1_200 {
        put(&scene, "synthesis", run(2), "a", &number.to_string());
    }
    put(&scene, "synthesis", run(1), "a", "last");
    scene.put("a", "note", "by hand");
    scene
}

fn found(scene: &Scene, by: RunId, most: usize) -> RunFrames {
    block_on(scene.context.frames_of_run(by, most)).unwrap()
}

fn remove(scene: &Scene, is_meant: impl Fn(u8) -> bool) {
    let rows = dump(scene).into_iter().filter(|(key, ..)| is_meant(key[16]));
    let removed = rows.map(|(key, ..)| TableWrite {
        key: key.into(),
        expect: Expect::Anything,
        change: EntryChange::Remove,
    });
    block_on(scene.table.commit(removed.collect())).unwrap();
}

fn contents(scene: &Scene) -> Vec<(Vec<u8>, Vec<u8>)> {
    dump(scene).into_iter().map(|(key, value, _)| (key, value)).collect()
}

#[test]
fn frames_of_a_run_are_found_with_the_ones_that_they_came_after() {
    let scene = scene();
    let mine = found(&scene, run(1), 10);
    let paths: Vec<String> = mine.frames.iter().map(|frame| frame.path.to_string()).collect();
    assert_eq!((paths, mine.left_out), (vec!["a".to_owned(), "b".to_owned()], 0));
    let before = |frame| block_on(scene.context.frame_before(frame)).unwrap();
    let earlier = before(&mine.frames[0]).unwrap();
    assert_eq!(block_on(scene.context.content(&earlier)).unwrap(), b"1199");
    assert_eq!(before(&mine.frames[1]), None);
    let other = found(&scene, run(2), 1_100);
    assert_eq!((other.frames.len(), other.left_out), (1_100, 100));
    assert!(other.frames.is_sorted_by_key(|frame| frame.index));
    assert_eq!(found(&scene, run(3), 1), RunFrames::default());
}

#[test]
fn the_frames_of_others_are_not_read() {
    let scene = scene();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let table = WatchedTable::new(Arc::clone(&scene.ports.table), move |call| match call {
        TableCall::Commit(_) => panic!("it only looks"),
        call => {
            let frames = call.keys_read().into_iter().filter(|key| key[16] == b'f');
            counted.fetch_add(frames.count(), Ordering::Relaxed);
        }
    });
    let ports = ContextPorts { table: Arc::new(table), ..scene.ports.clone() };
    let context = Context::new(ports, scene.context.location().clone());
    assert_eq!(block_on(context.frames_of_run(run(1), 10)).unwrap().frames.len(), 2);
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[test]
fn frames_from_before_there_was_a_list_are_listed_when_they_are_first_asked_for() {
    let scene = scene();
    let listed = contents(&scene);
    remove(&scene, |letter| matches!(letter, b'u' | b'U'));
    assert_ne!(contents(&scene), listed);
    assert!(block_on(scene.context.validate()).unwrap().is_sound());
    // One that came since is listed, and so are those before it when somebody asks.
    put(&scene, "synthesis", run(1), "b", "newer");
    assert!(block_on(scene.context.validate()).unwrap().is_sound());
    let mine = found(&scene, run(1), 10);
    let paths: Vec<String> = mine.frames.iter().map(|frame| frame.path.to_string()).collect();
    assert_eq!(paths, ["a", "b", "b"]);
    assert_eq!(found(&scene, run(2), 2_000).frames.len(), 1_200);
    assert!(block_on(scene.context.validate()).unwrap().is_sound());
    let now = contents(&scene);
    assert!(listed.iter().all(|(key, _)| now.iter().any(|(found, _)| found == key)));
}

#[test]
fn nothing_is_written_for_a_project_without_frames() {
    let scene = Scene::scanned(&[("a", "a")]);
    let before = contents(&scene);
    assert_eq!(found(&scene, run(1), 10), RunFrames::default());
    assert_eq!(contents(&scene), before);
}

// shows in part: CT-081 (the index of runs)
#[test]
fn a_frame_that_is_not_listed_and_a_listed_one_that_is_not_there_are_damage() {
    let scene = Scene::scanned(&[("a", "a")]);
    put(&scene, "synthesis", run(1), "a", "mine");
    let damage = || {
        let found = block_on(scene.context.validate()).unwrap().damage;
        found.into_iter().map(|damage| (damage.kind, damage.detail)).collect::<Vec<_>>()
    };
    assert_eq!(damage(), []);
    let rows = dump(&scene);
    let (key, ..) = rows.iter().find(|(key, ..)| key[16] == b'u').unwrap().clone();
    remove(&scene, |letter| letter == b'u');
    assert_eq!(damage(), [(DamageKind::Index, "it is missing".to_owned())]);
    // The same place under another run.
    let mut other = key;
    other[17] ^= 1;
    let change = EntryChange::Put(Vec::new());
    let write = TableWrite { key: other.into(), expect: Expect::Anything, change };
    block_on(scene.table.commit(vec![write])).unwrap();
    let expected = ["no frame has it", "it is missing"];
    assert_eq!(damage(), expected.map(|detail| (DamageKind::Index, detail.to_owned())));
}
