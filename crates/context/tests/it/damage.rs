//! Repairing damage: each kind of row and each content, damaged in each way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use piton_context::agent::AgentContext;
use piton_context::check::ContextRepaired;
use piton_context::frame::{AppendOutcome, FrameId, Metadata, PutFrame};
use piton_context::history::RootRef;
use piton_context::read::View;
use piton_context::scan::Scanner;
use piton_context::synthesis::PolicySpec;
use piton_context::{Context, ContextPorts};
use piton_core::{Digest, RunId};
use piton_store::local::{DataDir, LocalBlobs};
use piton_store::memory::MemoryTable;
use piton_store::port::{EntryChange, Expect, Table, TableWrite};
use piton_store::testing::{TableCall, WatchedTable};

use crate::history::dump;
use crate::scene::{Scene, agents, block_on, summaries};

/// More entries than one row of a directory takes.
const MANY: usize = 1_001;

/// Larger than what lies in a frame's row.
const LARGE: usize = 20_000;

/// A value that no row has.
const BAD: &[u8] = b"/\0";

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// A project with a row of every kind, whose contents lie in files.
struct Store {
    scene: Scene,
    data: tempfile::TempDir,
}

impl Store {
    fn new() -> Self {
        Self::with_many(0)
    }

    /// The same with so many more files in one directory.
    fn with_many(many: usize) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut scene = Scene::new(&[("a/x", "1"), ("a/y", "2"), ("b", "3"), ("old", "moved")]);
        scene.ports.blobs = Arc::new(LocalBlobs::new(DataDir::open(data.path()).unwrap()));
        scene.context = Context::new(scene.ports.clone(), scene.context.location().clone());
        for number in 0..many {
            scene.write(&format!("many/{number:04}"), "same");
        }
        scene.write("copies/1", "twice");
        scene.write("copies/2", "twice");
        scene.scan();
        scene.put("old", "note", "goes along");
        scene.put("copies/1", "note", "may go along");
        scene.put("b", "note", &"large ".repeat(LARGE));
        scene.put("b", "note", &"larger ".repeat(LARGE));
        for text in ["first", "second", "third", "first"] {
            scene.put("a/y", "summary", text);
        }
        let said = BTreeMap::from([("run".to_owned(), RunId::from_bytes([7; 16]).to_string())]);
        let runner = scene.adapter("writer").with_metadata(Metadata::new(said).unwrap());
        for at in ["a/x", "a/y"] {
            let frame = PutFrame::new(at, "summary".parse().unwrap(), "of a run");
            block_on(runner.put_frame(&frame)).unwrap();
        }
        scene.synthesize("a", &summaries(PolicySpec::Concatenation));
        for at in ["a/x", "a/y"] {
            let summary = "summary".parse().unwrap();
            let marked = scene.adapter("writer");
            block_on(marked.invalidate(at, &summary, &format!("doubts about {at}"))).unwrap();
        }
        let rename = |from: &str, to: &str| {
            fs::rename(scene.dir.path().join(from), scene.dir.path().join(to)).unwrap();
        };
        rename("old", "new");
        rename("copies/1", "copies/3");
        rename("copies/2", "copies/4");
        scene.write("b", "4");
        let tree = scene.scanner.scan(false).unwrap().tree;
        block_on(scene.context.record(&tree, false, Some(&"second".parse().unwrap()))).unwrap();
        // A rename that a process noted and did not live to record.
        let mut key = scene.context.location().id().as_bytes().to_vec();
        key.extend_from_slice(b"aa/later\0");
        let value = [&9_u64.to_be_bytes()[..], b"a/x"].concat();
        change(&scene.table, &key, EntryChange::Put(value));
        let sound = block_on(scene.context.validate()).unwrap();
        assert!(sound.is_sound(), "{:?}", sound.damage);
        Self { scene, data }
    }

    fn rows(&self) -> Rows {
        rows(&self.scene)
    }

    /// The same project with these rows.
    fn with(&self, rows: &Rows) -> Scene {
        let table = MemoryTable::new();
        let put = |(key, value): (&Vec<u8>, &Vec<u8>)| TableWrite {
            key: key.as_slice().into(),
            expect: Expect::Anything,
            change: EntryChange::Put(value.clone()),
        };
        block_on(table.commit(rows.iter().map(put).collect())).unwrap();
        let scene = &self.scene;
        let ports = ContextPorts { table: Arc::new(table.clone()), ..scene.ports.clone() };
        Scene {
            dir: tempfile::tempdir().unwrap(),
            context: Context::new(ports.clone(), scene.context.location().clone()),
            table,
            clock: Arc::clone(&scene.clock),
            scanner: Scanner::new(scene.dir.path()),
            ports,
        }
    }

    /// The files with contents of frames.
    fn contents(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut waiting = vec![self.data.path().to_owned()];
        while let Some(at) = waiting.pop() {
            for entry in fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() && !entry.ends_with("damaged") {
                    waiting.push(entry);
                } else if entry.is_file() && fs::metadata(&entry).unwrap().len() > LARGE as u64 {
                    found.push(entry);
                }
            }
        }
        found.sort();
        found
    }
}

