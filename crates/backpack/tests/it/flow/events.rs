//! Events, reported live.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::StreamExt as _;
use piton_backpack::flow::{
    Action, EventFilter, EventName, Flow, NodeError, NodeSettings, RetryRule, RunEvent, RunOptions,
    SubscriberEvent,
};
use piton_backpack::{NodeId, NodeIdentity};
use piton_core::Pattern;
use serde_json::json;

use crate::flow::probe::Probe;
use crate::flow::site::{heard, runner, state, watch};

/// A flow that makes events of every kind that needs no model.
fn eventful() -> Flow {
    let work = Probe::new()
        .named("Worker")
        .prep(|context| {
            Box::pin(async move {
                let query: String = context.unpack_required("query").await?;
                Ok(json!(query))
            })
        })
        .exec(|prepared, exec| {
            let first = exec.attempt() == 1;
            let outcome = if first { Err(NodeError::new("not yet")) } else { Ok(prepared.clone()) };
            Box::pin(std::future::ready(outcome))
        })
        .post(|context, result| {
            Box::pin(async move {
                context.pack("answer", &result).await?;
                context.pack("scratch", &1).await?;
                context.delete("scratch").await?;
                context.quarantine("query", "used up").await?;
                Ok(Action::named("done"))
            })
        });
    let mut flow = Flow::within("demo").unwrap();
    let retry = RetryRule { attempts: 2, wait_ms: 5 };
    let work =
        flow.add_with("work", work, NodeSettings { retry, ..NodeSettings::default() }).unwrap();
    let last = flow.add("last", Probe::new()).unwrap();
    flow.on(work, "done", last).unwrap();
    flow
}

#[tokio::test]
async fn events_of_nodes_on_several_threads_arrive_in_the_order_of_their_ids() {
    const THREADS: usize = 4;
    const PACKS: usize = 200;
    let state = state(&[]);
    let backpack = state.backpack().clone();
    let node = Probe::new().exec(move |_, _| {
        std::thread::scope(|threads| {
            for number in 0..THREADS {
                let id = format!("n{number}");
                let scope = backpack.scope(NodeIdentity::new(&id, &id).unwrap(), None).unwrap();
                threads.spawn(move || {
                    for count in 0..PACKS {
                        scope.pack(&id, &count).unwrap().done().unwrap();
                    }
                });
            }
        });
        Box::pin(std::future::ready(Ok(json!(null))))
    });
    let mut flow = Flow::new();
    flow.add("busy", node).unwrap();
    let (report, events) = watch(&flow, &state).await;
    report.outcome.unwrap();
    assert!(events.len() > THREADS * PACKS);
    assert!(events.is_sorted_by_key(|event| event.id));
}

// shows: BP-090
#[tokio::test]
async fn a_run_tells_every_step_in_order_with_who_and_where() {
    let (report, events) = watch(&eventful(), &state(&[("query", json!("what?"))])).await;
    report.outcome.unwrap();
    let lines: Vec<String> = events.iter().map(|event| event.to_json_line()).collect();
    insta::assert_snapshot!(lines.join("\n"));
    assert!(events.iter().all(|event| event.run == report.run));
    let ids: Vec<u64> = events.iter().map(|event| event.id).collect();
    assert_eq!(ids, (1..=u64::try_from(events.len()).unwrap()).collect::<Vec<_>>());
}

// shows in part: BP-090 (the part that no event carries the whole state)
#[tokio::test]
async fn no_event_grows_with_the_state() {
    let large = json!("canary".repeat(10_000));
    let initial = [("query", json!("what?")), ("large", large)];
    let (_, events) = watch(&eventful(), &state(&initial)).await;
    for event in events {
        let line = event.to_json_line();
        assert!(line.len() < 1000 && !line.contains("canary"), "{line}");
    }
}

