//! One suite for every Store.

use std::path::Path;
use std::sync::Arc;

use piton_core::{Digest, FileBytes};
use piton_store::local::{DataDir, LocalBlobs, LocalTable, SystemClock, SystemEntropy};
use piton_workspaces::Workspaces;
use piton_workspaces::mask::Mask;
use piton_workspaces::overlay::OverlayStore;
use piton_workspaces::path::MountPath;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::search::{Cancel, ContentMatcher, ContentOptions, Depth, Search, Selection};
use piton_workspaces::store::{
    Before, EntryKind, Expected, FileChange, FileVersion, Store, StoreFault, Window,
};
use piton_workspaces::virtual_store::{VirtualPorts, VirtualStore};

use crate::world::{definition, memory_ports, namespace, physical, put};

pub(crate) fn local_ports(root: &Path) -> VirtualPorts {
    let dir = DataDir::open(root).unwrap();
    VirtualPorts {
        table: Arc::new(LocalTable::open(&dir, &"virtual".parse().unwrap()).unwrap()),
        blobs: Arc::new(LocalBlobs::new(dir)),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
    }
}

fn at(path: &str) -> MountPath {
    path.parse().unwrap()
}

fn mask() -> Arc<Mask> {
    Arc::new(Mask::default())
}

async fn make(store: &dyn Store, change: FileChange) -> Result<Before, StoreFault> {
    let prepared = store.prepare(change).await?;
    let before = prepared.before.clone();
    prepared.commit().await?;
    Ok(before)
}

fn write(path: &str, text: &str, expected: Expected) -> FileChange {
    FileChange::Write { path: at(path), bytes: text.as_bytes().into(), expected, executable: None }
}

async fn text(store: &dyn Store, path: &str) -> Result<String, StoreFault> {
    let loaded = store.load(at(path), 1 << 20).await?;
    Ok(String::from_utf8(loaded.bytes).unwrap())
}

async fn names(store: &dyn Store, path: &str) -> Vec<String> {
    let listing = store.list(at(path)).await.unwrap();
    listing.entries.into_iter().map(|entry| entry.name).collect()
}

async fn holds_its_promise(store: &dyn Store) {
    files_come_and_go(store).await;
    expectations_are_kept(store).await;
    directories_hold_together(store).await;
    what_is_dropped_leaves_no_trace(store).await;
    searching_finds_lines_in_order(store).await;
}

async fn files_come_and_go(store: &dyn Store) {
    assert_eq!(store.stat(at("a/b.txt"), true).await, Err(StoreFault::NotFound));
    assert_eq!(
        make(store, write("a/b.txt", "one\n", Expected::Anything)).await,
        Ok(Before::Nothing)
    );
    assert_eq!(text(store, "a/b.txt").await.as_deref(), Ok("one\n"));
    let digest = Digest::of(&FileBytes(b"one\n"));
    let before = make(store, write("a/b.txt", "two\n", Expected::Anything)).await;
    assert_eq!(before, Ok(Before::File(Some(digest))));
    let added = FileChange::Append { path: at("a/b.txt"), bytes: b"three".as_slice().into() };
    make(store, added).await.unwrap();
    let added = FileChange::Append { path: at("a/new.txt"), bytes: b"first\n".as_slice().into() };
    assert_eq!(make(store, added).await, Ok(Before::Nothing));
    assert_eq!(text(store, "a/b.txt").await.as_deref(), Ok("two\nthree"));
    let stat = store.stat(at("a/b.txt"), true).await.unwrap();
    assert_eq!((stat.kind, stat.bytes), (EntryKind::File, 9));
    assert_eq!(stat.digest, Some(Digest::of(&FileBytes(b"two\nthree"))));
    assert_eq!(names(store, "a").await, ["b.txt", "new.txt"]);
    let window = Window { first: 2, lines_max: 5, bytes_max: 100 };
    let read = store.read(at("a/b.txt"), window).await.unwrap();
    assert_eq!((read.lines, read.total, read.more), (vec!["three".to_owned()], Some(2), false));
    assert_eq!(read.digest, stat.digest);
    let delete = |path: &str, recursive| FileChange::Delete {
        path: at(path),
        recursive,
        expected: Expected::Anything,
        mask: mask(),
    };
    assert_eq!(make(store, delete("a/none", false)).await, Err(StoreFault::NotFound));
    make(store, delete("a/new.txt", false)).await.unwrap();
    assert_eq!(text(store, "a/new.txt").await, Err(StoreFault::NotFound));
    assert_eq!(make(store, delete("a", false)).await, Err(StoreFault::NotEmpty));
    assert_eq!(make(store, delete("a", true)).await, Ok(Before::Directory));
    assert_eq!(store.list(at("a")).await, Err(StoreFault::NotFound));
}

