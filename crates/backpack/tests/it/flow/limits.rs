//! Runs that would not end.

use piton_backpack::flow::{Cancel, Flow, RunOptions, RunRecord, RunStatus};
use piton_core::Code;
use serde_json::json;

use crate::flow::probe::Probe;
use crate::flow::site::{runner, state, value};

fn endless() -> Flow {
    let mut flow = Flow::new();
    let a = flow.add("a", Probe::counting("count")).unwrap();
    flow.next(a, a).unwrap();
    flow
}

// shows: BP-080 (with cancelling_stops_a_run_between_nodes_and_inside_one)
#[tokio::test]
async fn a_step_limit_stops_a_loop_and_keeps_the_state() {
    let state = state(&[]);
    let options = RunOptions { steps_max: 50, ..RunOptions::default() };
    let report = runner().run(&endless(), &state, options).await;
    let error = report.outcome.unwrap_err();
    assert_eq!(error.code(), Code::FlowStepLimit);
    assert_eq!(error.to_string(), "the run reached its limit of 50 nodes; the next would be `a`");
    assert_eq!((report.steps, value(&state, "count")), (50, json!(50)));
}

// shows in part: BP-080 (the part about cancellation)
#[tokio::test]
async fn cancelling_stops_a_run_between_nodes_and_inside_one() {
    for waits in [false, true] {
        let cancel = Cancel::new();
        let asked = cancel.clone();
        let counting = Probe::counting("count").exec(move |_, _| {
            let asked = asked.clone();
            Box::pin(async move {
                asked.cancel();
                if waits {
                    std::future::pending::<()>().await;
                }
                Ok(json!(null))
            })
        });
        let mut flow = Flow::new();
        let a = flow.add("a", counting).unwrap();
        flow.next(a, a).unwrap();
        let state = state(&[("kept", json!(1))]);
        let options = RunOptions { cancel, ..RunOptions::default() };
        let report = runner().run(&flow, &state, options).await;
        assert_eq!((report.status(), report.steps), (RunStatus::Cancelled, 1));
        assert_eq!(report.outcome.unwrap_err().code(), Code::FlowCancelled);
        assert_eq!(value(&state, "kept"), json!(1));
        assert_eq!(value(&state, "count").is_null(), waits, "what was packed before stays");
        let record = RunRecord::of(state.backpack()).unwrap().unwrap();
        assert_eq!(record.status, RunStatus::Cancelled);
    }
}

#[tokio::test]
async fn a_run_that_is_cancelled_before_it_starts_visits_nothing() {
    let cancel = Cancel::new();
    cancel.cancel();
    let state = state(&[]);
    let options = RunOptions { cancel, ..RunOptions::default() };
    let report = runner().run(&endless(), &state, options).await;
    assert_eq!((report.status(), report.steps), (RunStatus::Cancelled, 0));
    assert!(value(&state, "count").is_null());
}

#[tokio::test]
async fn steps_inside_inner_flows_count() {
    let mut flow = Flow::new();
    flow.add("inner", endless()).unwrap();
    let options = RunOptions { steps_max: 10, ..RunOptions::default() };
    let report = runner().run(&flow, &state(&[]), options).await;
    assert_eq!(report.outcome.unwrap_err().node(), Some("inner/a"));
    assert_eq!(report.steps, 10);
}

#[tokio::test]
async fn an_empty_flow_is_refused() {
    let report = runner().run(&Flow::new(), &state(&[]), RunOptions::default()).await;
    assert_eq!(report.outcome.unwrap_err().code(), Code::FlowInvalid);
}
