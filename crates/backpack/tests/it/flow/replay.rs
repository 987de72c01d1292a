//! Runs that are run again from one of their nodes.

use std::sync::Arc;

use piton_backpack::JournaledBackpack;
use piton_backpack::flow::run::{before_node, before_pending_node, check_start};
use piton_backpack::flow::{
    Action, Flow, FlowState, NodeBody, NodeError, RunOptions, RunRecord, RunStatus,
};
use piton_backpack::journal::{Holder, Mode, read, read_at};
use serde_json::json;

use crate::flow::probe::Probe;
use crate::flow::resume::{TRAIL, Trap, flow, open, ports};
use crate::flow::site::{runner, value};

// shows: BP-026
#[tokio::test]
async fn a_run_runs_again_from_any_node_on_a_fork_and_stays_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let first = Arc::new(Trap::default());
    {
        let state = open(directory.path()).await;
        runner().run(&flow(&first), &state, RunOptions::default()).await.outcome.unwrap();
    }
    let kept = ports(directory.path());
    let id = "pack_run".parse().unwrap();
    let (original, _) = read(&*kept.journal, &*kept.blobs, &id, kept.ports.clone()).await.unwrap();
    let record = RunRecord::of(&original).unwrap().unwrap();
    let description = record.description(&original).unwrap().unwrap();
    assert_eq!(description, flow(&first).to_json(), "the run keeps its flow");
    let cases = [("a", 0), ("inner", 1), ("inner/b", 1), ("inner/c", 2), ("d", 3), ("e", 5)];
    for (node, place) in cases {
        let commit = before_node(&original, node).unwrap();
        let before = read_at(&original, commit, &*kept.blobs).await.unwrap();
        let fork = format!("again-{}", node.replace('/', "-")).parse().unwrap();
        let holder = Holder::new("a test").unwrap();
        let opened =
            JournaledBackpack::fork_from(&before, &fork, holder, Mode::Durable, kept.clone());
        let state = FlowState::journaled(opened.await.unwrap().backpack).unwrap();
        let again = Arc::new(Trap::default());
        let report = runner().replay(&flow(&again), &state, RunOptions::default()).await.unwrap();
        assert_eq!(report.status(), RunStatus::Done, "{node}");
        assert_eq!(*again.began.lock().unwrap(), TRAIL[place..], "{node}");
        assert_eq!(value(&state, "trail"), json!(TRAIL));
        assert_eq!(state.backpack().origin().unwrap().commit, Some(commit));
    }
    let (after, _) = read(&*kept.journal, &*kept.blobs, &id, kept.ports.clone()).await.unwrap();
    assert_eq!(after.head(), original.head());
}

#[tokio::test]
async fn a_node_that_failed_can_be_run_again_and_one_that_never_ran_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let state = open(directory.path()).await;
    let mut flow = Flow::new();
    let first = flow.add("first", Probe::counting("first")).unwrap();
    let failing = Probe::new().post(|context, _| {
        Box::pin(async move {
            context.pack("half", &1).await?;
            Err(NodeError::new("no"))
        })
    });
    let second = flow.add("second", failing).unwrap();
    let third = flow.add("third", Probe::ending(Action::End)).unwrap();
    flow.next(first, second).unwrap();
    flow.next(second, third).unwrap();
    runner().run(&flow, &state, RunOptions::default()).await.outcome.unwrap_err();
    let commit = before_node(state.backpack(), "second").unwrap();
    let before = state.backpack().snapshot_at_commit(commit).unwrap();
    let keys: Vec<String> = before.debug().keys().iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["first", "flow.description", "flow.run"]);
    let error = before_node(state.backpack(), "third").unwrap_err().to_string();
    assert!(error.contains("no node `third` ran in it; these did: first, second"), "{error}");
}