// shows: BP-092 (with events_are_heard_while_the_run_is_under_way_and_end_with_the_runner, a_flow_runs_with_tools_of_a_server_and_a_model_and_goes_on_after_a_failure)
#[tokio::test]
async fn a_subscriber_hears_what_it_asked_for() {
    let runner = runner();
    let of = |names: &[EventName]| Some(names.iter().copied().collect::<BTreeSet<_>>());
    let mut by_kind = runner.subscribe(EventFilter {
        kinds: of(&[EventName::NodeStart, EventName::BackpackPack]),
        ..EventFilter::default()
    });
    let node = Some(NodeId::parse("last").unwrap());
    let mut by_node = runner.subscribe(EventFilter { node, ..EventFilter::default() });
    let namespace = Some(Pattern::parse("demo.work").unwrap());
    let mut by_namespace = runner.subscribe(EventFilter { namespace, ..EventFilter::default() });
    runner.run(&eventful(), &state(&[("query", json!("?"))]), RunOptions::default()).await;
    let names = |events: Vec<Arc<RunEvent>>| -> Vec<EventName> {
        events.iter().map(|event| event.kind.name()).collect()
    };
    let (start, pack) = (EventName::NodeStart, EventName::BackpackPack);
    assert_eq!(names(heard(&mut by_kind)), [start, pack, pack, start]);
    let end = EventName::NodeEnd;
    let (prep, exec) = (EventName::PrepDone, EventName::ExecDone);
    assert_eq!(names(heard(&mut by_node)), [start, prep, exec, end]);
    let work = heard(&mut by_namespace);
    assert!(work.len() > 8);
    assert!(work.iter().all(|event| event.namespace().unwrap().as_str() == "demo.work"));
}

// shows: BP-091
#[tokio::test]
async fn a_slow_subscriber_holds_nothing_up_and_hears_how_much_it_missed() {
    let runner = runner();
    let mut slow = runner.subscribe_with_room(EventFilter::default(), 3);
    let mut quick = runner.subscribe(EventFilter::default());
    drop(runner.subscribe(EventFilter::default()));
    let state = state(&[("query", json!("?"))]);
    runner.run(&eventful(), &state, RunOptions::default()).await.outcome.unwrap();
    let all = heard(&mut quick).len();
    let heard = slow.drain();
    assert_eq!(heard.len(), 4);
    assert!(matches!(
        heard[..3],
        [SubscriberEvent::Event(_), SubscriberEvent::Event(_), SubscriberEvent::Event(_)]
    ));
    assert_eq!(heard[3], SubscriberEvent::Missed(u64::try_from(all - 3).unwrap()));
}

// shows in part: BP-092 (the part about live)
#[tokio::test]
async fn events_are_heard_while_the_run_is_under_way_and_end_with_the_runner() {
    let (go, wait) = tokio::sync::oneshot::channel::<()>();
    let wait = Arc::new(tokio::sync::Mutex::new(Some(wait)));
    let waiting = Probe::new().exec(move |_, _| {
        let wait = Arc::clone(&wait);
        Box::pin(async move {
            let wait = wait.lock().await.take().unwrap();
            wait.await.unwrap();
            Ok(json!(null))
        })
    });
    let mut flow = Flow::new();
    flow.add("waiting", waiting).unwrap();
    let runner = runner();
    let mut live = runner.subscribe(EventFilter::default());
    let run = tokio::spawn(async move {
        let report = runner.run(&flow, &state(&[]), RunOptions::default()).await;
        report.outcome.unwrap();
    });
    let mut names = Vec::new();
    while names.last() != Some(&EventName::PrepDone) {
        let Some(SubscriberEvent::Event(event)) = live.next().await else { panic!("it goes on") };
        names.push(event.kind.name());
    }
    go.send(()).unwrap();
    while let Some(SubscriberEvent::Event(event)) = live.next().await {
        names.push(event.kind.name());
    }
    run.await.unwrap();
    assert_eq!(names.last(), Some(&EventName::RunEnd), "and then the stream ends");
}
