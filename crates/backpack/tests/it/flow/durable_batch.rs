//! Batches that are resumed: what was done of them is not done again, and leaves the state of one uninterrupted run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use piton_backpack::flow::{
    Action, EventFilter, EventName, Flow, FlowState, NodeBody, NodeContext, NodeError,
    NodeSettings, Phase, RunOptions, RunStatus, Shape,
};
use piton_backpack::{PackOptions, Permissions};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::flow::probe::Probe;
use crate::flow::resume::open;
use crate::flow::site::{heard, runner, value, visited};

/// Where the process dies: in which visit of the run, counted from 1, and in which phase of it.
#[derive(Default)]
struct Death {
    at: Option<(usize, Phase)>,
    visits: AtomicUsize,
    /// What was executed, and how often.
    executed: Mutex<BTreeMap<String, usize>>,
    reached: Notify,
}

impl Death {
    fn in_visit(visit: usize, phase: Phase) -> Arc<Self> {
        Arc::new(Self { at: Some((visit, phase)), ..Self::default() })
    }

    /// Waits for ever if this is where the process dies.
    async fn pass(&self, visit: usize, phase: Phase) {
        tokio::task::yield_now().await;
        if self.at == Some((visit, phase)) {
            self.reached.notify_one();
            std::future::pending::<()>().await;
        }
    }

    fn executes(&self, what: &str) {
        *self.executed.lock().unwrap().entry(what.to_owned()).or_default() += 1;
    }

    fn executed(&self) -> BTreeMap<String, usize> {
        self.executed.lock().unwrap().clone()
    }
}

/// The name of a pass: the parameters of all batches around it.
fn name_of(params: &serde_json::Map<String, Value>) -> String {
    let named = ["outer", "inner"].iter().filter_map(|name| params.get(*name));
    named.map(|value| format!("-{value}")).collect::<Vec<_>>().concat()
}

async fn add_one(context: &NodeContext, key: &str) -> Result<(), NodeError> {
    let count: u64 = context.unpack(key).await?.unwrap_or(0);
    context.pack(key, &(count + 1)).await
}

/// A node that counts in its pass and in all passes, appends to the trail of its pass, and may die in any phase.
fn worker(death: &Arc<Death>, node: &'static str) -> Probe {
    let [prep, exec, post] = [0, 1, 2].map(|_| Arc::clone(death));
    Probe::new()
        .prep(move |context| {
            let death = Arc::clone(&prep);
            let visit = death.visits.fetch_add(1, Ordering::SeqCst) + 1;
            death.executes(&format!("{node}{}", name_of(context.params())));
            Box::pin(async move {
                death.pass(visit, Phase::Prep).await;
                Ok(json!(visit))
            })
        })
        .exec(move |visit, _| {
            let (death, visit) = (Arc::clone(&exec), visit.as_u64().unwrap());
            Box::pin(async move {
                death.pass(usize::try_from(visit).unwrap(), Phase::Exec).await;
                Ok(json!(visit))
            })
        })
        .post(move |context, visit| {
            let death = Arc::clone(&post);
            Box::pin(async move {
                let pass = name_of(context.params());
                add_one(context, &format!("half{pass}")).await?;
                context.pack(&format!("left-by-{node}{pass}"), &1).await?;
                context.delete(&format!("removed-by-{node}{pass}")).await?;
                death.pass(usize::try_from(visit.as_u64().unwrap()).unwrap(), Phase::Post).await;
                let trail = format!("trail{pass}");
                let mut nodes: Vec<String> = context.unpack(&trail).await?.unwrap_or_default();
                nodes.push(node.to_owned());
                context.pack(&trail, &nodes).await?;
                Ok(Action::Default)
            })
        })
}

/// Prepares two entries that differ by what is prepared again, and counts how often that happens.
fn entries(name: &'static str) -> Probe {
    padded(name, 0)
}

/// The same, with so many bytes more in each.
fn padded(name: &'static str, bytes: usize) -> Probe {
    Probe::new()
        .prep(move |context| {
            Box::pin(async move {
                let key = format!("prepared{}", name_of(context.params()));
                add_one(context, &key).await?;
                let times: u64 = context.unpack(&key).await?.unwrap();
                let entry = |number: u64| json!({ name: number, "times": times, "padding": "x".repeat(bytes) });
                Ok(json!([entry(1), entry(2)]))
            })
        })
        .post(move |context, actions| {
            Box::pin(async move {
                let pass = name_of(context.params());
                context.pack(&format!("actions{pass}"), &actions).await?;
                Ok(Action::Default)
            })
        })
}

