//! Who changed which file.

use std::fs;
use std::sync::Arc;

use piton_core::port::fixed::ManualClock;
use piton_core::{Digest, FileBytes, TimestampMs};
use piton_store::memory::MemoryTable;
use piton_store::port::Table;
use piton_workspaces::audit::{AuditIntent, AuditOutcome, AuditRecord, Ledger};
use piton_workspaces::bounds::BLAME_RECORDS_MAX;
use piton_workspaces::path::LogicalPath;
use piton_workspaces::store::Before;
use piton_workspaces::{Actor, Files, Tool};
use serde_json::{Value, json};

use crate::world::World;

fn ledger() -> Arc<Ledger> {
    let clock = Arc::new(ManualClock::new(TimestampMs(1_000)));
    Arc::new(Ledger::new(Arc::new(MemoryTable::default()), clock, "project"))
}

fn actor(agent: &str) -> Actor {
    Actor {
        agent: agent.into(),
        session: Some("sess_1".into()),
        step: Some("review".into()),
        ..Actor::default()
    }
}

fn digest(text: &str) -> Digest {
    Digest::of(&FileBytes(text.as_bytes()))
}

fn path(text: &str) -> LogicalPath {
    text.parse().unwrap()
}

// shows: WS-058
#[tokio::test]
async fn every_change_of_a_file_is_attributed_and_can_be_listed() {
    for prefix in ["/home/src", "/mem"] {
        let world = World::new().await;
        let ledger = ledger();
        let agent =
            |name: &str| world.unguarded().clone().recorded(Arc::clone(&ledger), actor(name));
        let (one, two) = (agent("one"), agent("two"));
        let file = format!("{prefix}/d/f.txt");
        let to = format!("{prefix}/g.txt");
        let steps: [(&Files, &str, Value); 6] = [
            (&one, "write", json!({ "path": file, "content": "a\n" })),
            (&two, "edit", json!({ "path": file, "old_string": "a", "new_string": "b" })),
            (&one, "write", json!({ "path": file, "content": "c\n", "append": true })),
            (&two, "move", json!({ "from": file, "to": to })),
            (&one, "delete", json!({ "path": to })),
            (&two, "edit", json!({ "path": to, "old_string": "a", "new_string": "b" })),
        ];
        for (files, tool, arguments) in steps {
            files.call(tool, arguments).await;
        }
        let blame = ledger.blame(world.unguarded().workspaces(), &path(&to)).await.unwrap();
        let told: Vec<_> = blame
            .records
            .iter()
            .map(|record| (record.intent.actor.agent.as_str(), record.intent.tool, record.outcome))
            .collect();
        assert_eq!(
            told,
            [("two", Tool::Move, AuditOutcome::Done), ("one", Tool::Delete, AuditOutcome::Done)]
        );
        assert!(!blame.changed_outside);
        let blame = ledger.blame(world.unguarded().workspaces(), &path(&file)).await.unwrap();
        let digests: Vec<_> = blame
            .records
            .iter()
            .map(|record| (record.intent.before.clone(), record.intent.after))
            .collect();
        assert_eq!(
            digests,
            [
                (Before::Nothing, Some(digest("a\n"))),
                (Before::File(Some(digest("a\n"))), Some(digest("b\n"))),
                (Before::File(Some(digest("b\n"))), Some(digest("b\nc\n"))),
                (Before::File(Some(digest("b\nc\n"))), Some(digest("b\nc\n"))),
            ]
        );
        let first = &blame.records[0].intent;
        assert_eq!((&first.actor, first.workspace.as_str()), (&actor("one"), prefix));
        assert!(!blame.changed_outside);
    }
}

#[tokio::test]
async fn a_removed_directory_is_told_for_every_file_that_was_in_it() {
    let world = World::new().await;
    let ledger = ledger();
    let files = world.unguarded().clone().recorded(Arc::clone(&ledger), actor("one"));
    files.call("write", json!({ "path": "/home/src/d/f.txt", "content": "a" })).await;
    files.call("delete", json!({ "path": "/home/src/d", "recursive": true })).await;
    let file = path("/home/src/d/f.txt");
    let blame = ledger.blame(files.workspaces(), &file).await.unwrap();
    let tools: Vec<Tool> = blame.records.iter().map(|record| record.intent.tool).collect();
    assert_eq!(tools, [Tool::Write, Tool::Delete]);
    assert!(!blame.changed_outside);
}