async fn expectations_are_kept(store: &dyn Store) {
    make(store, write("e.txt", "1", Expected::Nothing)).await.unwrap();
    assert_eq!(make(store, write("e.txt", "2", Expected::Nothing)).await, Err(StoreFault::Exists));
    let one = Digest::of(&FileBytes(b"1"));
    make(store, write("e.txt", "2", Expected::Digest(one))).await.unwrap();
    let stale = Expected::Version(FileVersion::of(&one));
    let conflict = Err(StoreFault::Conflict { exists: true });
    assert_eq!(make(store, write("e.txt", "3", stale.clone())).await, conflict);
    let gone = Err(StoreFault::Conflict { exists: false });
    assert_eq!(make(store, write("none.txt", "3", stale)).await, gone);
    assert_eq!(text(store, "e.txt").await.as_deref(), Ok("2"));
    assert_eq!(store.load(at("e.txt"), 0).await, Err(StoreFault::TooLarge { bytes: 1, max: 0 }));
    make(
        store,
        FileChange::Delete {
            path: at("e.txt"),
            recursive: false,
            expected: Expected::Anything,
            mask: mask(),
        },
    )
    .await
    .unwrap();
}

async fn directories_hold_together(store: &dyn Store) {
    make(store, FileChange::MakeDirectory { path: at("d/e") }).await.unwrap();
    make(store, FileChange::MakeDirectory { path: at("d/e") }).await.unwrap();
    assert_eq!(store.stat(at("d/e"), true).await.unwrap().kind, EntryKind::Directory);
    make(store, write("d/e/f.txt", "f", Expected::Anything)).await.unwrap();
    assert_eq!(
        make(store, write("d/e", "x", Expected::Anything)).await,
        Err(StoreFault::IsDirectory)
    );
    assert_eq!(text(store, "d/e").await, Err(StoreFault::IsDirectory));
    assert_eq!(store.list(at("d/e/f.txt")).await, Err(StoreFault::NotDirectory));
    let below = make(store, write("d/e/f.txt/g", "x", Expected::Anything)).await;
    assert_eq!(below, Err(StoreFault::NotDirectory));
    let moved =
        |from: &str, to: &str| FileChange::Move { from: at(from), to: at(to), mask: mask() };
    make(store, moved("d/e/f.txt", "d/g/h.txt")).await.unwrap();
    assert_eq!(text(store, "d/g/h.txt").await.as_deref(), Ok("f"));
    assert_eq!(text(store, "d/e/f.txt").await, Err(StoreFault::NotFound));
    make(store, write("d/i.txt", "i", Expected::Anything)).await.unwrap();
    assert_eq!(make(store, moved("d/i.txt", "d/g/h.txt")).await, Err(StoreFault::Exists));
    assert_eq!(make(store, moved("d/none", "d/x")).await, Err(StoreFault::NotFound));
    assert_eq!(names(store, "d").await, ["e", "g", "i.txt"]);
    let hides = Arc::new(Mask::new(&["h.txt".to_owned()]).unwrap());
    let delete = FileChange::Delete {
        path: at("d"),
        recursive: true,
        expected: Expected::Anything,
        mask: hides,
    };
    assert_eq!(make(store, delete).await, Err(StoreFault::HoldsHidden));
    make(
        store,
        FileChange::Delete {
            path: at("d"),
            recursive: true,
            expected: Expected::Anything,
            mask: mask(),
        },
    )
    .await
    .unwrap();
    assert_eq!(store.stat(at("d"), false).await, Err(StoreFault::NotFound));
}

async fn what_is_dropped_leaves_no_trace(store: &dyn Store) {
    make(store, write("keep.txt", "old", Expected::Anything)).await.unwrap();
    for change in [
        write("keep.txt", "new", Expected::Anything),
        write("x/y/z.txt", "new", Expected::Anything),
        FileChange::Append { path: at("keep.txt"), bytes: b"more".as_slice().into() },
        FileChange::Delete {
            path: at("keep.txt"),
            recursive: false,
            expected: Expected::Anything,
            mask: mask(),
        },
        FileChange::Move { from: at("keep.txt"), to: at("q/r"), mask: mask() },
        FileChange::MakeDirectory { path: at("made/deep") },
    ] {
        drop(store.prepare(change).await.unwrap());
    }
    assert_eq!(text(store, "keep.txt").await.as_deref(), Ok("old"));
    assert_eq!(names(store, "").await, ["keep.txt"]);
    make(
        store,
        FileChange::Delete {
            path: at("keep.txt"),
            recursive: false,
            expected: Expected::Anything,
            mask: mask(),
        },
    )
    .await
    .unwrap();
}

