//! Runs that go on after their process died.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use piton_backpack::flow::{
    Action, EventFilter, EventKind, Flow, FlowState, Phase, RunOptions, RunRecord, RunStatus,
};
use piton_backpack::journal::{Holder, JournalPorts, JournaledBackpack, Mode};
use piton_backpack::{
    AccessControl, Action as Done, BackpackPorts, NodeId, NodeIdentity, Options, PackOptions,
};
use piton_core::Code;
use piton_core::port::NoTrace;
use piton_store::local::{
    DataDir, LocalBlobs, LocalLeases, LogJournal, SystemClock, SystemEntropy,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::flow::probe::Probe;
use crate::flow::site::{heard, runner, value};

/// A state in a data directory, as a new process finds it.
pub(crate) async fn open(root: &Path) -> FlowState {
    FlowState::journaled(journaled(root).await).unwrap()
}

/// Where backpacks are kept in a data directory.
pub(crate) fn ports(root: &Path) -> JournalPorts {
    let dir = DataDir::open(root).unwrap();
    let blobs = LocalBlobs::new(dir.clone());
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
    let journal = LogJournal::backpacks(dir, blobs.clone(), leases, Arc::new(NoTrace));
    let ports = BackpackPorts { clock: Arc::new(SystemClock), entropy: Arc::new(SystemEntropy) };
    JournalPorts { journal: Arc::new(journal), blobs: Arc::new(blobs), ports }
}

async fn journaled(root: &Path) -> JournaledBackpack {
    let (ports, id) = (ports(root), "pack_run".parse().unwrap());
    loop {
        let (ports, holder) = (ports.clone(), Holder::new("a test").unwrap());
        let opened = JournaledBackpack::open(&id, holder, Mode::Durable, Options::default(), ports);
        match opened.await {
            // A write of the run before ends on its own, and the lease with it.
            Err(piton_backpack::Error::Locked { .. }) => tokio::task::yield_now().await,
            opened => return opened.unwrap().backpack,
        }
    }
}

/// Where the process dies: in which visit of a run, counted from 1, and in which phase of it.
#[derive(Default)]
pub(crate) struct Trap {
    at: Option<(usize, Phase)>,
    visits: AtomicUsize,
    pub(crate) began: Mutex<Vec<&'static str>>,
    sprung: Notify,
}

impl Trap {
    /// Goes on for ever if this is where the process dies.
    async fn pass(&self, phase: Phase) {
        if self.at == Some((self.visits.load(Ordering::SeqCst), phase)) {
            self.sprung.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

/// A node that writes its name at the end of a trail, in two halves, and may die in between.
fn walker(trap: &Arc<Trap>, name: &'static str) -> Probe {
    let [prep, exec, post] = [0, 1, 2].map(|_| Arc::clone(trap));
    Probe::new()
        .prep(move |context| {
            let trap = Arc::clone(&prep);
            trap.visits.fetch_add(1, Ordering::SeqCst);
            trap.began.lock().unwrap().push(name);
            Box::pin(async move {
                let trail: Vec<String> = context.unpack("trail").await?.unwrap_or_default();
                trap.pass(Phase::Prep).await;
                Ok(json!(trail))
            })
        })
        .exec(move |prepared, _| {
            let trap = Arc::clone(&exec);
            Box::pin(async move {
                trap.pass(Phase::Exec).await;
                let mut trail = prepared.as_array().unwrap().clone();
                trail.push(json!(name));
                Ok(Value::from(trail))
            })
        })
        .post(move |context, trail| {
            let trap = Arc::clone(&post);
            Box::pin(async move {
                context.pack("half", &name).await?;
                context.pack(&format!("left-by-{name}"), &1).await?;
                context.delete("gone").await?;
                trap.pass(Phase::Post).await;
                context.pack("trail", &trail).await?;
                let again = name == "d" && trail.as_array().unwrap().len() < 5;
                Ok(if again { Action::named("again") } else { Action::Default })
            })
        })
}

/// `a`, then `b` and `c` inside another flow, then `d` twice, then `e`.
pub(crate) fn flow(trap: &Arc<Trap>) -> Flow {
    let mut inner = Flow::new();
    let inside = ["b", "c"].map(|name| inner.add(name, walker(trap, name)).unwrap());
    inner.next(inside[0], inside[1]).unwrap();
    let mut flow = Flow::within("walk").unwrap();
    let first = flow.add("a", walker(trap, "a")).unwrap();
    let inner = flow.add("inner", inner).unwrap();
    let [twice, last] = ["d", "e"].map(|name| flow.add(name, walker(trap, name)).unwrap());
    flow.next(first, inner).unwrap();
    flow.next(inner, twice).unwrap();
    flow.on(twice, "again", twice).unwrap();
    flow.next(twice, last).unwrap();
    flow
}

pub(crate) const TRAIL: [&str; 6] = ["a", "b", "c", "d", "d", "e"];

// shows: BP-102
#[tokio::test]
async fn a_run_goes_on_after_the_last_node_that_finished_wherever_it_died() {
    for visit in 1..=TRAIL.len() {
        for phase in [Phase::Prep, Phase::Exec, Phase::Post] {
            let directory = tempfile::tempdir().unwrap();
            let first = Arc::new(Trap { at: Some((visit, phase)), ..Trap::default() });
            {
                let (state, runner) = (open(directory.path()).await, runner());
                let flow = flow(&first);
                tokio::select! {
                    report = runner.run(&flow, &state, RunOptions::default()) => panic!("{report:?}"),
                    () = first.sprung.notified() => {}
                }
            }
            let began = first.began.lock().unwrap().clone();
            assert_eq!(began, TRAIL[..visit], "each node before it ran once");
            let second = Arc::new(Trap::default());
            let state = open(directory.path()).await;
            let report =
                runner().resume(&flow(&second), &state, RunOptions::default()).await.unwrap();
            assert_eq!(report.outcome.unwrap(), Action::Default, "{visit} {phase}");
            let began = second.began.lock().unwrap().clone();
            assert_eq!(began, TRAIL[visit - 1..], "{visit} {phase}: the one that died runs again");
            assert_eq!(value(&state, "trail"), json!(TRAIL));
            check_abandoned(&state, visit, phase);
        }
    }
}

/// What the node that died has done is in the history, marked, and was taken back before it ran again.
fn check_abandoned(state: &FlowState, visit: usize, phase: Phase) {
    let record = RunRecord::of(state.backpack()).unwrap().unwrap();
    assert_eq!(record.status, RunStatus::Done);
    let debug = state.backpack().debug();
    let abandoned = debug.abandoned();
    let wrote = abandoned.iter().filter(|commit| commit.action() == Done::Pack).count();
    assert_eq!(wrote, if phase == Phase::Post { 2 } else { 0 }, "{visit} {phase}");
    if phase == Phase::Post {
        let range = &record.abandoned[0];
        let within = |id| range.first <= id && id <= range.last;
        assert!(abandoned.iter().all(|commit| within(commit.id())));
        let versions: Vec<u64> = debug
            .key_history(&format!("left-by-{}", TRAIL[visit - 1]))
            .unwrap()
            .iter()
            .map(|commit| commit.value().unwrap().version())
            .collect();
        assert!(versions.len() >= 2, "both are in the history: {versions:?}");
    }
}

#[tokio::test]
async fn a_run_may_die_again_and_again() {
    let directory = tempfile::tempdir().unwrap();
    let mut began = Vec::new();
    for death in 1..=3 {
        let trap = Arc::new(Trap { at: Some((2, Phase::Post)), ..Trap::default() });
        let state = open(directory.path()).await;
        let (runner, flow) = (runner(), flow(&trap));
        tokio::select! {
            () = async {
                if death == 1 {
                    runner.run(&flow, &state, RunOptions::default()).await;
                } else {
                    runner.resume(&flow, &state, RunOptions::default()).await.unwrap();
                }
            } => panic!("it dies"),
            () = trap.sprung.notified() => {}
        }
        began.extend(trap.began.lock().unwrap().iter().copied());
    }
    assert_eq!(began, ["a", "b", "b", "c", "c", "d"]);
    let trap = Arc::new(Trap::default());
    let state = open(directory.path()).await;
    let runner = runner();
    let mut events = runner.subscribe(EventFilter::default());
    let report = runner.resume(&flow(&trap), &state, RunOptions::default()).await.unwrap();
    report.outcome.unwrap();
    assert_eq!(value(&state, "trail"), json!(TRAIL));
    assert_eq!(heard(&mut events)[0].kind, EventKind::RunStart { resumed: true });
    let record = RunRecord::of(state.backpack()).unwrap().unwrap();
    assert_eq!((record.run, record.abandoned.len()), (report.run, 3));
}

// shows in part: BP-102 (the part about a node that failed)
#[tokio::test]
async fn a_run_that_failed_goes_on_with_the_node_that_failed() {
    let directory = tempfile::tempdir().unwrap();
    let failing = |fails: bool| {
        let mut flow = Flow::new();
        let first = flow.add("first", Probe::counting("first")).unwrap();
        let node = Probe::new().post(move |context, _| {
            Box::pin(async move {
                context.pack("half", &1).await?;
                if fails {
                    Err(piton_backpack::flow::NodeError::new("no"))
                } else {
                    Ok(Action::Default)
                }
            })
        });
        let second = flow.add("second", node).unwrap();
        flow.next(first, second).unwrap();
        flow
    };
    let state = open(directory.path()).await;
    let report = runner().run(&failing(true), &state, RunOptions::default()).await;
    assert_eq!(report.status(), RunStatus::Failed);
    assert_eq!(value(&state, "half"), json!(1), "the state is kept for whoever looks");
    let again = runner().resume(&failing(false), &state, RunOptions::default()).await.unwrap();
    assert_eq!((again.status(), again.run), (RunStatus::Done, report.run));
    assert_eq!(value(&state, "first"), json!(1), "it did not run again");
}

/// Packs in the name of somebody, as another process does between two runs.
fn pack_as(state: &FlowState, name: &str, key: &str, value: &impl serde::Serialize) {
    let identity = NodeIdentity::new(name, name).unwrap();
    let only = AccessControl::only([NodeId::parse(name).unwrap()]);
    let is_own = key == "flow.run";
    let options = if is_own { PackOptions::new().limited(only) } else { PackOptions::new() };
    let scope = state.backpack().scope(identity, None).unwrap();
    let _ = scope.pack_with(key, value, &options).unwrap();
}

#[tokio::test]
async fn what_others_packed_after_a_run_was_killed_stands() {
    let directory = tempfile::tempdir().unwrap();
    let first = Arc::new(Trap { at: Some((2, Phase::Post)), ..Trap::default() });
    {
        let (state, runner, flow) = (open(directory.path()).await, runner(), flow(&first));
        tokio::select! {
            report = runner.run(&flow, &state, RunOptions::default()) => panic!("{report:?}"),
            () = first.sprung.notified() => {}
        }
    }
    let state = open(directory.path()).await;
    pack_as(&state, "claude", "advice", &"mind the gap");
    pack_as(&state, "claude", "left-by-b", &"not you");
    let trap = Arc::new(Trap { at: Some((1, Phase::Prep)), ..Trap::default() });
    let (runner, flow) = (runner(), flow(&trap));
    tokio::select! {
        report = runner.resume(&flow, &state, RunOptions::default()) => panic!("{report:?}"),
        () = trap.sprung.notified() => {}
    }
    assert_eq!(value(&state, "advice"), json!("mind the gap"));
    assert_eq!(value(&state, "left-by-b"), json!("not you"));
    assert_eq!(value(&state, "half"), json!("a"), "what the node left is taken back");
}

#[tokio::test]
async fn a_run_ended_where_its_first_record_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let state = open(directory.path()).await;
    let failing = |fails: bool| {
        let mut flow = Flow::new();
        let node = Probe::new().post(move |context, _| {
            Box::pin(async move {
                context.pack("half", &1).await?;
                if fails {
                    Err(piton_backpack::flow::NodeError::new("no"))
                } else {
                    Ok(Action::Default)
                }
            })
        });
        flow.add("only", node).unwrap();
        flow
    };
    runner().run(&failing(true), &state, RunOptions::default()).await.outcome.unwrap_err();
    // An agent may be called as the node is.
    pack_as(&state, "only", "advice", &"mind the gap");
    let record = RunRecord::of(state.backpack()).unwrap().unwrap();
    pack_as(&state, "flow", "flow.run", &record);
    runner().resume(&failing(false), &state, RunOptions::default()).await.unwrap().outcome.unwrap();
    assert_eq!(value(&state, "advice"), json!("mind the gap"));
}

#[tokio::test]
async fn what_cannot_be_resumed_is_refused_with_the_reason() {
    let directory = tempfile::tempdir().unwrap();
    let state = open(directory.path()).await;
    let one = |id: &str| {
        let mut flow = Flow::new();
        flow.add(id, Probe::new()).unwrap();
        flow
    };
    let reason = async |flow: &Flow| {
        let error = runner().resume(flow, &state, RunOptions::default()).await.unwrap_err();
        assert_eq!(error.code(), Code::FlowNotResumable);
        error.to_string()
    };
    assert!(reason(&one("a")).await.contains("no flow has run"));
    let stopped = RunOptions { steps_max: 0, ..RunOptions::default() };
    runner().run(&one("a"), &state, stopped).await.outcome.unwrap_err();
    assert!(reason(&one("b")).await.contains("not the one that the run began with"));
    runner().resume(&one("a"), &state, RunOptions::default()).await.unwrap().outcome.unwrap();
    assert!(reason(&one("a")).await.contains("came to its end"));
}