fn rows(scene: &Scene) -> Rows {
    dump(scene).into_iter().map(|(key, value, _)| (key, value)).collect()
}

fn change(table: &MemoryTable, key: &[u8], change: EntryChange) {
    let write = TableWrite { key: key.into(), expect: Expect::Anything, change };
    block_on(table.commit(vec![write])).unwrap();
}

/// The ways in which bytes are damaged; `other` are bytes of the same kind. Nothing stands for a row that is gone.
fn ways(bytes: &[u8], other: Option<&[u8]>) -> Vec<(String, Option<Vec<u8>>)> {
    let mut ways = vec![("deleted".to_owned(), None)];
    if !bytes.is_empty() {
        let places: BTreeSet<usize> = (0..4).map(|quarter| bytes.len() * quarter / 4).collect();
        for place in places.into_iter().chain([bytes.len() - 1]) {
            let mut flipped = bytes.to_vec();
            flipped[place] ^= 1;
            ways.push((format!("flipped at {place}"), Some(flipped)));
        }
        ways.push(("cut in half".to_owned(), Some(bytes[..bytes.len() / 2].to_vec())));
        ways.push(("without its end".to_owned(), Some(bytes[..bytes.len() - 1].to_vec())));
        ways.push(("emptied".to_owned(), Some(Vec::new())));
    }
    if let Some(other) = other.filter(|other| *other != bytes) {
        ways.push(("replaced by another's".to_owned(), Some(other.to_vec())));
    }
    ways
}

fn repair(scene: &mut Scene) -> ContextRepaired {
    let found = scene.scanner.scan(true).unwrap();
    block_on(scene.context.repair(&found.tree, found.report.is_partial())).unwrap()
}

/// Every frame that is found by its id, with its content.
fn frames(scene: &Scene) -> BTreeMap<FrameId, Vec<u8>> {
    let rows = rows(scene);
    let places = rows.keys().filter(|key| key[16] == b'i');
    let id = |key: &Vec<u8>| FrameId::new(Digest::from_bytes(key[17..].try_into().unwrap()));
    let read = |id: FrameId| {
        let frame = block_on(scene.context.frame(id)).unwrap();
        (id, block_on(scene.context.content(&frame)).unwrap())
    };
    places.map(id).map(read).collect()
}

/// After a repair everything works, nothing more is repaired, and what is not there can be put again.
fn is_usable(scene: &mut Scene, case: &str) {
    let found = block_on(scene.context.validate()).unwrap();
    assert!(found.is_sound(), "{case}: {:?}", found.damage);
    let report = block_on(scene.context.report(&RootRef::Current));
    assert!(!report.unwrap().root.partial, "{case}");
    let before = rows(scene);
    let again = repair(scene);
    assert!(again.taken.is_empty() && again.rebuilt.is_empty(), "{case}: {again:?}");
    assert_eq!(rows(scene), before, "{case}: a second repair changes nothing");
    for at in ["a/x", "a/y", "b", "new"] {
        let put = scene.put(at, "check", &format!("after {case}"));
        assert_eq!(put.outcome, AppendOutcome::Added, "{case}");
        assert_ne!(scene.put(at, "summary", "first").outcome, AppendOutcome::Unchanged);
        block_on(scene.context.prove(put.frame)).unwrap();
    }
    scene.synthesize("a", &summaries(PolicySpec::Concatenation));
    let found = block_on(scene.context.validate()).unwrap();
    assert!(found.is_sound(), "{case}: {:?}", found.damage);
}

/// Rows that hold nothing that is not in others, so that a repair gives them back as they were.
const DERIVED: &[u8] = b"hsibduqR";

/// Notes that only say where to look again.
fn is_note(key: &[u8]) -> bool {
    matches!(key[16], b'y' | b'z' | b'U')
}

// shows: CT-081 (with every_kind_of_damage_is_found, a_damaged_content_is_taken_out_with_its_frame, a_repair_that_dies_anywhere_is_completed_by_the_next, a_damaged_row_of_context_is_found_and_taken_out_or_rebuilt)
#[test]
fn each_damaged_row_is_repaired_and_everything_else_stays() {
    let store = Store::new();
    let letters: BTreeSet<u8> = store.rows().keys().map(|key| key[16]).collect();
    let letters: Vec<u8> = letters.into_iter().collect();
    assert_eq!(String::from_utf8_lossy(&letters), "RUabcdfhilmnqrsuvwxy");
    check_each(&store, |_, _| true);
}