#[tokio::test]
async fn a_change_without_a_record_is_told_as_made_outside() {
    let world = World::new().await;
    let ledger = ledger();
    let files = world.unguarded().clone().recorded(Arc::clone(&ledger), actor("one"));
    let file = path("/home/src/m.rs");
    assert!(ledger.blame(files.workspaces(), &file).await.unwrap().changed_outside);
    files.call("write", json!({ "path": "/home/src/m.rs", "content": "mine\n" })).await;
    assert!(!ledger.blame(files.workspaces(), &file).await.unwrap().changed_outside);
    fs::write(world.at("src/m.rs"), "somebody else's\n").unwrap();
    assert!(ledger.blame(files.workspaces(), &file).await.unwrap().changed_outside);
}

/// An intention that its process left open, and what it left on the disk.
struct Left {
    tool: Tool,
    before: Before,
    after: Option<&'static str>,
    target: Option<&'static str>,
    /// What is on the disk: the file, the unfinished write, the target.
    file: Option<&'static str>,
    temp: Option<&'static str>,
    outcome: AuditOutcome,
}

#[tokio::test]
async fn what_a_dead_process_left_open_is_settled_by_what_is_there() {
    let old = || Before::File(Some(digest("old")));
    let left = |tool, before, after, target, file, temp, outcome| Left {
        tool,
        before,
        after,
        target,
        file,
        temp,
        outcome,
    };
    let cases = [
        left(Tool::Write, old(), Some("new"), None, Some("old"), Some("new"), AuditOutcome::Undone),
        left(Tool::Write, old(), Some("new"), None, Some("new"), None, AuditOutcome::Done),
        left(Tool::Write, old(), Some("new"), None, Some("other"), None, AuditOutcome::Unclear),
        left(
            Tool::Write,
            Before::Nothing,
            Some("new"),
            None,
            None,
            Some("ne"),
            AuditOutcome::Undone,
        ),
        left(
            Tool::Write,
            Before::Nothing,
            Some("new"),
            None,
            Some("new"),
            None,
            AuditOutcome::Done,
        ),
        left(Tool::Delete, old(), None, None, Some("old"), None, AuditOutcome::Undone),
        left(Tool::Delete, old(), None, None, None, None, AuditOutcome::Done),
        left(
            Tool::Move,
            old(),
            Some("old"),
            Some("/home/src/t"),
            Some("old"),
            None,
            AuditOutcome::Undone,
        ),
        left(
            Tool::Move,
            old(),
            Some("old"),
            Some("/home/src/dup.txt"),
            None,
            None,
            AuditOutcome::Done,
        ),
    ];
    for (at, left) in cases.into_iter().enumerate() {
        let world = World::new().await;
        let ledger = ledger();
        let temp = ".piton-00000000000000aa.tmp";
        let left_open = ledger
            .intend(&AuditIntent {
                actor: actor("dead"),
                tool: left.tool,
                workspace: path("/home/src"),
                path: path("/home/src/f"),
                target: left.target.map(path),
                before: left.before,
                after: left.after.map(digest),
                temp: left.temp.map(|_| temp.to_owned()),
                source: None,
                origin: None,
            })
            .await
            .unwrap();
        for (name, content) in [("src/f", left.file), (&format!("src/{temp}"), left.temp)] {
            if let Some(content) = content {
                fs::write(world.at(name), content).unwrap();
            }
        }
        let workspaces = world.unguarded().workspaces();
        assert_eq!(ledger.recover(workspaces).await.unwrap(), 1, "case {at}");
        let record = ledger.record(left_open.record.number).await.unwrap().unwrap();
        assert_eq!(record.outcome, left.outcome, "case {at}");
        assert!(!world.at(&format!("src/{temp}")).exists(), "case {at}");
        assert_eq!(ledger.recover(workspaces).await.unwrap(), 0, "case {at}");
    }
}

#[test]
fn a_record_of_a_version_that_named_no_node_is_still_read() {
    let text = r#"{"v":1,"number":4,"timestampMs":1000,"intent":{"actor":{"agent":"one","session":"sess_1","run":"run_1","step":"review"},"tool":"write","workspace":"/home","path":"/home/f","before":{"kind":"nothing"},"after":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},"outcome":"done"}"#;
    let record: AuditRecord = serde_json::from_str(text).unwrap();
    let told = &record.intent.actor;
    assert_eq!((told.node.as_deref(), told.step.as_deref()), (None, Some("review")));
    assert_eq!(serde_json::to_string(&record).unwrap(), text);
}

