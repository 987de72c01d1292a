//! Frames go along with what is renamed, also if the process dies on the way.

use std::fs;
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use piton_context::read::View;
use piton_context::scan::Scanner;
use piton_context::{Context, ContextPorts};
use piton_store::testing::{TableCall, WatchedTable};

use crate::scene::{Scene, block_on, path};

const FILES: [(&str, &str); 4] = [("d/a", "1"), ("d/in/b", "2"), ("d/in/c", "2"), ("e", "3")];

/// A project in which everything is described and `d` was renamed.
fn renamed() -> Scene {
    let scene = Scene::scanned(&FILES);
    for at in ["d", "d/in", "d/a", "d/in/b", "d/in/c", "e"] {
        scene.put(at, "note", &format!("about {at}"));
        scene.put(at, "review", &format!("review of {at}"));
    }
    fs::rename(scene.dir.path().join("d"), scene.dir.path().join("f")).unwrap();
    scene
}

fn is_moved(scene: &Scene) {
    for at in ["", "/in", "/a", "/in/b", "/in/c"] {
        let seen = scene.get(&format!("f{at}"), &View::default());
        let mut texts: Vec<String> = Vec::new();
        for frame in &seen.frames {
            assert!(frame.freshness.is_fresh(), "f{at}: {}", frame.freshness);
            assert_eq!(frame.metadata.get("adopted_from"), Some(&*format!("d{at}")));
            texts.push(String::from_utf8(frame.content.clone().unwrap()).unwrap());
        }
        texts.sort();
        assert_eq!(texts, [format!("about d{at}"), format!("review of d{at}")]);
    }
    assert!(block_on(scene.context.validate()).unwrap().is_sound());
}

// shows: CT-087
// shows in part: CT-011 (the part that a process which dies loses no frame of a rename)
#[test]
fn a_process_that_dies_in_a_rename_leaves_it_to_the_next() {
    let mut deaths = 0;
    for commit in 0.. {
        let scene = renamed();
        let commits = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&commits);
        let table = WatchedTable::new(Arc::clone(&scene.ports.table), move |call| {
            if matches!(call, TableCall::Commit(_)) {
                assert!(counted.fetch_add(1, Ordering::Relaxed) != commit, "the process dies");
            }
        });
        let ports = ContextPorts { table: Arc::new(table), ..scene.ports.clone() };
        let dying = Context::new(ports, scene.context.location().clone());
        let mut scanner = Scanner::new(scene.dir.path());
        let look = || block_on(dying.refreshed(&mut scanner, None));
        let died = catch_unwind(AssertUnwindSafe(look)).is_err();
        deaths += usize::from(died);
        let after = block_on(scene.context.refreshed(&mut Scanner::new(scene.dir.path()), None));
        assert_eq!(after.unchecked(), None);
        is_moved(&scene);
        if !died {
            break;
        }
    }
    assert!(deaths >= 4, "notes, tree, frames and the end of the notes: {deaths}");
}

// shows in part: CT-063 (renames)
#[test]
fn a_rename_that_was_recorded_is_not_done_again() {
    let mut scene = renamed();
    assert_eq!(scene.scan().adopted, 10);
    is_moved(&scene);
    let recorded = scene.scan();
    assert_eq!((recorded.adopted, recorded.changes.len()), (0, 0));
    // Another file at the old path has nothing to do with it.
    scene.write("d/a", "something else");
    assert_eq!(scene.scan().adopted, 0);
    is_moved(&scene);
}

// shows in part: CT-011 (the part that frames go along, whatever takes whose place)
#[test]
fn frames_go_along_with_files_that_take_the_place_of_others() {
    // From where to where each file goes, at once.
    let stories: [&[(&str, &str)]; 5] = [
        &[("a", "b"), ("b", "a")],
        &[("a", "b")],
        &[("a", "b"), ("b", "d/c"), ("d/c", "a")],
        &[("b", "new"), ("a", "b")],
        &[("a", "A")],
    ];
    for story in stories {
        let files = [("a", "the first"), ("b", "the second"), ("d/c", "the third")];
        let mut scene = Scene::scanned(&files);
        for (at, _) in files {
            scene.put(at, "note", &format!("about {at}"));
        }
        let file = |at: &str| scene.dir.path().join(at);
        let taken: Vec<Vec<u8>> =
            story.iter().map(|(from, _)| fs::read(file(from)).unwrap()).collect();
        for (from, _) in story {
            fs::remove_file(file(from)).unwrap();
        }
        for ((_, to), content) in story.iter().zip(taken) {
            fs::write(file(to), content).unwrap();
        }
        scene.scan();
        for (from, to) in story {
            let view = View { heads_only: true, ..View::default() };
            let seen = scene.get(to, &view).frames;
            let text = String::from_utf8_lossy(seen[0].content.as_ref().unwrap()).into_owned();
            assert_eq!(text, format!("about {from}"), "{story:?}");
            assert!(seen[0].freshness.is_fresh(), "{story:?}: {to}: {}", seen[0].freshness);
        }
        assert!(block_on(scene.context.validate()).unwrap().is_sound());
        assert_eq!(scene.scan().adopted, 0, "{story:?}: only once");
    }
}

#[test]
fn a_file_that_was_renamed_and_edited_is_offered_to_a_person() {
    let mut scene = Scene::scanned(&[("a", "the first"), ("b", "the second")]);
    scene.put("a", "note", "about a");
    scene.remove("a");
    scene.write("c", "the first, and more");
    scene.scan();
    assert_eq!(scene.get("c", &View::default()).frame_count, 0, "nothing is certain");
    let report = block_on(scene.context.report(&"@".parse().unwrap())).unwrap();
    assert_eq!(report.left_behind, 1, "and nothing is lost");
    let adopted = block_on(scene.adapter("writer").adopt("a", "c")).unwrap();
    assert_eq!(adopted.len(), 1);
    assert!(!scene.get("c", &View::default()).frames[0].freshness.is_fresh(), "it was edited");
}

#[test]
fn a_directory_whose_link_leads_elsewhere_is_not_the_same_directory() {
    let mut scene = Scene::new(&[("d/x", "content")]);
    symlink("one", scene.dir.path().join("d/link")).unwrap();
    scene.scan();
    scene.put("d", "summary", "about d");
    scene.put("d/x", "summary", "about x");
    for (at, target) in [("e", "two"), ("f", "one")] {
        scene.write(&format!("{at}/x"), "content");
        symlink(target, scene.dir.path().join(at).join("link")).unwrap();
    }
    std::fs::remove_dir_all(scene.dir.path().join("d")).unwrap();
    scene.scan();
    assert_eq!(scene.get("e", &View::default()).renamed_from, None);
    assert_eq!(scene.get("f", &View::default()).renamed_from, Some(path("d")));
    assert_eq!(scene.get("f/x", &View::default()).renamed_from, Some(path("d/x")));
}