// shows in part: CT-081 (a directory of several rows)
#[test]
fn each_damaged_row_of_a_large_directory_is_written_again() {
    let store = Store::with_many(MANY);
    // The second row, and the first row with more than a file's.
    check_each(&store, |key, value| key.len() > 49 || value.len() > LARGE);
}

fn check_each(store: &Store, is_meant: impl Fn(&[u8], &[u8]) -> bool) {
    let whole = store.rows();
    let all = frames(&store.with(&whole));
    assert_eq!(all.len(), 11);
    let current = block_on(store.scene.context.current()).unwrap().root;
    let mut count = 0;
    for (key, value) in whole.iter().filter(|(key, value)| is_meant(key, value)) {
        let letter = key[16];
        count += 1;
        let other = whole.iter().find(|(found, bytes)| {
            found[16] == letter && found.len() == key.len() && *bytes != value
        });
        for (way, bytes) in ways(value, other.map(|(_, bytes)| bytes.as_slice())) {
            let case = format!("{} {} {way}", letter as char, String::from_utf8_lossy(&key[17..]));
            let mut scene = store.with(&whole);
            let damaged = bytes.clone();
            change(
                &scene.table,
                key,
                damaged.clone().map_or(EntryChange::Remove, EntryChange::Put),
            );
            let found = block_on(scene.context.validate()).unwrap();
            let done = repair(&mut scene);
            let after = rows(&scene);
            assert_eq!(
                found.is_sound(),
                done.rewritten == 0
                    && done.taken.is_empty()
                    && done.rebuilt.is_empty()
                    && is_same(&after, &whole, key),
                "{case}: {:?} {done:?}",
                found.damage
            );
            if DERIVED.contains(&letter) {
                let (mut now, mut then) = (after.clone(), whole.clone());
                now.retain(|key, _| !is_note(key));
                then.retain(|key, _| !is_note(key));
                assert_eq!(now, then, "{case}");
            } else if !found.is_sound() {
                // What was there is kept, or was never there.
                let aside: Vec<u8> = [&key[..16], b"z", &key[16..]].concat();
                let kept = after.get(&aside);
                let is_rewritten = after.get(key) == Some(value);
                assert!(kept == damaged.as_ref() || is_rewritten || damaged.is_none(), "{case}");
                assert!(!done.taken.is_empty() || is_rewritten, "{case}");
            }
            // Frames of other rows stay, and so does the head of every path that has lost nothing.
            let mut left = frames(&scene);
            let lost = all.iter().filter(|(id, content)| left.remove(id).as_ref() != Some(content));
            let lost = lost.count();
            assert!(left.is_empty(), "{case}: frames that were never there");
            assert_eq!(lost, usize::from(letter == b'f' && !found.is_sound()), "{case}");
            assert_eq!(block_on(scene.context.current()).unwrap().root, current, "{case}");
            is_usable(&mut scene, &case);
        }
    }
    assert!(count >= 2, "something was damaged");
}

/// Whether two tables say the same, but for the row `key`, which nothing can tell from an intact one.
fn is_same(one: &Rows, other: &Rows, key: &[u8]) -> bool {
    let without = |rows: &Rows| {
        let mut rows = rows.clone();
        rows.remove(key);
        rows
    };
    without(one) == without(other)
}

#[test]
fn a_damaged_newest_frame_gives_the_head_back_to_the_one_before() {
    let store = Store::new();
    let whole = store.rows();
    for (place, head) in [(0, "of a run"), (3, "first")] {
        let mut scene = store.with(&whole);
        let mut key = scene.context.location().id().as_bytes().to_vec();
        key.extend_from_slice(b"fa/y\0");
        key.extend_from_slice(&u64::to_be_bytes(place));
        change(&scene.table, &key, EntryChange::Put(b"not a frame".to_vec()));
        let done = repair(&mut scene);
        assert_eq!(done.taken.len(), 1, "{done:?}");
        assert!(done.taken[0].what.contains("a/y"), "{done:?}");
        let view = View { heads_only: true, ..View::default() };
        let heads = scene.get("a/y", &view).frames;
        assert_eq!(String::from_utf8_lossy(heads[0].content.as_ref().unwrap()), head);
        let listed = block_on(scene.context.set_aside()).unwrap();
        assert_eq!(listed, done.taken, "what was taken is listed");
        // What is lost can be put again, and is the head then.
        let lost = if place == 0 { "first" } else { "of a run" };
        let put = scene.put("a/y", "summary", lost);
        assert_eq!(put.outcome, AppendOutcome::Added);
        assert_eq!(scene.head("a/y", "summary"), Some(put.frame));
        assert!(block_on(scene.context.validate()).unwrap().is_sound());
    }
}