/// `first`, then twice (`a`, twice `b`, `c`), then `last`: ten visits.
fn nested(death: &Arc<Death>, parallel: bool) -> Flow {
    nested_with(death, parallel, entries("inner"))
}

fn nested_with(death: &Arc<Death>, parallel: bool, inner_entries: Probe) -> Flow {
    let batch = |items: Probe, flow: Flow| NodeBody::Batch {
        items: Arc::new(items),
        flow: Arc::new(flow),
        parallel,
    };
    let mut inner = Flow::new();
    inner.add("b", worker(death, "b")).unwrap();
    let mut outer = Flow::new();
    let a = outer.add("a", worker(death, "a")).unwrap();
    let each = outer.add("each", batch(inner_entries, inner)).unwrap();
    let c = outer.add("c", worker(death, "c")).unwrap();
    outer.next(a, each).unwrap();
    outer.next(each, c).unwrap();
    let mut flow = Flow::within("walk").unwrap();
    let first = flow.add("first", worker(death, "first")).unwrap();
    let all = flow.add("all", batch(entries("outer"), outer)).unwrap();
    let last = flow.add("last", worker(death, "last")).unwrap();
    flow.next(first, all).unwrap();
    flow.next(all, last).unwrap();
    flow
}

const VISITS: usize = 10;

/// Everything that nodes packed, without versions.
fn packed(state: &FlowState) -> BTreeMap<String, Value> {
    let items = state.backpack().debug().items();
    let packed =
        items.iter().filter(|item| item.source().id.as_str() != piton_backpack::flow::run::RUNNER);
    packed.map(|item| (item.key().to_string(), item.value().unwrap())).collect()
}

async fn seeded(root: &std::path::Path) -> FlowState {
    let state = open(root).await;
    let scope = state.backpack().scope(piton_backpack::NodeIdentity::system(), None).unwrap();
    for node in ["first", "a-1", "a-2", "b-1-1", "b-1-2", "b-2-1", "b-2-2", "c-1", "c-2", "last"] {
        let _ = scope.pack(&format!("removed-by-{node}"), &1).unwrap();
    }
    state
}

/// Runs until the process dies; gives how many nodes were heard to end.
async fn die(flow: &Flow, state: &FlowState, death: &Death, is_resumed: bool) -> usize {
    let runner = runner();
    let mut events = runner.subscribe(EventFilter::default());
    let running = async {
        if is_resumed {
            runner.resume(flow, state, RunOptions::default()).await.unwrap()
        } else {
            runner.run(flow, state, RunOptions::default()).await
        }
    };
    tokio::select! {
        report = running => panic!("{report:?}"),
        () = death.reached.notified() => {}
    }
    let ended =
        |event: &&Arc<piton_backpack::flow::RunEvent>| event.kind.name() == EventName::NodeEnd;
    heard(&mut events).iter().filter(ended).count()
}