#[tokio::test]
async fn what_was_done_in_a_run_is_found_by_the_run_with_its_nodes() {
    let world = World::new().await;
    let ledger = ledger();
    let write = async |run: Option<&str>, node: &str, content: &str| {
        let (run, node) = (run.map(Into::into), Some(node.into()));
        let actor = Actor { run, node, ..actor("one") };
        let files = world.unguarded().clone().recorded(Arc::clone(&ledger), actor);
        files.call("write", json!({ "path": "/mem/f.txt", "content": content })).await;
    };
    write(Some("run_1"), "node_1", "a\n").await;
    write(Some("run_2"), "node_2", "b\n").await;
    write(Some("run_1"), "node_3", "c\n").await;
    write(None, "node_4", "d\n").await;
    let (records, left_out) =
        ledger.of_run(world.unguarded().workspaces(), "run_1", 10).await.unwrap();
    let nodes: Vec<_> = records.iter().map(|one| one.intent.actor.node.as_deref()).collect();
    assert_eq!((nodes, left_out), (vec![Some("node_1"), Some("node_3")], 0));
    assert_eq!(ledger.of_run(world.unguarded().workspaces(), "run_1", 1).await.unwrap().1, 1);
    assert!(ledger.of_run(world.unguarded().workspaces(), "run_3", 1).await.unwrap().0.is_empty());
}

#[tokio::test]
async fn of_a_long_history_the_newest_records_are_told_and_the_others_counted() {
    const MORE: usize = 7;
    let world = World::new().await;
    let (ledger, workspaces) = (ledger(), world.unguarded().workspaces());
    let files = world.unguarded().clone().recorded(Arc::clone(&ledger), actor("one"));
    for number in 0..BLAME_RECORDS_MAX + MORE {
        let content = number.to_string();
        let reply = files.call("write", json!({ "path": "/mem/d/f", "content": content })).await;
        assert!(!reply.is_error(), "{}", reply.text);
    }
    let blame = ledger.blame(workspaces, &path("/mem/d/f")).await.unwrap();
    assert_eq!((blame.records.len(), blame.older), (BLAME_RECORDS_MAX, MORE));
    assert!(blame.records.is_sorted_by_key(|record| record.number));
    assert!(!blame.changed_outside);
    let last = ledger.last(workspaces, &path("/mem/d/f")).await.unwrap();
    assert_eq!(last.as_ref(), blame.records.last());
    // One record of a directory above it, which is the newest then.
    files.call("move", json!({ "from": "/mem/d", "to": "/mem/e" })).await;
    let blame = ledger.blame(workspaces, &path("/mem/d/f")).await.unwrap();
    assert_eq!((blame.records.len(), blame.older), (BLAME_RECORDS_MAX, MORE + 1));
    assert_eq!(blame.records.last().unwrap().intent.tool, Tool::Move);
    assert_eq!(ledger.last(workspaces, &path("/mem/none")).await.unwrap(), None);
}

/// Two processes that share a table.
fn two_processes() -> [Arc<Ledger>; 2] {
    let table: Arc<dyn Table> = Arc::new(MemoryTable::default());
    let clock = Arc::new(ManualClock::new(TimestampMs(1_000)));
    [(); 2].map(|()| Arc::new(Ledger::new(Arc::clone(&table), clock.clone(), "project")))
}

/// What a process reads of a file: the outcome of each record, and whether it was changed outside Piton.
async fn outcomes(ledger: &Ledger, files: &Files, file: &str) -> (Vec<AuditOutcome>, bool) {
    let blame = ledger.blame(files.workspaces(), &path(file)).await.unwrap();
    (blame.records.iter().map(|record| record.outcome).collect(), blame.changed_outside)
}

