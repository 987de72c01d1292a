//! Several processes on one data directory, on this machine's disk, and processes that die.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use piton_context::agent::AgentContext;
use piton_context::frame::PutFrame;
use piton_context::read::{Composition, View};
use piton_context::scan::Scanner;
use piton_context::synthesis::{PolicySpec, RegenerateFrames};
use piton_context::{Context, ContextPorts, ProjectLocation};
use piton_core::port::NoTrace;
use piton_core::port::fixed::SeededEntropy;
use piton_store::local::{DataDir, LocalBlobs, LocalLeases, LocalTable, SystemClock};
use tokio::runtime::{Builder, Runtime};

use crate::scene::{agents, node, path, summaries, write};
use crate::worker::{answers, print_line, spawn};

const WRITERS: u64 = 8;
const FRAMES: u64 = 6;

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// The context of the directory `project` under the data directory beside it.
fn open(root: &str) -> (Context, Scanner) {
    let root = Path::new(root);
    let dir = DataDir::open(&root.join("data")).unwrap();
    let clock = Arc::new(SystemClock);
    let ports = ContextPorts {
        table: Arc::new(LocalTable::open(&dir, &"context".parse().unwrap()).unwrap()),
        blobs: Arc::new(LocalBlobs::new(dir.clone())),
        leases: Arc::new(LocalLeases::new(dir, clock.clone(), Arc::new(NoTrace))),
        clock,
        stamps: None,
    };
    let context = Context::new(ports, ProjectLocation::new("/project"));
    let scanner = Scanner::new(root.join("project")).with_stamps(root.join("stamps"));
    (context, scanner)
}

fn agent(context: &Context, name: &str) -> AgentContext {
    AgentContext::new(context.clone(), &agents(), &name.parse().unwrap()).unwrap()
}

/// A project directory beside an empty data directory, scanned.
fn scene(files: &[(&str, &str)]) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        write(&dir.path().join("project"), name, content);
    }
    let root = dir.path().to_str().unwrap().to_owned();
    scan(&root);
    (dir, root)
}

fn scan(root: &str) {
    let (context, mut scanner) = open(root);
    let tree = scanner.scan(false).unwrap().tree;
    runtime().block_on(context.record(&tree, false, None)).unwrap();
}

/// In a child: several writers at once put frames, some of them the same ones, on one file.
pub(crate) fn put_many(arguments: &[&str]) {
    let [root, name] = arguments else { panic!("{arguments:?}") };
    let (context, _) = open(root);
    let runtime = runtime();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (agent, name) = (agent(&context, "writer"), (*name).to_owned());
            runtime.spawn(async move {
                for number in 0..FRAMES {
                    for text in [format!("{name} {writer} {number}"), format!("shared {number}")] {
                        let frame = PutFrame::new("a", format!("t{writer}").parse().unwrap(), text);
                        agent.put_frame(&frame).await.unwrap();
                    }
                }
            })
        })
        .collect();
    runtime.block_on(async {
        for writer in writers {
            writer.await.unwrap();
        }
    });
    print_line("done");
}

// shows: CT-034
#[test]
fn many_writers_in_two_processes_lose_nothing() {
    let (_dir, root) = scene(&[("a", "1")]);
    let mut children = ["one", "two"].map(|name| spawn("put-many", &[&root, name]));
    for child in &mut children {
        assert_eq!(answers(child).collect::<Vec<_>>(), ["done"]);
        assert!(child.wait().unwrap().success());
    }
    let (context, _) = open(&root);
    runtime().block_on(async {
        // Each text of each process and writer, and the shared ones once for each type.
        let expected = 2 * WRITERS * FRAMES + WRITERS * FRAMES;
        assert_eq!(context.frame_set(&path("a")).await.unwrap().count, expected);
        assert_eq!(context.heads(&path("a")).await.unwrap().len() as u64, WRITERS);
        let found = context.validate().await.unwrap();
        assert!(found.is_sound(), "{:?}", found.damage);
    });
}

/// In a child: scans, puts, synthesises, invalidates and regenerates, until it is killed.
pub(crate) fn work_for_ever(arguments: &[&str]) {
    let [root, seed] = arguments else { panic!("{arguments:?}") };
    let luck = SeededEntropy::new(seed.parse().unwrap());
    let (context, mut scanner) = open(root);
    let project = Path::new(root).join("project");
    let all = agent(&context, "synthesis");
    let large = "l".repeat(20_000);
    runtime().block_on(async {
        for number in 0.. {
            let name = format!("d{}/f{}", luck.next_u64() % 3, luck.next_u64() % 3);
            write(&project, &name, &luck.next_u64().to_string());
            let tree = scanner.scan(false).unwrap().tree;
            context.record(&tree, false, None).await.unwrap();
            let text = if number % 5 == 0 { &large } else { "small" };
            let text = format!("{number} {text}");
            let frame = PutFrame::new(&*name, "summary".parse().unwrap(), text);
            let frame = PutFrame { allow_stale: true, ..frame };
            all.put_frame(&frame).await.unwrap();
            all.synthesize_with(&node("."), &summaries(PolicySpec::Concatenation)).await.unwrap();
            let kind = "summary".parse().unwrap();
            all.invalidate(&name, &kind, "to see what happens").await.unwrap();
            all.regenerate(&RegenerateFrames::subtree(".")).await.unwrap();
            print_line(&number.to_string());
        }
    });
}

