//! Recorded trees.

use std::fs;

use piton_context::history::RootRef;
use piton_context::scan::Scanner;
use piton_context::tree::{ChangeKind, NodeKind};
use piton_context::{Context, Error, ProjectLocation};
use piton_store::port::Table as _;

use crate::scene::{Scene, block_on, node, path};

fn root(text: &str) -> RootRef {
    text.parse().unwrap()
}

/// Everything in the table, as one text.
pub(crate) fn dump(scene: &Scene) -> Vec<(Vec<u8>, Vec<u8>, u64)> {
    let page = block_on(scene.table.scan(b"", None, 10_000)).unwrap();
    assert!(!page.more);
    page.entries.into_iter().map(|row| (row.key.to_vec(), row.value, row.version.0)).collect()
}

// shows: CT-009
#[test]
fn a_second_scan_of_an_unchanged_tree_writes_nothing() {
    let mut scene = Scene::scanned(&[("a/b", "x"), ("c", "y")]);
    let before = dump(&scene);
    let again = scene.scan();
    assert!(again.changes.is_empty());
    assert_eq!(again.root.sequence, 1);
    assert_eq!(dump(&scene), before);
}

// shows: CT-010
#[test]
fn a_node_is_found_by_its_path_and_by_its_id() {
    let scene = Scene::scanned(&[("src/main.rs", "fn main() {}\n"), ("src/lib.rs", "")]);
    let current = block_on(scene.context.current()).unwrap().root;
    let find = |text: &str| block_on(scene.context.node(current, &node(text))).unwrap();
    let by_path = find("src/main.rs");
    assert_eq!((by_path.kind, by_path.mode, by_path.size), (NodeKind::File, "100644", 13));
    assert_eq!(find(&by_path.id.to_string()), by_path);
    assert_eq!(find(&by_path.id.digest().hex()[..12]), by_path);
    let directory = find("src");
    assert_eq!(by_path.parent, Some(directory.id));
    assert_eq!(directory.parent, Some(current));
    let names: Vec<String> = directory.children.iter().map(|c| c.name.to_string()).collect();
    assert_eq!(names, ["lib.rs", "main.rs"]);
    assert_eq!(
        (directory.kind, directory.mode, directory.size),
        (NodeKind::Directory, "040000", 13)
    );
    assert_eq!(find(".").id, current);
}

// shows: CT-042
#[test]
fn an_unknown_node_is_an_error_that_offers_the_nearest_path() {
    let scene = Scene::scanned(&[("src/main.rs", "x"), ("docs/guide.md", "y")]);
    let current = block_on(scene.context.current()).unwrap().root;
    for (asked, nearest) in [
        ("src/mian.rs", Some("src/main.rs")),
        ("scr/main.rs", Some("src/main.rs")),
        ("docs/other/deep", Some("docs")),
        ("nothing-like-it", None),
        ("sha256:0123456789abcdef", None),
    ] {
        let error = block_on(scene.context.node(current, &node(asked))).unwrap_err();
        assert_eq!(error.code().as_str(), "CONTEXT_NODE_NOT_FOUND");
        let Error::NodeNotFound { nearest: found, .. } = &error else { panic!("{error}") };
        assert_eq!(found.as_ref().map(ToString::to_string).as_deref(), nearest, "{asked}");
    }
    assert_eq!(
        block_on(scene.context.node(current, &node("src/mian.rs"))).unwrap_err().to_string(),
        "there is no tree node src/mian.rs; the nearest path is src/main.rs"
    );
}

