//! How often the table is asked, which is what a read waits for.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use piton_context::agent::AgentContext;
use piton_context::bounds::{CONCATENATION_BYTES, SUMMARY_BYTES};
use piton_context::history::RootRef;
use piton_context::read::{Composition, View};
use piton_context::synthesis::{PolicySpec, RegenerateFrames};
use piton_context::{Context, ContextPorts};
use piton_store::testing::{LongRun, WatchedTable};

use crate::scene::{Scene, agents, block_on, node, summaries};

/// The same context, and how often its table was asked.
fn watched(scene: &Scene) -> (AgentContext, Context, Arc<AtomicUsize>) {
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    let table = WatchedTable::new(Arc::clone(&scene.ports.table), move |call| {
        if !call.keys_read().is_empty() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let ports = ContextPorts { table: Arc::new(table), ..scene.ports.clone() };
    let context = Context::new(ports, scene.context.location().clone());
    let agent = "synthesis".parse().unwrap();
    (AgentContext::new(context.clone(), &agents(), &agent).unwrap(), context, reads)
}

/// How often the table is asked for a node, and how many frames come of it.
fn reads(scene: &Scene, at: &str) -> (usize, usize) {
    let (reader, _, reads) = watched(scene);
    let seen = block_on(reader.read_context(&node(at), &View::default())).unwrap();
    (reads.load(Ordering::Relaxed), seen.frames.len())
}

// shows in part: CT-091 (the part that a read does not wait for each frame)
#[test]
fn many_frames_of_a_node_are_read_as_often_as_few() {
    let scene = Scene::scanned(&[("d/few", "1"), ("d/many", "2")]);
    scene.put("d/few", "note", "only one");
    for number in 0..40 {
        scene.put("d/many", "note", &format!("number {number}"));
    }
    let ((few, one), (many, all)) = (reads(&scene, "d/few"), reads(&scene, "d/many"));
    assert_eq!((one, all), (1, 40));
    assert_eq!(many, few);
}

/// How often the table is asked by each operation on a directory of `count` described files.
fn reads_of_a_directory(count: usize) -> Vec<(&'static str, usize)> {
    let mut scene = Scene::new(&[]);
    let mut lines = String::new();
    for number in 0..count {
        let at = format!("many/f{number:05}.rs");
        scene.write(&at, &number.to_string());
        let text = format!("The file number {number} holds its number. It does nothing else.");
        let _ = writeln!(
            lines,
            r#"{{"op":"put","node":"{at}","frameType":"summary","content":"{text}"}}"#
        );
    }
    scene.scan();
    let (agent, context, reads) = watched(&scene);
    let mut found = Vec::new();
    let mut took = |what| found.push((what, reads.swap(0, Ordering::Relaxed)));
    let put = block_on(agent.batch(&lines)).unwrap();
    assert!(put.iter().all(|line| line.error.is_none()));
    took("put");
    for (what, policy, bytes_max) in [
        ("concatenation", PolicySpec::Concatenation, CONCATENATION_BYTES),
        (
            "summarization",
            PolicySpec::Summarization { bytes_max: None },
            usize::try_from(SUMMARY_BYTES).unwrap(),
        ),
    ] {
        block_on(agent.synthesize_with(&node("many"), &summaries(policy))).unwrap();
        took(what);
        let seen = scene.get("many", &View { heads_only: true, ..View::default() });
        let bytes = seen.frames[0].content.as_ref().unwrap().len();
        assert!(bytes <= bytes_max && bytes > bytes_max / 2, "{what}: {bytes}");
    }
    let report = block_on(context.report(&RootRef::Current)).unwrap();
    assert_eq!((report.nodes_with_frames, report.stale.len()), (count as u64 + 1, 0));
    took("report");
    let composed =
        block_on(agent.compose(&node("many/f00000.rs"), &Composition::default())).unwrap();
    assert_eq!(composed.left_out, count as u64 + 1 - composed.frames.len() as u64);
    took("compose");
    let seen = block_on(agent.read_context(&node("many"), &View::default())).unwrap();
    assert!(seen.frames.iter().any(|frame| frame.freshness.is_fresh()));
    took("get");
    // One entry changes, and one directory is made again.
    scene.put("many/f00001.rs", "summary", "Something else.");
    let done = block_on(agent.regenerate(&RegenerateFrames::subtree("."))).unwrap();
    assert_eq!(done.made.len(), 1);
    took("regenerate");
    assert!(block_on(context.validate()).unwrap().is_sound());
    took("validate");
    found
}

mod long {
    use super::*;

    // shows in part: CT-053 (the part about directories of thousands of entries), CT-091 (the part that the work grows with the entries and not faster)
    #[test]
    fn a_directory_of_many_entries_costs_in_proportion() {
        let run = LongRun::start("context: a directory of many entries");
        println!("{run}");
        let count = usize::try_from(LongRun::size(2_000, 20_000)).unwrap();
        let (few, many) = (reads_of_a_directory(count / 4), reads_of_a_directory(count));
        for ((what, few), (_, many)) in few.iter().zip(&many) {
            println!("{what}: {few} and {many} reads");
            assert!(*many <= few * 5, "{what}: {few} reads for a quarter, {many} for all");
        }
        let per_entry = |what: &str| {
            let (_, reads) = many.iter().find(|(found, _)| *found == what).unwrap();
            reads.div_ceil(count)
        };
        // Where all entries are read, several are read at a time.
        for what in ["concatenation", "summarization", "report", "get", "regenerate"] {
            assert_eq!(per_entry(what), 1, "{what}");
        }
        let counts: Vec<(&str, u64)> =
            many.iter().map(|(what, reads)| (*what, *reads as u64)).collect();
        run.report(&counts);
    }
}