mod long {
    use piton_store::testing::LongRun;

    use super::*;

    // shows in part: CT-027, CT-087 (the library's part: every operation, killed at any moment)
    #[test]
    fn a_process_that_is_killed_leaves_the_store_as_before_or_after() {
        let run = LongRun::start("context: processes that are killed");
        println!("seed {}", run.seed());
        let luck = SeededEntropy::new(run.seed());
        let kills = LongRun::size(12, 300);
        let (_dir, root) = scene(&[("d0/f0", "1"), ("d1/f1", "2")]);
        let mut rounds = 0;
        for kill in 0..kills {
            let mut child = spawn("work-for-ever", &[&root, &(run.seed() + kill).to_string()]);
            let mut said = answers(&mut child);
            for _ in 0..luck.next_u64() % 3 {
                said.next().unwrap();
                rounds += 1;
            }
            let (pause, moment) = (Instant::now(), u128::from(luck.next_u64() % 60_000));
            while pause.elapsed().as_micros() < moment {
                std::hint::spin_loop();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            let (context, _) = open(&root);
            runtime().block_on(async {
                let found = context.validate().await.unwrap();
                assert!(found.is_sound(), "kill {kill}: {:?}", found.damage);
            });
        }
        run.report(&[("kills", kills), ("rounds", rounds)]);
    }
}

/// In a child: reads, and says the digest of everything that it read.
pub(crate) fn read(arguments: &[&str]) {
    let [root] = arguments else { panic!("{arguments:?}") };
    let (context, _) = open(root);
    let reader = agent(&context, "reader");
    let read = runtime().block_on(async {
        let composed = reader.compose(&node("d/a"), &Composition::default()).await.unwrap();
        let seen = reader.read_context(&node("d"), &View::default()).await.unwrap();
        let wrong = reader.read_context(&node("d/x"), &View::default()).await.unwrap_err();
        serde_json::to_string(&(composed, seen, wrong.envelope())).unwrap()
    });
    print_line(&read);
}

// shows: CT-044, CT-047
#[test]
fn every_process_reads_the_same_bytes() {
    let (_dir, root) = scene(&[("d/a", "1"), ("d/b", "2"), ("d/c", "3")]);
    let (context, _) = open(&root);
    let writer = agent(&context, "writer");
    runtime().block_on(async {
        for (at, kind) in
            [("d/a", "one"), ("d/a", "two"), ("d/b", "one"), ("d/c", "one"), ("d", "one")]
        {
            let frame = PutFrame::new(at, kind.parse().unwrap(), format!("{kind} of {at}"));
            writer.put_frame(&frame).await.unwrap();
        }
    });
    let mut answers_seen = std::collections::BTreeSet::new();
    for _ in 0..25 {
        let mut batch: Vec<_> = (0..4).map(|_| spawn("read", &[&root])).collect();
        for child in &mut batch {
            answers_seen.extend(answers(child));
            assert!(child.wait().unwrap().success());
        }
    }
    assert_eq!(answers_seen.len(), 1, "{answers_seen:?}");
}

/// In a child: regenerates everything, waiting for others that do.
pub(crate) fn regenerate(arguments: &[&str]) {
    let [root] = arguments else { panic!("{arguments:?}") };
    let (context, _) = open(root);
    let scope = RegenerateFrames {
        wait: Some(std::time::Duration::from_secs(20)),
        ..RegenerateFrames::subtree(".")
    };
    let done = runtime().block_on(agent(&context, "synthesis").regenerate(&scope)).unwrap();
    print_line(&done.made.len().to_string());
}

// shows: CT-068
#[test]
fn of_two_processes_that_regenerate_one_does_the_work() {
    let (_dir, root) = scene(&[("d/a", "1"), ("d/e/b", "2")]);
    let (context, _) = open(&root);
    let all = agent(&context, "synthesis");
    runtime().block_on(async {
        let put = |at: &'static str, text: &'static str| {
            let frame = PutFrame::new(at, "summary".parse().unwrap(), text);
            let all = &all;
            async move { all.put_frame(&frame).await.unwrap() }
        };
        put("d/a", "about a").await;
        put("d/e/b", "about b").await;
        all.synthesize_with(&node("."), &summaries(PolicySpec::Concatenation)).await.unwrap();
        put("d/e/b", "more about b").await;
    });
    let mut children = [spawn("regenerate", &[&root]), spawn("regenerate", &[&root])];
    let made: u64 = children
        .iter_mut()
        .flat_map(|child| answers(child).collect::<Vec<_>>())
        .map(|count| count.parse::<u64>().unwrap())
        .sum();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(made, 3, "d/e, d and the top, once");
}