#[tokio::test]
async fn a_node_inside_a_batch_is_refused_with_the_node_to_run_again_from() {
    let mut inner = Flow::new();
    inner.add("step", Probe::counting("step")).unwrap();
    let entries = Probe::new().prep(|_| Box::pin(std::future::ready(Ok(json!([{}, {}])))));
    let mut flow = Flow::new();
    let first = flow.add("first", Probe::counting("first")).unwrap();
    let batch =
        NodeBody::Batch { items: Arc::new(entries), flow: Arc::new(inner), parallel: false };
    let each = flow.add("each", batch).unwrap();
    flow.next(first, each).unwrap();
    let mut outer = Flow::new();
    outer.add("outer", flow).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let state = open(directory.path()).await;
    runner().run(&outer, &state, RunOptions::default()).await.outcome.unwrap();
    let error = check_start(&outer, "outer/each/step").unwrap_err().to_string();
    assert!(error.contains("inside the batch `outer/each`"), "{error}");
    assert!(error.contains("run it again from `outer/each`"), "{error}");
    for node in ["outer", "outer/first", "outer/each", "unknown", "outer/first/unknown"] {
        check_start(&outer, node).unwrap();
    }
    let commit = before_node(state.backpack(), "outer/each").unwrap();
    let before = state.backpack().snapshot_at_commit(commit).unwrap();
    let keys: Vec<String> = before.debug().keys().iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["first", "flow.description", "flow.run"]);
}

#[tokio::test]
async fn a_batch_that_failed_without_commits_of_its_own_is_run_again_from_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let state = open(directory.path()).await;
    let failing = Probe::new().post(|context, _| {
        Box::pin(async move {
            context.pack("half", &1).await?;
            Err(NodeError::new("no"))
        })
    });
    let mut inner = Flow::new();
    inner.add("step", failing).unwrap();
    let entries = Probe::new().prep(|_| Box::pin(std::future::ready(Ok(json!([{}])))));
    let batch =
        NodeBody::Batch { items: Arc::new(entries), flow: Arc::new(inner), parallel: false };
    let again = Probe::new().post(|context, _| {
        Box::pin(async move {
            let count: u64 = context.unpack("count").await?.unwrap_or(0) + 1;
            context.pack("count", &count).await?;
            Ok(if count < 3 { Action::named("again") } else { Action::Default })
        })
    });
    let mut flow = Flow::new();
    let first = flow.add("first", again).unwrap();
    let each = flow.add("each", batch).unwrap();
    flow.on(first, "again", first).unwrap();
    flow.next(first, each).unwrap();
    runner().run(&flow, &state, RunOptions::default()).await.outcome.unwrap_err();
    // It fails once more, with one more record of the same place.
    let report = runner().resume(&flow, &state, RunOptions::default()).await.unwrap();
    report.outcome.unwrap_err();
    let commit = before_pending_node(state.backpack(), &flow, "each").unwrap();
    let before = state.backpack().snapshot_at_commit(commit).unwrap();
    let keys: Vec<String> = before.debug().keys().iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["count", "flow.description", "flow.run"]);
    assert_eq!(before.debug().peek::<u64>("count").unwrap(), Some(3));
}

#[tokio::test]
async fn a_loop_that_stopped_is_run_again_from_its_last_round() {
    let directory = tempfile::tempdir().unwrap();
    let state = open(directory.path()).await;
    let round = Probe::new().post(|context, _| {
        Box::pin(async move {
            let count: u64 = context.unpack("count").await?.unwrap_or(0) + 1;
            context.pack("count", &count).await?;
            Ok(Action::named("again"))
        })
    });
    let mut flow = Flow::new();
    let node = flow.add("round", round).unwrap();
    flow.on(node, "again", node).unwrap();
    let options = RunOptions { steps_max: 3, ..RunOptions::default() };
    runner().run(&flow, &state, options).await.outcome.unwrap_err();
    let commit = before_pending_node(state.backpack(), &flow, "round").unwrap();
    let before = state.backpack().snapshot_at_commit(commit).unwrap();
    assert_eq!(before.debug().peek::<u64>("count").unwrap(), Some(3));
}

#[tokio::test]
async fn a_flow_that_died_before_its_first_record_leaves_the_flow_of_the_run_before() {
    let directory = tempfile::tempdir().unwrap();
    let one = |id: &str| {
        let mut flow = Flow::new();
        flow.add(id, Probe::new()).unwrap();
        flow
    };
    let state = open(directory.path()).await;
    runner().run(&one("a"), &state, RunOptions::default()).await.outcome.unwrap();
    let then = RunRecord::of(state.backpack()).unwrap().unwrap();
    runner().run(&one("b"), &state, RunOptions::default()).await.outcome.unwrap();
    let now = RunRecord::of(state.backpack()).unwrap().unwrap();
    for (record, flow) in [(then, one("a")), (now, one("b"))] {
        assert_eq!(record.description(state.backpack()).unwrap(), Some(flow.to_json()));
    }
}