// shows: CT-011, CT-012
#[test]
fn every_tree_that_differs_is_kept_and_can_be_named() {
    let mut scene = Scene::new(&[("a", "one"), ("b/c", "two")]);
    let tree = scene.scanner.scan(false).unwrap().tree;
    let label = "first".parse().unwrap();
    let first = block_on(scene.context.record(&tree, false, Some(&label))).unwrap().root;
    scene.write("a", "changed");
    let second = scene.scan().root;
    fs::rename(scene.dir.path().join("b/c"), scene.dir.path().join("moved")).unwrap();
    let third = scene.scan();
    assert_eq!([first.sequence, second.sequence, third.root.sequence], [1, 2, 3]);
    let renamed: Vec<_> = third
        .changes
        .iter()
        .filter(|change| change.kind() == NodeKind::File)
        .map(|change| (change.change, change.path.to_string(), change.renamed_from.clone()))
        .collect();
    assert_eq!(renamed, [(ChangeKind::Renamed, "moved".to_owned(), Some(path("b/c")))]);
    let named = |text: &str| block_on(scene.context.root(&root(text))).unwrap();
    assert_eq!(named("@"), third.root);
    assert_eq!(named("@-2"), first);
    assert_eq!(named("first"), first);
    assert_eq!(named(&second.root.digest().hex()[..10]), second);
    assert_eq!(first.totals.files, 2);
    // The path left the tree, and its record did not leave history.
    let current = third.root.root;
    assert!(block_on(scene.context.node_at(current, &path("b/c"))).unwrap().is_none());
    let old = block_on(scene.context.node_at(first.root, &path("b/c"))).unwrap().unwrap();
    assert_eq!(block_on(scene.context.node(current, &old.id.into())).unwrap().path, path("b/c"));
    for unknown in ["@-3", "no-such-label", "ffffffffff"] {
        let error = block_on(scene.context.root(&root(unknown))).unwrap_err();
        assert_eq!(error.code().as_str(), "CONTEXT_ROOT_NOT_FOUND", "{unknown}");
    }
}

// shows in part: CT-084 (the part about paths: added, changed, removed and renamed ones between any two trees)
#[test]
fn two_trees_are_compared_path_by_path() {
    let mut scene =
        Scene::scanned(&[("same", "s"), ("a", "1"), ("d/x", "x"), ("d/y", "y"), ("f", "f")]);
    scene.write("z/before", "moved");
    scene.scan();
    fs::rename(scene.dir.path().join("z/before"), scene.dir.path().join("z/after")).unwrap();
    scene.write("a", "2");
    scene.remove("d/x");
    scene.write("new/n", "n");
    fs::remove_file(scene.dir.path().join("f")).unwrap();
    scene.write("f/inner", "file became directory");
    scene.scan();
    let diff = |old: &str, new: &str| {
        let changes = block_on(scene.context.diff(&root(old), &root(new))).unwrap();
        let line = |change: &piton_context::tree::TreeChange| {
            let from = change.renamed_from.as_ref();
            let from = from.map(|from| format!(" from {from}")).unwrap_or_default();
            format!("{} {} {}{from}", change.change, change.kind(), change.path)
        };
        changes.iter().map(line).collect::<Vec<_>>()
    };
    let forth = [
        "changed directory .",
        "changed file a",
        "changed directory d",
        "removed file d/x",
        "changed directory f",
        "added file f/inner",
        "added directory new",
        "added file new/n",
        "changed directory z",
        "renamed file z/after from z/before",
    ];
    assert_eq!(diff("@-1", "@"), forth);
    let back = diff("@", "@-1");
    assert_eq!(back.len(), forth.len());
    assert!(back.contains(&"removed file new/n".to_owned()));
    assert!(diff("@", "@").is_empty());
}

// A change that is taken back gives the tree that was there before, and its paths lead to it.
#[test]
fn a_change_that_is_taken_back_is_a_tree_of_its_own_in_history() {
    let mut scene = Scene::scanned(&[("a", "1")]);
    let first = block_on(scene.context.current()).unwrap();
    scene.write("a", "2");
    scene.scan();
    scene.write("a", "1");
    let third = scene.scan().root;
    assert_eq!((third.root, third.sequence), (first.root, 3));
    let node = block_on(scene.context.node_at(third.root, &path("a"))).unwrap().unwrap();
    assert_eq!(node.size, 1);
    assert_eq!(third.totals.files, 1, "what was there before is not counted again");
}

