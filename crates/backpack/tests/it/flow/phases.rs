//! Prepare, execute, post; and trying again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use piton_backpack::flow::{Action, Flow, NodeError, NodeSettings, RetryRule, RunOptions, Tools};
use piton_core::Clock as _;
use piton_models::Scripted;
use serde_json::{Value, json};

use crate::flow::probe::Probe;
use crate::flow::site::{clock, finish, run, runner_with, state, value};

/// Counts how often each phase ran; the work fails until its last attempt.
fn counted(counts: &Arc<[AtomicU32; 3]>, fails: u32) -> Probe {
    let [prep, exec, post] = [0, 1, 2].map(|_| Arc::clone(counts));
    Probe::new()
        .prep(move |_| {
            prep[0].fetch_add(1, Ordering::Relaxed);
            Box::pin(std::future::ready(Ok(json!("prepared"))))
        })
        .exec(move |prepared, attempt| {
            exec[1].fetch_add(1, Ordering::Relaxed);
            assert_eq!(*prepared, json!("prepared"));
            let outcome = if attempt.attempt() <= fails {
                Err(NodeError::new("not yet"))
            } else {
                Ok(json!(attempt.attempt()))
            };
            Box::pin(std::future::ready(outcome))
        })
        .post(move |context, result| {
            post[2].fetch_add(1, Ordering::Relaxed);
            Box::pin(async move {
                context.pack("result", &result).await?;
                Ok(Action::Default)
            })
        })
}

fn numbers(counts: &[AtomicU32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|index| counts[index].load(Ordering::Relaxed))
}

fn retried(attempts: u32, wait_ms: u64) -> NodeSettings {
    NodeSettings { retry: RetryRule { attempts, wait_ms }, ..NodeSettings::default() }
}

// shows: BP-070
#[tokio::test]
async fn only_the_work_is_tried_again_and_each_other_phase_runs_once() {
    let counts = Arc::new([0, 0, 0].map(AtomicU32::new));
    let mut flow = Flow::new();
    flow.add_with("work", counted(&counts, 2), retried(3, 250)).unwrap();
    let (state, clock) = (state(&[]), clock());
    let runner = runner_with(Arc::new(Scripted::default()), Tools::new(), clock.clone());
    let report = runner.run(&flow, &state, RunOptions::default()).await;
    assert_eq!(report.outcome.unwrap(), Action::Default);
    assert_eq!(numbers(&counts), [1, 3, 1]);
    assert_eq!(value(&state, "result"), json!(3));
    assert_eq!(clock.monotonic(), Duration::from_millis(500), "it waits between attempts only");
}

// shows in part: BP-070 (the part about a fallback)
#[tokio::test]
async fn a_fallback_stands_for_the_result_after_the_last_attempt() {
    let counts = Arc::new([0, 0, 0].map(AtomicU32::new));
    let node = counted(&counts, 9).fallback(|error| Ok(json!(format!("instead of {error}"))));
    let mut flow = Flow::new();
    flow.add_with("work", node, retried(2, 0)).unwrap();
    let state = state(&[]);
    finish(&flow, &state).await;
    assert_eq!(value(&state, "result"), json!("instead of not yet"));
    assert_eq!(numbers(&counts), [1, 2, 1]);
}

#[tokio::test]
async fn without_a_fallback_the_last_failure_ends_the_flow() {
    let counts = Arc::new([0, 0, 0].map(AtomicU32::new));
    let mut flow = Flow::new();
    flow.add_with("work", counted(&counts, 9), retried(2, 0)).unwrap();
    let error = run(&flow, &state(&[])).await.outcome.unwrap_err();
    assert_eq!(error.to_string(), "node `work` failed in exec: not yet");
    assert_eq!(numbers(&counts), [1, 2, 0]);
}

// shows in part: BP-055 (the part about failed exec attempts)
#[tokio::test]
async fn failed_attempts_lie_in_quarantine_with_their_number_and_error() {
    let counts = Arc::new([0, 0, 0].map(AtomicU32::new));
    let mut flow = Flow::new();
    flow.add_with("work", counted(&counts, 2), retried(3, 0)).unwrap();
    let state = state(&[]);
    finish(&flow, &state).await;
    let entries = state.backpack().debug().quarantined();
    let kept: Vec<(String, Value)> = entries
        .iter()
        .map(|entry| (entry.key().to_string(), entry.value().unwrap().unwrap()))
        .collect();
    let failed = |attempt| json!({ "attempt": attempt, "code": null, "error": "not yet" });
    let expected = [("work.attempt_1", failed(1)), ("work.attempt_2", failed(2))];
    assert_eq!(kept, expected.map(|(key, value)| (key.to_owned(), value)));
    assert!(entries.iter().all(|entry| entry.by().id.as_str() == "work"));
    let keys: Vec<String> =
        state.backpack().debug().keys().iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["flow.run", "result"], "nothing of it is in use");
}

#[tokio::test]
async fn an_impossible_rule_is_refused() {
    for (attempts, wait_ms) in [(0, 0), (101, 0), (1, 600_001)] {
        let error =
            Flow::new().add_with("a", Probe::new(), retried(attempts, wait_ms)).unwrap_err();
        assert!(error.to_string().contains("retry."), "{error}");
    }
}