// shows in part: WS-058 (while the outcome of the last change is not written yet)
#[tokio::test]
async fn everybody_reads_that_a_change_is_done_before_its_outcome_is_written() {
    for file in ["/home/src/f.txt", "/mem/f.txt"] {
        let world = World::new().await;
        let [mine, other] = two_processes();
        let files = world.unguarded().clone().recorded(Arc::clone(&mine), actor("one"));
        for content in ["a\n", "b\n"] {
            files.call("write", json!({ "path": file, "content": content })).await;
            assert!(mine.has_unwritten(), "{file}");
            for ledger in [&mine, &other] {
                let (found, outside) = outcomes(ledger, &files, file).await;
                assert!(
                    found.iter().all(|outcome| *outcome == AuditOutcome::Done),
                    "{file}: {found:?}"
                );
                assert!(!outside, "{file}");
            }
        }
        mine.flush().await.unwrap();
        assert!(!mine.has_unwritten(), "{file}");
        assert_eq!(other.recover(files.workspaces()).await.unwrap(), 0, "{file}: all is written");
    }
}

// shows in part: WS-058 (what was written of the outcome)
#[tokio::test]
async fn a_written_outcome_is_read_by_others_whatever_became_of_the_file() {
    let world = World::new().await;
    let [mine, other] = two_processes();
    let intent = |text: &str| AuditIntent {
        actor: actor("one"),
        tool: Tool::Write,
        workspace: path("/home/src"),
        path: path("/home/src/never-there.txt"),
        target: None,
        before: Before::Nothing,
        after: Some(digest(text)),
        temp: None,
        source: None,
        origin: None,
    };
    let mut numbers = Vec::new();
    for (text, done) in [("a", true), ("b", false)] {
        let begun = mine.intend(&intent(text)).await.unwrap();
        numbers.push(begun.record.number);
        mine.resolve(begun, done);
    }
    let read = async |number: u64| other.record(number).await.unwrap().unwrap().outcome;
    // The first went along with the second; the second waits for the next, or to be written by itself.
    assert_eq!(
        [read(numbers[0]).await, read(numbers[1]).await],
        [AuditOutcome::Done, AuditOutcome::Open]
    );
    mine.flush().await.unwrap();
    assert_eq!(
        [read(numbers[0]).await, read(numbers[1]).await],
        [AuditOutcome::Done, AuditOutcome::Undone]
    );
    assert_eq!(other.recover(world.unguarded().workspaces()).await.unwrap(), 0);
    // What others conclude of a change that is under way, its own process knows better.
    for (text, flushed) in [("c", true), ("d", false)] {
        let begun = mine.intend(&intent(text)).await.unwrap();
        let number = begun.record.number;
        assert_eq!(other.recover(world.unguarded().workspaces()).await.unwrap(), 1);
        assert_eq!(read(number).await, AuditOutcome::Undone);
        mine.resolve(begun, true);
        if flushed {
            mine.flush().await.unwrap();
        } else {
            mine.intend(&intent("e")).await.unwrap();
        }
        assert_eq!(read(number).await, AuditOutcome::Done);
    }
}

#[tokio::test]
async fn who_died_before_writing_an_outcome_is_judged_by_what_the_next_one_found() {
    let world = World::new().await;
    let [dead, other] = two_processes();
    let file = "/home/src/f.txt";
    let write = |ledger: &Arc<Ledger>, content: &str| {
        let files = world.unguarded().clone().recorded(Arc::clone(ledger), actor("one"));
        let arguments = json!({ "path": file, "content": content });
        async move { files.call("write", arguments).await }
    };
    write(&dead, "a\n").await;
    write(&other, "b\n").await;
    other.flush().await.unwrap();
    // Its process is gone, and the file has neither of the contents that it knew.
    let workspaces = world.unguarded().workspaces();
    assert_eq!(other.recover(workspaces).await.unwrap(), 1);
    let (found, outside) = outcomes(&other, world.unguarded(), file).await;
    assert_eq!((found, outside), (vec![AuditOutcome::Done, AuditOutcome::Done], false));
}

#[tokio::test]
async fn what_went_with_its_directory_is_not_told_as_never_done() {
    let world = World::new().await;
    let [dead, other] = two_processes();
    let files =
        |ledger: &Arc<Ledger>| world.unguarded().clone().recorded(Arc::clone(ledger), actor("x"));
    files(&dead).call("write", json!({ "path": "/home/src/d/f.txt", "content": "a" })).await;
    files(&other).call("delete", json!({ "path": "/home/src/d", "recursive": true })).await;
    other.flush().await.unwrap();
    assert_eq!(other.recover(world.unguarded().workspaces()).await.unwrap(), 1);
    let (found, _) = outcomes(&other, world.unguarded(), "/home/src/d/f.txt").await;
    assert_eq!(found, [AuditOutcome::Unclear, AuditOutcome::Done]);
}
