//! Batches of work, and batches of flows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use piton_backpack::flow::{Action, Flow, NodeBody, NodeError, NodeSettings, RetryRule, Shape};
use serde_json::{Value, json};

use crate::flow::probe::Probe;
use crate::flow::site::{finish, run, state, value};

/// Counts how many pieces of work are under way at once.
#[derive(Default)]
struct InFlight {
    now: AtomicUsize,
    peak: AtomicUsize,
}

impl InFlight {
    fn enter(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.peak.fetch_max(now, Ordering::SeqCst);
    }

    fn leave(&self) {
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

fn squares(shape: Shape, flight: &Arc<InFlight>) -> Probe {
    let flight = Arc::clone(flight);
    Probe::new()
        .shape(shape)
        .prep(|_| Box::pin(std::future::ready(Ok(json!([1, 2, 3, 4, 5])))))
        .exec(move |entry, _| {
            let flight = Arc::clone(&flight);
            Box::pin(async move {
                flight.enter();
                tokio::task::yield_now().await;
                flight.leave();
                let number = entry.as_u64().unwrap();
                Ok(json!(number * number))
            })
        })
        .post(|context, result| {
            Box::pin(async move {
                context.pack("squares", &result).await?;
                Ok(Action::Default)
            })
        })
}

// shows: BP-072 (with each_entry_has_its_own_attempts_and_its_own_fallback, a_flow_runs_once_for_each_entry_with_its_own_parameters, an_inner_flow_shares_the_backpack_and_extends_the_namespace)
#[tokio::test]
async fn results_are_in_order_and_only_a_parallel_batch_works_side_by_side() {
    for (shape, peak) in [(Shape::Batch, 1), (Shape::Parallel, 5)] {
        let flight = Arc::new(InFlight::default());
        let mut flow = Flow::new();
        flow.add("squares", squares(shape, &flight)).unwrap();
        let state = state(&[]);
        finish(&flow, &state).await;
        assert_eq!(value(&state, "squares"), json!([1, 4, 9, 16, 25]));
        assert_eq!(flight.peak.load(Ordering::SeqCst), peak, "{shape}");
    }
}

// shows in part: BP-072 (the part about retries for each item)
#[tokio::test]
async fn each_entry_has_its_own_attempts_and_its_own_fallback() {
    for shape in [Shape::Batch, Shape::Parallel] {
        let tried = Arc::new([0, 0, 0].map(AtomicUsize::new));
        let counts = Arc::clone(&tried);
        let node = Probe::new()
            .shape(shape)
            .prep(|_| Box::pin(std::future::ready(Ok(json!([0, 1, 2])))))
            .exec(move |entry, attempt| {
                let index = usize::try_from(entry.as_u64().unwrap()).unwrap();
                counts[index].fetch_add(1, Ordering::SeqCst);
                let succeeds = index == 1 && attempt.attempt() == 2;
                Box::pin(async move {
                    tokio::task::yield_now().await;
                    if succeeds { Ok(json!("done")) } else { Err(NodeError::new("no")) }
                })
            })
            .fallback(|_| Ok(json!("fallback")))
            .post(|context, result| {
                Box::pin(async move {
                    context.pack("results", &result).await?;
                    Ok(Action::Default)
                })
            });
        let mut flow = Flow::new();
        let retry = RetryRule { attempts: 2, wait_ms: 10 };
        flow.add_with("work", node, NodeSettings { retry, ..NodeSettings::default() }).unwrap();
        let state = state(&[]);
        finish(&flow, &state).await;
        assert_eq!(value(&state, "results"), json!(["fallback", "done", "fallback"]));
        let tried: Vec<usize> = tried.iter().map(|count| count.load(Ordering::SeqCst)).collect();
        assert_eq!(tried, [2, 2, 2], "{shape}");
    }
}

/// A flow that runs once for each entry, and packs what its parameters say.
fn passes(parallel: bool, flight: &Arc<InFlight>) -> Flow {
    let flight = Arc::clone(flight);
    let mut inner = Flow::new();
    let work = Probe::new()
        .exec(move |_, exec| {
            let flight = Arc::clone(&flight);
            let number = exec.params()["number"].clone();
            Box::pin(async move {
                flight.enter();
                tokio::task::yield_now().await;
                flight.leave();
                Ok(number)
            })
        })
        .post(|context, result| {
            Box::pin(async move {
                let shared = context.params()["shared"].as_str().unwrap().to_owned();
                context.pack(&format!("{shared}_{result}"), &result).await?;
                Ok(Action::named(format!("done-{result}")))
            })
        });
    inner.add("work", work).unwrap();
    let items = Probe::new()
        .prep(|_| {
            let entries: Vec<Value> = (1..=4).map(|number| json!({ "number": number })).collect();
            Box::pin(std::future::ready(Ok(Value::from(entries))))
        })
        .post(|context, result| {
            Box::pin(async move {
                context.pack("actions", &result).await?;
                Ok(Action::Default)
            })
        });
    let mut flow = Flow::new();
    let body = NodeBody::Batch { items: Arc::new(items), flow: Arc::new(inner), parallel };
    flow.add("each", body).unwrap();
    flow
}

// shows in part: BP-072 (the part about flows)
#[tokio::test]
async fn a_flow_runs_once_for_each_entry_with_its_own_parameters() {
    for (parallel, peak) in [(false, 1), (true, 4)] {
        let flight = Arc::new(InFlight::default());
        let flow = passes(parallel, &flight);
        let state = state(&[]);
        let params = json!({ "shared": "square" }).as_object().unwrap().clone();
        let options = piton_backpack::flow::RunOptions { params, ..Default::default() };
        let report = crate::flow::site::runner().run(&flow, &state, options).await;
        report.outcome.unwrap();
        assert_eq!(value(&state, "actions"), json!(["done-1", "done-2", "done-3", "done-4"]));
        assert_eq!(value(&state, "square_3"), json!(3));
        assert_eq!(flight.peak.load(Ordering::SeqCst), peak);
    }
}

#[tokio::test]
async fn a_batch_that_prepares_no_list_is_an_error_that_names_the_node() {
    let mut flow = Flow::new();
    flow.add("work", Probe::new().shape(Shape::Batch)).unwrap();
    let error = run(&flow, &state(&[])).await.outcome.unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `work` failed in prep: a batch prepares a list, and this is none"
    );
}

// shows: BP-082
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_side_by_side_lose_no_commit() {
    let state = state(&[]);
    let runs = (0..8).map(|task| {
        let state = state.clone();
        tokio::spawn(async move {
            let packing = Probe::new().post(move |context, _| {
                Box::pin(async move {
                    for number in 0..1000 {
                        context.pack(&format!("key_{task}"), &number).await?;
                    }
                    Ok(Action::Default)
                })
            });
            let mut flow = Flow::new();
            flow.add(&format!("node-{task}"), packing).unwrap();
            finish(&flow, &state).await;
        })
    });
    for run in runs.collect::<Vec<_>>() {
        run.await.unwrap();
    }
    let debug = state.backpack().debug();
    for task in 0..8 {
        let item = debug.item(&format!("key_{task}")).unwrap().unwrap();
        assert_eq!((item.version(), item.value::<u64>().unwrap()), (1000, 999));
        assert_eq!(item.source().id.to_string(), format!("node-{task}"));
    }
    assert_eq!(debug.commit_count(), 8 * 1000 + 8 * 2, "and two records of each run");
}
