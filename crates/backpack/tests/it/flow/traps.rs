//! Traps that a runner of nodes over shared state can fall into.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use piton_backpack::flow::{
    Action, EventFilter, EventKind, EventName, Flow, FlowState, NodeBody, RunOptions,
};
use serde_json::{Value, json};

use crate::flow::probe::Probe;
use crate::flow::site::{finish, heard, runner, state, value, watch};

fn reading(key: &'static str) -> Probe {
    Probe::new().prep(move |context| {
        Box::pin(async move { Ok(context.unpack::<Value>(key).await?.unwrap_or_default()) })
    })
}

#[tokio::test]
async fn a_read_is_told_as_the_reader_s_and_not_as_the_writer_s() {
    let mut flow = Flow::within("space").unwrap();
    let writer = flow.add("writer", Probe::packing("key", json!(1))).unwrap();
    let reader = flow.add("reader", reading("key")).unwrap();
    flow.next(writer, reader).unwrap();
    let (_, events) = watch(&flow, &state(&[])).await;
    let read = events.iter().find(|event| event.kind.name() == EventName::BackpackUnpack).unwrap();
    assert_eq!(read.node.as_ref().unwrap().id.as_str(), "reader");
    assert_eq!(read.namespace().unwrap().as_str(), "space.reader");
}

#[tokio::test]
async fn each_run_has_an_id_of_its_own_and_its_events_carry_it() {
    let mut flow = Flow::new();
    flow.add("a", Probe::packing("key", json!(1))).unwrap();
    let (state, runner) = (state(&[]), runner());
    let mut subscription = runner.subscribe(EventFilter::default());
    let first = runner.run(&flow, &state, RunOptions::default()).await.run;
    let second = runner.run(&flow, &state, RunOptions::default()).await.run;
    assert_ne!(first, second);
    let runs: Vec<_> = heard(&mut subscription).iter().map(|event| event.run).collect();
    let (before, after) = runs.split_at(runs.len() / 2);
    assert!(before.iter().all(|run| *run == first) && after.iter().all(|run| *run == second));
}

#[tokio::test]
async fn nodes_that_take_turns_keep_their_own_names() {
    let mut inner = Flow::new();
    let packing = Probe::new()
        .exec(|_, exec| {
            let name = exec.params()["name"].clone();
            Box::pin(async move {
                tokio::task::yield_now().await;
                Ok(name)
            })
        })
        .post(|context, name| {
            Box::pin(async move {
                let key = name.as_str().unwrap().to_owned();
                context.pack(&key, &1).await?;
                tokio::task::yield_now().await;
                context.pack(&key, &2).await?;
                Ok(Action::Default)
            })
        });
    inner.add("pack", packing).unwrap();
    let batch = |id: &'static str| {
        let entries = json!([{ "name": format!("{id}-1") }, { "name": format!("{id}-2") }]);
        let items = Probe::new().prep(move |_| Box::pin(std::future::ready(Ok(entries.clone()))));
        NodeBody::Batch { items: Arc::new(items), flow: Arc::new(inner.clone()), parallel: true }
    };
    let run = async |id: &'static str, state: &FlowState| {
        let mut flow = Flow::within("side").unwrap();
        flow.add(id, batch(id)).unwrap();
        finish(&flow, state).await;
    };
    let state = state(&[]);
    tokio::join!(run("left", &state), run("right", &state));
    for (key, id) in
        [("left-1", "left"), ("left-2", "left"), ("right-1", "right"), ("right-2", "right")]
    {
        let history = state.backpack().debug().key_history(key).unwrap();
        let writers: Vec<String> =
            history.iter().map(|commit| commit.author().id.to_string()).collect();
        assert_eq!(writers, [format!("{id}/pack"), format!("{id}/pack")]);
    }
}

#[tokio::test]
async fn what_a_node_was_given_is_its_own_copy() {
    let mut flow = Flow::new();
    let changing = Probe::new().prep(|context| {
        Box::pin(async move {
            let mut list: Vec<u64> = context.unpack_required("list").await?;
            list.push(4);
            Ok(json!(list))
        })
    });
    flow.add("a", changing).unwrap();
    let state = state(&[("list", json!([1, 2, 3]))]);
    finish(&flow, &state).await;
    assert_eq!(value(&state, "list"), json!([1, 2, 3]), "nothing changes without a commit");
}

#[tokio::test]
async fn null_is_a_value_like_any_other() {
    let mut flow = Flow::new();
    flow.add("a", Probe::packing("nothing", Value::Null)).unwrap();
    let (report, events) = watch(&flow, &state(&[])).await;
    report.outcome.unwrap();
    let packed = events.iter().find_map(|event| match &event.kind {
        EventKind::BackpackPack(touched) => Some(touched.summary.clone()),
        _ => None,
    });
    assert_eq!(packed.as_deref(), Some("null"));
}

#[tokio::test]
async fn declared_permissions_bind_without_anybody_registering_them() {
    let text = json!({ "nodes": [{ "id": "a", "type": "set", "params": { "value": 1 },
        "permissions": { "read": ["value"] } }] });
    let flow = Flow::from_json(&text.to_string(), &crate::flow::config::registry()).unwrap().flow;
    let (report, events) = watch(&flow, &state(&[])).await;
    let error = report.outcome.unwrap_err().to_string();
    assert_eq!(error, "node `a` failed in post: the node `a` may not write `value`");
    assert!(events.iter().any(|event| event.kind.name() == EventName::BackpackDenied));
}

#[tokio::test]
async fn a_lenient_backpack_tells_a_refusal_as_an_event_and_goes_on() {
    let options = piton_backpack::Options { strict: false, ..Default::default() };
    let nothing: [(&str, Value); 1] = [("secret", json!("canary"))];
    let backpack =
        piton_backpack::Backpack::new(nothing, options, crate::flow::site::ports()).unwrap();
    let state = FlowState::new(backpack).unwrap();
    let permissions = Some(piton_backpack::Permissions::none());
    let settings = piton_backpack::flow::NodeSettings { permissions, ..Default::default() };
    let mut flow = Flow::new();
    flow.add_with("a", reading("secret"), settings).unwrap();
    let (report, events) = watch(&flow, &state).await;
    report.outcome.unwrap();
    let denied: Vec<String> = events
        .iter()
        .filter(|event| event.kind.name() == EventName::BackpackDenied)
        .map(|event| event.to_json_line())
        .collect();
    assert_eq!(denied.len(), 1);
    assert!(denied[0].contains("\"nodeId\":\"a\"") && !denied[0].contains("canary"), "{denied:?}");
}

#[tokio::test]
async fn a_long_loop_in_memory_leaves_two_records_and_nothing_for_each_step() {
    let left = Arc::new(AtomicU64::new(2_000));
    let turning = Probe::new().post(move |_, _| {
        let more = left.fetch_sub(1, Ordering::Relaxed) > 1;
        let action = if more { Action::Default } else { Action::End };
        Box::pin(std::future::ready(Ok(action)))
    });
    let mut flow = Flow::new();
    let turn = flow.add("turn", turning).unwrap();
    flow.next(turn, turn).unwrap();
    let state = state(&[]);
    let report = runner().run(&flow, &state, RunOptions::default()).await;
    assert_eq!(report.steps, 2_000);
    assert_eq!(state.backpack().debug().commit_count(), 2, "two records, and nothing for a step");
}