// shows in part: BP-102 (the part about passes of a batch of flows, inside each other too)
#[tokio::test]
async fn passes_of_batches_that_ended_are_not_run_again_wherever_the_process_died() {
    for parallel in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let state = seeded(directory.path()).await;
        let whole = Arc::new(Death::default());
        let report = runner().run(&nested(&whole, parallel), &state, RunOptions::default()).await;
        report.outcome.unwrap();
        let wanted = packed(&state);
        assert_eq!(wanted["trail-2"], json!(["a", "c"]));
        assert_eq!(wanted["prepared-1"], json!(1));
        assert!(!wanted.contains_key("removed-by-b-2-1"));
        for visit in 1..=VISITS {
            for phase in [Phase::Prep, Phase::Post] {
                let at = format!("{visit} {phase} {parallel}");
                let directory = tempfile::tempdir().unwrap();
                let first = Death::in_visit(visit, phase);
                let ended = {
                    let state = seeded(directory.path()).await;
                    die(&nested(&first, parallel), &state, &first, false).await
                };
                // It dies once more, as soon as it is resumed.
                let second = Death::in_visit(1, phase);
                let ended = {
                    let state = open(directory.path()).await;
                    ended + die(&nested(&second, parallel), &state, &second, true).await
                };
                let third = Arc::new(Death::default());
                let state = open(directory.path()).await;
                let runner = runner();
                let mut events = runner.subscribe(EventFilter::default());
                let flow = nested(&third, parallel);
                let report = runner.resume(&flow, &state, RunOptions::default()).await.unwrap();
                report.outcome.unwrap();
                assert_eq!(packed(&state), wanted, "{at}");
                let again = visited(&heard(&mut events));
                // Of those that were heard to end, three may have been batches.
                let left = VISITS + 3 - ended;
                let batches = again.iter().filter(|id| ["all", "all/each"].contains(&id.as_str()));
                let nodes = again.len() - batches.count();
                assert!(nodes <= left, "{at}: {again:?} ran again, and {ended} had ended");
                if !parallel {
                    let began: usize = third.executed().values().sum();
                    assert_eq!(began, VISITS + 1 - visit, "{at}: {:?}", third.executed());
                }
                for commit in state.backpack().debug().abandoned() {
                    let history = state.backpack().debug().key_history(commit.key().as_str());
                    let is_last = history.unwrap().last().map(piton_backpack::Commit::id);
                    assert_ne!(is_last, Some(commit.id()), "{at}: what stands is not abandoned");
                }
            }
        }
    }
}

// shows in part: BP-102 (the part about a batch inside a pass that cannot be noted)
#[tokio::test]
async fn what_a_batch_too_large_to_note_has_changed_stands_once_it_finished() {
    const PADDING: usize = 90_000;
    for parallel in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let state = seeded(directory.path()).await;
        let flow = |death: &Arc<Death>| nested_with(death, parallel, padded("inner", PADDING));
        let whole = Arc::new(Death::default());
        runner().run(&flow(&whole), &state, RunOptions::default()).await.outcome.unwrap();
        let wanted = packed(&state);
        for visit in 1..=VISITS {
            let directory = tempfile::tempdir().unwrap();
            let first = Death::in_visit(visit, Phase::Post);
            {
                let state = seeded(directory.path()).await;
                die(&flow(&first), &state, &first, false).await;
            }
            let state = open(directory.path()).await;
            let flow = flow(&Arc::new(Death::default()));
            let report = runner().resume(&flow, &state, RunOptions::default()).await.unwrap();
            report.outcome.unwrap();
            assert_eq!(packed(&state), wanted, "{visit} {parallel}");
        }
    }
}

/// Batches whose entries are what a key holds.
fn listed(items: Probe, settings: NodeSettings) -> Flow {
    let mut inner = Flow::new();
    let work = Probe::new().post(|context, _| {
        Box::pin(async move {
            add_one(context, &format!("worked-{}", context.params()["number"])).await?;
            Ok(Action::Default)
        })
    });
    inner.add("work", work).unwrap();
    let mut flow = Flow::new();
    let items = items.prep(|context| Box::pin(context.unpack_required("list")));
    let batch = NodeBody::Batch { items: Arc::new(items), flow: Arc::new(inner), parallel: false };
    flow.add_with("each", batch, settings).unwrap();
    flow
}

#[tokio::test]
async fn a_batch_with_a_bad_entry_is_prepared_again_when_it_is_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let state = open(directory.path()).await;
    let person = state.backpack().scope(piton_backpack::NodeIdentity::system(), None).unwrap();
    let _ = person.pack("list", &json!([{ "number": 1 }, 2])).unwrap();
    let flow = listed(Probe::new(), NodeSettings::default());
    let error = runner().run(&flow, &state, RunOptions::default()).await.outcome.unwrap_err();
    assert!(error.to_string().contains("entry 1 of the batch is not an object"), "{error}");
    let _ = person.pack("list", &json!([{ "number": 1 }, { "number": 2 }])).unwrap();
    let report = runner().resume(&flow, &state, RunOptions::default()).await.unwrap();
    report.outcome.unwrap();
    assert_eq!([value(&state, "worked-1"), value(&state, "worked-2")], [json!(1), json!(1)]);
}

