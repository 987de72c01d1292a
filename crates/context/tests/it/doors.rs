//! What doors need of the library: paths as people write them, what keeps contents alive, who a frame is for.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_context::bounds::INLINE_BYTES_MAX;
use piton_context::frame::{Metadata, PutFrame};
use piton_context::history::{NodeRef, RootRef};
use piton_context::read::View;
use piton_context::synthesis::{PolicyInput, PolicySpec, RegenerateFrames, Registry};
use piton_context::tree::{ChangeKind, TreePath};
use piton_context::{Error, FrameRoots};
use piton_store::collect::{CollectMode, SweepReport, collect};
use piton_store::port::{BlobNamespace, Roots as _, TakenOut};
use serde_json::Value;

use crate::scene::{Scene, block_on, node, path, summaries};

#[test]
fn a_path_is_taken_from_where_somebody_stands() {
    let at = |directory: &str, text: &str| {
        let directory: TreePath = path(directory);
        NodeRef::within(&directory, text).map(|node| node.to_string())
    };
    for (directory, text, expected) in [
        (".", "a.txt", "a.txt"),
        ("src", "a.txt", "src/a.txt"),
        ("src", ".", "src"),
        ("src/deep", "../a.txt", "src/a.txt"),
        ("src", "..", "."),
        ("src", "./x//y/", "src/x/y"),
        ("src", "sha256:abcd", "sha256:abcd"),
    ] {
        assert_eq!(at(directory, text).unwrap(), expected, "{directory} {text}");
    }
    for (directory, text, told) in [
        (".", "..", "the path `..` leads out of the project directory"),
        ("src", "../../x", "the path `../../x` leads out of the project directory"),
        (".", "/etc", "the path `/etc` is absolute; give it relative to the project directory"),
    ] {
        assert_eq!(at(directory, text).unwrap_err().to_string(), told);
    }
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let nothing: piton_context::synthesis::CustomPolicy =
        Arc::new(|_: &[PolicyInput], _: &Value| Vec::new());
    for name in ["concatenation", "summarization", "filtering"] {
        let refused = Registry::default().with_policy(name, 1, Arc::clone(&nothing)).unwrap_err();
        assert!(matches!(refused, Error::Invalid(words) if words.contains(name)));
    }
    let once = Registry::default().with_policy("own", 1, Arc::clone(&nothing)).unwrap();
    assert!(once.with_policy("own", 2, nothing).is_err());
    let order: piton_context::synthesis::CustomOrder = Arc::new(|_, _| std::cmp::Ordering::Equal);
    let once = Registry::default().with_order("own", Arc::clone(&order)).unwrap();
    assert!(once.with_order("own", order).is_err());
}

#[test]
fn what_frames_refer_to_is_kept_and_nothing_else() {
    let scene = Scene::scanned(&[("a.txt", "a"), ("b.txt", "b")]);
    scene.put("a.txt", "note", "short");
    let long = "x".repeat(INLINE_BYTES_MAX + 1);
    scene.put("a.txt", "note", &long);
    scene.put("b.txt", "note", &"y".repeat(INLINE_BYTES_MAX + 1));
    let ports = &scene.ports;
    let orphan = block_on(ports.blobs.put(BlobNamespace::Context, b"nobody's".to_vec())).unwrap();
    let roots = FrameRoots::new(&*ports.table);
    let (named, _) = block_on(roots.roots(None)).unwrap();
    assert_eq!(named.len(), 2);
    scene.clock.0.store(u64::from(u32::MAX), std::sync::atomic::Ordering::Relaxed);
    let swept = block_on(collect(
        &*ports.blobs,
        &*ports.leases,
        &[&roots],
        &*ports.clock,
        CollectMode::Remove,
    ));
    let swept = swept.unwrap().remove(&BlobNamespace::Context).unwrap();
    assert!(
        matches!(swept, SweepReport::Done(counts) if (counts.kept, counts.removed) == (2, 1)),
        "{swept:?}"
    );
    assert!(block_on(ports.blobs.get(BlobNamespace::Context, orphan)).unwrap().is_none());
    let shown = scene.get("a.txt", &View { heads_only: true, ..View::default() });
    assert_eq!(shown.frames[0].content.as_deref(), Some(long.as_bytes()));
    assert!(block_on(scene.context.validate()).unwrap().is_sound());
}