// shows: CT-088
#[test]
fn project_directories_do_not_see_each_other() {
    let one = Scene::scanned(&[("a", "1")]);
    one.put("a", "summary", "about a");
    let other = ProjectLocation::new("/somewhere/else");
    let other = Context::new(one.ports.clone(), other);
    assert_eq!(block_on(other.current()).unwrap_err().code().as_str(), "CONTEXT_NOT_SCANNED");
    let empty = tempfile::tempdir().unwrap();
    fs::write(empty.path().join("a"), "1").unwrap();
    let tree = Scanner::new(empty.path()).scan(false).unwrap().tree;
    block_on(other.record(&tree, false, None)).unwrap();
    assert!(block_on(other.heads(&path("a"))).unwrap().is_empty());
    assert_eq!(block_on(other.frame_set(&path("a"))).unwrap().count, 0);
    assert_eq!(block_on(one.context.frame_set(&path("a"))).unwrap().count, 1);
}

// shows in part: CT-010 (the part about directories of any size)
#[test]
fn a_directory_of_thousands_is_looked_up_like_a_small_one() {
    let files: Vec<(String, String)> =
        (0..3_500).map(|number| (format!("d/{number:05}"), number.to_string())).collect();
    let scene = Scene::new(&[]);
    fs::create_dir(scene.dir.path().join("d")).unwrap();
    for (name, content) in &files {
        fs::write(scene.dir.path().join(name), content).unwrap();
    }
    let mut scene = scene;
    let root = scene.scan().root.root;
    for number in [0, 999, 1_000, 1_001, 2_500, 3_499] {
        let at = path(&format!("d/{number:05}"));
        let found = block_on(scene.context.node_at(root, &at)).unwrap().unwrap();
        assert_eq!(found.size, number.to_string().len() as u64);
    }
    let directory = block_on(scene.context.node_at(root, &path("d"))).unwrap().unwrap();
    assert_eq!(directory.children.len(), 3_500);
    assert!(block_on(scene.context.node_at(root, &path("d/9"))).unwrap().is_none());
    // Among so many ids some begin alike: four digits are not enough for those.
    let mut digits: Vec<String> =
        directory.children.iter().map(|child| child.id.digest().hex()[..4].to_owned()).collect();
    digits.sort();
    let twice = digits.windows(2).find(|pair| pair[0] == pair[1]).unwrap();
    let error = block_on(scene.context.node(root, &node(&twice[0]))).unwrap_err();
    assert_eq!(error.code().as_str(), "CONTEXT_AMBIGUOUS");
}

// shows: CT-084 (with two_trees_are_compared_path_by_path, a_difference_names_the_frames_of_both_sides)
#[test]
fn comparing_reads_only_what_differs() {
    let files: Vec<(String, &str)> = (0..2_000)
        .map(|number| (format!("d{}/s{}/f{number}", number % 10, number % 100), "x"))
        .collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let mut scene = Scene::scanned(&files);
    scene.write("d1/s1/f1", "y");
    scene.scan();
    // With the rows of every other directory gone, comparing still works: they are not read.
    let kept = ["", "d1", "d1/s1"];
    let current = block_on(scene.context.current()).unwrap().root;
    let past = block_on(scene.context.root(&root("@-1"))).unwrap().root;
    let mut needed = Vec::new();
    for at in kept {
        for tree in [current, past] {
            let at = piton_context::tree::TreePath::new(at.as_bytes()).unwrap();
            needed.push(block_on(scene.context.node_at(tree, &at)).unwrap().unwrap().id);
        }
    }
    let rows = dump(&scene);
    let batch = rows
        .iter()
        .filter(|(key, value, _)| {
            key[16] == b'n'
                && value.first() == Some(&3)
                && !needed.iter().any(|id| key[17..] == id.as_bytes()[..])
        })
        .map(|(key, ..)| piton_store::port::TableWrite {
            key: key.as_slice().into(),
            expect: piton_store::port::Expect::Anything,
            change: piton_store::port::EntryChange::Remove,
        })
        .collect::<Vec<_>>();
    assert!(batch.len() > 90);
    block_on(scene.table.commit(batch)).unwrap();
    let changes = block_on(scene.context.diff(&root("@-1"), &root("@"))).unwrap();
    assert_eq!(changes.len(), 4);
}