// shows in part: BP-044 (the part about errors of a batch that is resumed)
#[tokio::test]
async fn entries_that_were_kept_are_in_no_error_of_the_batch_that_is_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let state = open(directory.path()).await;
    let system = state.backpack().scope(piton_backpack::NodeIdentity::system(), None).unwrap();
    let tagged = PackOptions::new().tagged(["pii"]).unwrap();
    let list = json!([{ "number": 1, "to": "ada@canary.example" }]);
    let _ = system.pack_with("list", &list, &tagged).unwrap();
    let telling = Probe::new().post(|_, _| {
        let error = NodeError::new("no mail to ada@canary.example");
        Box::pin(std::future::ready(Err(error)))
    });
    let permissions = Permissions::none().reading(["list", "worked-1"]).unwrap();
    let permissions = Some(permissions.writing(["worked-1"]).unwrap());
    let flow = listed(telling, NodeSettings { permissions, ..NodeSettings::default() });
    let first = runner().run(&flow, &state, RunOptions::default()).await.outcome.unwrap_err();
    let again = runner().resume(&flow, &state, RunOptions::default()).await.unwrap();
    for error in [first, again.outcome.unwrap_err()] {
        let words = "node `each` failed in post: no mail to [protected]";
        assert_eq!(error.to_string(), words);
    }
}

/// Four passes that count; the third fails as long as it is told to, after it has counted.
fn counting(is_failing: &Arc<AtomicBool>, ran: &Arc<Death>, parallel: bool) -> Flow {
    let (is_failing, ran) = (Arc::clone(is_failing), Arc::clone(ran));
    let work = Probe::new().post(move |context, _| {
        let (is_failing, ran) = (Arc::clone(&is_failing), Arc::clone(&ran));
        Box::pin(async move {
            let number = context.params()["number"].clone();
            ran.executes(&number.to_string());
            add_one(context, &format!("count-{number}")).await?;
            add_one(context, "all").await?;
            tokio::task::yield_now().await;
            if number == 3 && is_failing.load(Ordering::SeqCst) {
                return Err(NodeError::new("poisoned"));
            }
            Ok(Action::Default)
        })
    });
    let mut inner = Flow::new();
    inner.add("work", work).unwrap();
    let numbers: Vec<Value> = (1..=4).map(|number| json!({ "number": number })).collect();
    let items = Probe::new().prep(move |_| {
        let numbers = numbers.clone();
        Box::pin(std::future::ready(Ok(Value::from(numbers))))
    });
    let mut flow = Flow::new();
    flow.add("each", NodeBody::Batch { items: Arc::new(items), flow: Arc::new(inner), parallel })
        .unwrap();
    flow
}

// shows in part: BP-102 (the part about a pass that failed)
#[tokio::test]
async fn only_a_pass_that_failed_runs_again_and_what_it_changed_is_taken_back() {
    for (parallel, again) in [(false, vec!["3", "4"]), (true, vec!["3"])] {
        let directory = tempfile::tempdir().unwrap();
        let state = open(directory.path()).await;
        let (is_failing, first) = (Arc::new(AtomicBool::new(true)), Arc::new(Death::default()));
        let flow = counting(&is_failing, &first, parallel);
        let report = runner().run(&flow, &state, RunOptions::default()).await;
        assert_eq!(report.status(), RunStatus::Failed);
        assert_eq!(value(&state, "count-3"), json!(1), "the state is kept for whoever looks");
        // Somebody corrects something before it goes on.
        let person = state.backpack().scope(piton_backpack::NodeIdentity::system(), None).unwrap();
        let _ = person.pack("corrected", &true).unwrap();
        is_failing.store(false, Ordering::SeqCst);
        let second = Arc::new(Death::default());
        let flow = counting(&is_failing, &second, parallel);
        let report = runner().resume(&flow, &state, RunOptions::default()).await.unwrap();
        report.outcome.unwrap();
        let ran: Vec<String> = second.executed().into_keys().collect();
        assert_eq!(ran, again, "{parallel}");
        for number in 1..=4 {
            assert_eq!(value(&state, &format!("count-{number}")), json!(1), "{parallel}");
        }
        if !parallel {
            assert_eq!(value(&state, "all"), json!(4));
        }
        assert_eq!(value(&state, "corrected"), json!(true));
    }
}