#[test]
fn what_a_frame_refers_to_that_a_repair_took_out_of_the_table_is_kept() {
    let digest = piton_core::Digest::of(&piton_core::FileBytes(b"long"));
    let table = piton_store::memory::MemoryTable::new();
    let value = format!("damaged {digest} damaged").into_bytes();
    table.take_out(TakenOut::Entry { key: b"any"[..].into(), value });
    assert!(block_on(FrameRoots::new(&table).roots(None)).unwrap().0.contains(&digest));
}

#[test]
fn what_is_said_of_an_agent_stands_in_every_frame_that_it_makes() {
    let mut scene = Scene::scanned(&[("a/x", "x")]);
    let said = |run: &str| {
        let entries = BTreeMap::from([("run".to_owned(), run.to_owned())]);
        Metadata::new(entries).unwrap()
    };
    let first = scene.adapter("synthesis").with_metadata(said("run_1"));
    let mut frame = PutFrame::new("a/x", "summary".parse().unwrap(), "of x");
    // What Piton says of an agent cannot be forged.
    frame.metadata = said("forged").entries().clone();
    let error = block_on(first.put_frame(&frame)).unwrap_err();
    assert_eq!(error.code().as_str(), "VALIDATION_ERROR");
    frame.metadata.clear();
    block_on(first.put_frame(&frame)).unwrap();
    block_on(first.synthesize_with(&node("a"), &summaries(PolicySpec::Concatenation))).unwrap();
    let heads = |at: &str| {
        let shown = scene.get(at, &View { heads_only: true, ..View::default() });
        shown.frames[0].metadata.entries().clone()
    };
    assert_eq!(heads("a/x")["run"], "run_1");
    assert_eq!(heads("a")["run"], "run_1");
    scene.put_as("synthesis", "a/x", "summary", "other");
    let second = scene.adapter("other").with_metadata(said("run_2"));
    block_on(second.regenerate(&RegenerateFrames::subtree("."))).unwrap();
    scene.scan();
    let shown = scene.get("a", &View { heads_only: true, ..View::default() });
    let metadata = shown.frames[0].metadata.entries();
    assert_eq!((metadata["run"].as_str(), metadata["regenerated_by"].as_str()), ("run_2", "other"));
}

// shows in part: CT-084 (the part about frames)
#[test]
fn a_difference_names_the_frames_of_both_sides() {
    let mut scene = Scene::scanned(&[("a.txt", "a"), ("b.txt", "b"), ("same.txt", "s")]);
    for file in ["a.txt", "b.txt", "same.txt"] {
        scene.put(file, "note", "first");
    }
    scene.write("a.txt", "changed");
    scene.remove("b.txt");
    scene.write("c.txt", "new");
    scene.scan();
    scene.put("a.txt", "note", "second");
    scene.put("c.txt", "note", "third");
    let changes = block_on(scene.context.diff(&RootRef::Back(1), &RootRef::Current)).unwrap();
    let frames = block_on(scene.context.frames_of_changes(&changes)).unwrap();
    let lines: Vec<(String, ChangeKind)> =
        frames.iter().map(|frame| (frame.path.to_string(), frame.change)).collect();
    let line = |path: &str, change| (path.to_owned(), change);
    let mut expected = [
        line("a.txt", ChangeKind::Added),
        line("a.txt", ChangeKind::Removed),
        line("b.txt", ChangeKind::Removed),
        line("c.txt", ChangeKind::Added),
    ];
    let mut lines = lines;
    lines.sort();
    expected.sort();
    assert_eq!(lines, expected);
}

#[test]
fn a_batch_synthesises_by_the_policy_that_it_names() {
    let scene = Scene::scanned(&[("a/x", "x"), ("a/y", "y")]);
    let agent = scene.adapter("synthesis");
    let text = r#"{"op":"put","node":"a/x","frameType":"note","content":"X"}
{"op":"put","node":"a/y","frameType":"note","content":"Y"}
{"op":"synthesize","node":"a","frameType":"note","inputs":"note","policy":{"kind":"filtering","framesMax":1}}
{"op":"synthesize","node":"a","frameType":"other","inputs":"note","policy":{"kind":"nonsense"}}"#;
    let lines = block_on(agent.batch(text)).unwrap();
    let failed: Vec<usize> =
        lines.iter().filter(|line| line.error.is_some()).map(|line| line.line).collect();
    assert_eq!(failed, [4]);
    let shown = scene.get("a", &View::default());
    let content = String::from_utf8(shown.frames[0].content.clone().unwrap()).unwrap();
    assert!(content.contains('X') && !content.contains('Y'), "{content}");
}