async fn searching_finds_lines_in_order(store: &dyn Store) {
    for (path, content) in [
        ("s/b.rs", "needle\nhay\n"),
        ("s/a.b/c.rs", "hay\nneedle two\n"),
        ("s/a/z.rs", "needle\n"),
        ("s/a.txt", "needle\n"),
        ("s/.hidden.rs", "needle\n"),
        ("s/target/t.rs", "needle\n"),
        ("s/.gitignore", "target/\n"),
        ("s/bin.rs", "needle\0\n"),
    ] {
        put(store, path, content.as_bytes()).await;
    }
    let content = ContentMatcher::new("need[l]e", ContentOptions::default()).unwrap();
    let search = |all: bool, results_max: usize| {
        Arc::new(Search {
            start: at("s"),
            lead: MountPath::root(),
            selection: Arc::new(Selection::new(Some("*.rs"), None, all).unwrap()),
            content: Some(Arc::new(
                ContentMatcher::new("need[l]e", ContentOptions::default()).unwrap(),
            )),
            mask: mask(),
            depth: Depth::Lines,
            results_max,
            cancel: Cancel::default(),
        })
    };
    drop(content);
    let found = store.search(search(false, 100)).await.unwrap();
    let hits: Vec<_> = found
        .files
        .iter()
        .flat_map(|file| file.lines.iter().map(|line| (file.path.as_str(), line.number)))
        .collect();
    assert_eq!(hits, [("s/a/z.rs", 1), ("s/a.b/c.rs", 2), ("s/b.rs", 1)]);
    assert_eq!((found.skipped.binary, found.matches_total), (1, 3));
    let found = store.search(search(false, 1)).await.unwrap();
    assert_eq!((found.files.len(), found.files_total, found.matches_total), (1, 3, 3));
    let found = store.search(search(true, 100)).await.unwrap();
    assert_eq!(found.files_total, 5);
    make(
        store,
        FileChange::Delete {
            path: at("s"),
            recursive: true,
            expected: Expected::Anything,
            mask: mask(),
        },
    )
    .await
    .unwrap();
}

// shows: WS-051
#[tokio::test]
async fn a_physical_store_holds_the_promise_whoever_opens_its_paths() {
    for by_name in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let options = PhysicalOptions { by_name, ..PhysicalOptions::default() };
        holds_its_promise(&*physical(directory.path(), options)).await;
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

// shows: WS-053
#[tokio::test]
async fn a_virtual_store_in_memory_holds_the_promise() {
    holds_its_promise(&VirtualStore::new(memory_ports(1), &namespace(&["n"]), None)).await;
}

// shows in part: WS-052 (kept in a database, also after a restart)
#[tokio::test]
async fn a_virtual_store_on_disk_holds_the_promise_and_its_files_outlive_the_process() {
    let directory = tempfile::tempdir().unwrap();
    let open = || VirtualStore::new(local_ports(directory.path()), &namespace(&["run", "1"]), None);
    let large = "x".repeat(10 << 20);
    {
        let store = open();
        holds_its_promise(&store).await;
        put(&store, "small.txt", b"small").await;
        put(&store, "large.txt", large.as_bytes()).await;
    }
    let store = open();
    assert_eq!(text(&store, "small.txt").await.as_deref(), Ok("small"));
    let loaded = store.load(at("large.txt"), 64 << 20).await.unwrap();
    assert_eq!(loaded.bytes.len(), large.len());
}

// shows in part: WS-054 (as a Store)
#[tokio::test]
async fn an_overlay_holds_the_promise_over_an_empty_and_over_a_full_store() {
    for full in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        if full {
            std::fs::create_dir_all(directory.path().join("s/target")).unwrap();
            std::fs::write(directory.path().join("s/target/t.rs"), "needle\n").unwrap();
            std::fs::write(directory.path().join("s/.gitignore"), "target/\n").unwrap();
        }
        let lower = physical(directory.path(), PhysicalOptions::default());
        let set = Workspaces::new(vec![definition("/l", "read-only", lower)]).unwrap();
        let upper = VirtualStore::new(memory_ports(1), &namespace(&["n"]), None);
        let overlay = OverlayStore::new(upper, &set.all()[0]);
        if full {
            files_come_and_go(&overlay).await;
            expectations_are_kept(&overlay).await;
            directories_hold_together(&overlay).await;
            searching_finds_lines_in_order(&overlay).await;
        } else {
            holds_its_promise(&overlay).await;
        }
    }
}