/// A pass whose only node is a batch of three, which dies in the third.
fn batch_in_a_pass(death: &Arc<Death>) -> Flow {
    let death = Arc::clone(death);
    let node = Probe::new()
        .shape(Shape::Batch)
        .prep(|_| Box::pin(std::future::ready(Ok(json!([1, 2, 3])))))
        .exec(move |entry, exec| {
            let (death, what) = (Arc::clone(&death), format!("{entry}{}", name_of(exec.params())));
            death.executes(&what);
            let visit = death.visits.fetch_add(1, Ordering::SeqCst) + 1;
            let entry = entry.clone();
            Box::pin(async move {
                death.pass(visit, Phase::Exec).await;
                Ok(entry)
            })
        })
        .post(|context, result| {
            Box::pin(async move {
                context.pack(&format!("results{}", name_of(context.params())), &result).await?;
                Ok(Action::Default)
            })
        });
    let mut inner = Flow::new();
    inner.add("work", node).unwrap();
    let mut flow = Flow::new();
    let items = Arc::new(entries("outer"));
    flow.add("each", NodeBody::Batch { items, flow: Arc::new(inner), parallel: false }).unwrap();
    flow
}

#[tokio::test]
async fn entries_of_a_batch_inside_a_pass_are_executed_once() {
    let directory = tempfile::tempdir().unwrap();
    let first = Death::in_visit(6, Phase::Exec);
    {
        let state = open(directory.path()).await;
        die(&batch_in_a_pass(&first), &state, &first, false).await;
    }
    let second = Arc::new(Death::default());
    let state = open(directory.path()).await;
    let flow = batch_in_a_pass(&second);
    let report = runner().resume(&flow, &state, RunOptions::default()).await.unwrap();
    report.outcome.unwrap();
    assert_eq!(second.executed(), BTreeMap::from([("3-2".to_owned(), 1)]));
    assert_eq!(value(&state, "results-1"), json!([1, 2, 3]));
    assert_eq!(value(&state, "results-2"), json!([1, 2, 3]));
}

/// A batch whose results are refused by its post as long as it is told to.
fn refusing(is_refusing: &Arc<AtomicBool>, ran: &Arc<Death>) -> Flow {
    let (is_refusing, ran) = (Arc::clone(is_refusing), Arc::clone(ran));
    let node = Probe::new()
        .shape(Shape::Batch)
        .prep(|_| Box::pin(std::future::ready(Ok(json!([1, 2])))))
        .exec(move |entry, _| {
            ran.executes(&entry.to_string());
            Box::pin(std::future::ready(Ok(json!(ran.executed()))))
        })
        .post(move |context, result| {
            let is_refusing = is_refusing.load(Ordering::SeqCst);
            Box::pin(async move {
                if is_refusing {
                    return Err(NodeError::new("not these"));
                }
                context.pack("results", &result).await?;
                Ok(Action::Default)
            })
        });
    let mut flow = Flow::new();
    flow.add("each", node).unwrap();
    flow
}

#[tokio::test]
async fn a_batch_whose_results_were_refused_is_made_again_when_it_is_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let state = open(directory.path()).await;
    let (is_refusing, ran) = (Arc::new(AtomicBool::new(true)), Arc::new(Death::default()));
    let flow = refusing(&is_refusing, &ran);
    let report = runner().run(&flow, &state, RunOptions::default()).await;
    assert_eq!(report.status(), RunStatus::Failed);
    assert_eq!(ran.executed(), BTreeMap::from([("1".to_owned(), 1), ("2".to_owned(), 1)]));
    // The same results would be refused again, so every entry gets another chance.
    let report = runner().resume(&flow, &state, RunOptions::default()).await.unwrap();
    assert_eq!(report.status(), RunStatus::Failed);
    assert_eq!(ran.executed(), BTreeMap::from([("1".to_owned(), 2), ("2".to_owned(), 2)]));
    is_refusing.store(false, Ordering::SeqCst);
    let report = runner().resume(&flow, &state, RunOptions::default()).await.unwrap();
    report.outcome.unwrap();
    assert_eq!(ran.executed(), BTreeMap::from([("1".to_owned(), 3), ("2".to_owned(), 3)]));
    let latest = json!([{ "1": 3, "2": 2 }, { "1": 3, "2": 3 }]);
    assert_eq!(value(&state, "results"), latest, "the results of the last attempt count");
}