// shows in part: CT-081 (contents)
#[test]
fn a_damaged_content_is_taken_out_with_its_frame() {
    let store = Store::new();
    let contents = store.contents();
    assert_eq!(contents.len(), 2);
    let whole = store.rows();
    for (place, file) in contents.iter().enumerate() {
        let bytes = fs::read(file).unwrap();
        let other = fs::read(&contents[1 - place]).unwrap();
        for (way, damaged) in ways(&bytes, Some(&other)) {
            match damaged {
                Some(damaged) => fs::write(file, damaged).unwrap(),
                None => fs::remove_file(file).unwrap(),
            }
            let mut scene = store.with(&whole);
            assert!(!block_on(scene.context.validate()).unwrap().is_sound(), "{way}");
            let done = repair(&mut scene);
            assert_eq!(done.taken.len(), 1, "{way}: {done:?}");
            assert_eq!(done.contents.len(), usize::from(way != "deleted"), "{way}: {done:?}");
            let left = scene.get("b", &View::default()).frames;
            assert_eq!(left.len(), 1, "{way}");
            assert_ne!(left[0].content.as_deref(), Some(&*bytes), "{way}");
            assert_eq!(scene.head("b", "note"), Some(left[0].id), "{way}");
            is_usable(&mut scene, &way);
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert_eq!(scene.put("b", "note", &text).outcome, AppendOutcome::Added, "{way}");
            assert_eq!(fs::read(file).unwrap(), bytes, "the same text makes it whole: {way}");
        }
    }
}

// shows in part: CT-081 (a repair that dies)
#[test]
fn a_repair_that_dies_anywhere_is_completed_by_the_next() {
    let store = Store::new();
    let mut damaged = store.rows();
    let all = frames(&store.with(&damaged));
    // One row of each kind, but for the notes whose loss is only a longer way.
    let mut seen = BTreeSet::from([b'U', b'y']);
    let keys: Vec<Vec<u8>> = damaged.keys().filter(|key| seen.insert(key[16])).cloned().collect();
    for key in keys {
        damaged.insert(key, BAD.to_vec());
    }
    let mut deaths = 0;
    for commit in 0.. {
        let mut scene = store.with(&damaged);
        let commits = AtomicUsize::new(0);
        let table = WatchedTable::new(Arc::clone(&scene.ports.table), move |call| {
            if matches!(call, TableCall::Commit(_)) {
                assert!(commits.fetch_add(1, Ordering::Relaxed) != commit, "the process dies");
            }
        });
        let ports = ContextPorts { table: Arc::new(table), ..scene.ports.clone() };
        let dying = Context::new(ports, scene.context.location().clone());
        let tree = scene.scanner.scan(true).unwrap().tree;
        let died = catch_unwind(AssertUnwindSafe(|| block_on(dying.repair(&tree, false)))).is_err();
        deaths += usize::from(died);
        repair(&mut scene);
        let left = frames(&scene);
        assert!(left.len() + 1 >= all.len(), "{commit}: only the damaged frame is gone");
        let kept: Vec<u8> = rows(&scene)
            .iter()
            // A node that is in the current tree is simply written again.
            .filter(|(key, value)| key[16] == b'z' && *value == BAD && key[17] != b'n')
            .map(|(key, _)| key[17])
            .collect();
        assert_eq!(String::from_utf8_lossy(&kept), "Racflmrvwx", "{commit}");
        is_usable(&mut scene, &format!("{commit}"));
        if !died {
            break;
        }
    }
    assert!(deaths >= 3, "trees, frames, and the number of the next append: {deaths}");
}

#[test]
fn what_does_not_depend_on_a_damaged_row_works_before_any_repair() {
    let store = Store::new();
    let whole = store.rows();
    for (key, value) in &whole {
        let letter = key[16];
        // Only what is about `a/y` and `new`, and the notes that every scan reads.
        let about = [&b"a/y\0"[..], b"new\0", b"old\0", b"a/later\0", b"copies/"];
        if !about.iter().any(|about| key[17..].starts_with(about)) {
            continue;
        }
        for bytes in [&value[..value.len() / 2], b"", BAD] {
            let mut scene = store.with(&whole);
            change(&scene.table, key, EntryChange::Put(bytes.to_vec()));
            let case = format!("{} {}", letter as char, String::from_utf8_lossy(&key[17..]));
            assert_eq!(scene.get("b", &View::default()).frames.len(), 2, "{case}");
            let file = store.scene.dir.path().join("later");
            fs::write(&file, &case).unwrap();
            scene.scan();
            scene.put("later", "note", "new");
            fs::remove_file(file).unwrap();
            scene.scan();
            let agent =
                AgentContext::new(scene.context.clone(), &agents(), &"writer".parse().unwrap());
            block_on(agent.unwrap().adopt("copies/1", "b")).ok();
        }
    }
    assert!(Path::new(store.data.path()).exists());
}
