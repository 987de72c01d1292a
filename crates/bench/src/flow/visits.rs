//! A loop of nodes that do nothing, so that only the cost of the flow itself remains; and the cost that the backpack
//! adds: the same loop with nodes that read, write and query.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use piton_backpack::flow::{
    Action, BoxFuture, Flow, FlowState, Node, NodeContext, NodeError, RunOptions, Runner,
    RunnerPorts, Tools,
};
use piton_backpack::{Backpack, BackpackPorts, Options};
use piton_core::port::fixed::SeededEntropy;
use piton_models::Scripted;
use piton_store::local::{SystemClock, SystemTimer};
use serde_json::Value;

use crate::error::{Result, expect};
use crate::measure::{Schedule, float, thread_cpu};
use crate::report::{Bar, MeasureRow, Unit};

// shows: BP-111

const SCHEDULE: Schedule = Schedule { blocks: 12, pairs: 2, warm_up: 1 };

/// Number of visits of the long loop.
const LONG: u64 = 16_000;

/// Number of short loops that have as many visits together.
const SHORT_LOOPS: u64 = 16;

/// Maximum CPU time, in microseconds, of one visit of a node that does nothing.
const VISIT_US_MAX: f64 = 5.0;

/// A loop that gets slower with each turn would take many times as long.
const RATIO_MAX: f64 = 1.5;

pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    let long = || walk(1, LONG);
    let short = || walk(SHORT_LOOPS, LONG / SHORT_LOOPS);
    let samples = SCHEDULE.run(|_| Ok((&long, &short)))?;
    let per_visit = samples.map(|time| time.as_secs_f64() * 1e6 / float(LONG));
    let name = "visit a node that does nothing, in a loop of 16,000";
    let linear = MeasureRow::paired(name, Unit::Microseconds, "in loops of 1,000", &per_visit);
    let alone: Vec<f64> = per_visit.pairs().map(|pair| pair.ours).collect();
    let visit = MeasureRow::unpaired("visit a node that does nothing", Unit::Microseconds, &alone);
    Ok(vec![visit.judged(Bar::calibrated(VISIT_US_MAX)), linear.judged(Bar::ratio(RATIO_MAX))])
}

/// Measures the CPU time of `loops` loops with this number of visits, if a visit does nothing.
pub(super) fn walk(loops: u64, visits: u64) -> Result<Duration> {
    walk_with(loops, visits, || {
        let left = AtomicU64::new(visits);
        Round::new(visits, move |_| {
            let action = next_action(left.fetch_sub(1, Ordering::Relaxed) - 1);
            Box::pin(std::future::ready(Ok(action)))
        })
    })
}

/// Measures other loops in the same way. Each must end after this number of visits.
pub(super) fn walk_with(loops: u64, visits: u64, round: impl Fn() -> Round) -> Result<Duration> {
    // A single thread, so that the CPU time of this thread is all there is.
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(crate::error::Error::io("start a runtime"))?;
    let mut total = Duration::ZERO;
    let mut steps = 0;
    for _ in 0..loops {
        // The state and the loop are built outside of the measured time.
        let (state, round) = (state(), round());
        let (made, time) = thread_cpu(|| runtime.block_on(round.run(&state)));
        steps += made;
        total += time;
    }
    expect("visits of all loops", loops * visits, steps)?;
    Ok(total)
}

fn state() -> FlowState {
    let ports =
        BackpackPorts { clock: Arc::new(SystemClock), entropy: Arc::new(SeededEntropy::new(1)) };
    let nothing: [(&str, Value); 0] = [];
    let backpack = Backpack::new(nothing, Options::default(), ports).expect("it is empty");
    FlowState::new(backpack).expect("its first observer")
}

/// Result of a visit.
pub(super) type Visited<'a> = BoxFuture<'a, std::result::Result<Action, NodeError>>;

/// A node whose visits only call this function.
struct Visit<F>(F);

impl<F: Fn(&NodeContext) -> Visited<'_> + Send + Sync> Node for Visit<F> {
    fn type_name(&self) -> &'static str {
        "turn"
    }

    fn post<'a>(&'a self, context: &'a NodeContext, _: &'a Value, _: Value) -> Visited<'a> {
        (self.0)(context)
    }
}

/// A loop that is ready to run.
pub(super) struct Round {
    flow: Flow,
    runner: Runner,
    visits: u64,
}

impl Round {
    /// Creates a loop of at most this number of visits.
    pub(super) fn new(
        visits: u64,
        visit: impl Fn(&NodeContext) -> Visited<'_> + Send + Sync + 'static,
    ) -> Self {
        let mut flow = Flow::new();
        let turn = flow.add("turn", Visit(visit)).expect("a good id");
        flow.next(turn, turn).expect("its first edge");
        let ports = RunnerPorts {
            clock: Arc::new(SystemClock),
            timer: Arc::new(SystemTimer),
            entropy: Arc::new(SeededEntropy::new(2)),
        };
        let runner = Runner::new(Arc::new(Scripted::default()), Tools::new(), ports);
        Self { flow, runner, visits }
    }

    /// Runs the loop, and returns the number of visits.
    pub(super) async fn run(&self, state: &FlowState) -> u64 {
        let options = RunOptions { steps_max: self.visits, ..RunOptions::default() };
        self.runner.run(&self.flow, state, options).await.steps
    }
}

/// Returns the action after a visit, given the number of visits that are left.
pub(super) fn next_action(left: u64) -> Action {
    if left == 0 { Action::End } else { Action::Default }
}

const BUSY: Schedule = Schedule { blocks: 8, pairs: 2, warm_up: 1 };
const BUSY_VISITS: u64 = 2_000;
/// The fifth criterion of the product's requirements allows five milliseconds for each execution of a node.
const ADDED_US_MAX: f64 = 5_000.0;

/// Returns a loop that reads five keys, writes two, and queries a namespace, at every visit.
fn busy() -> Round {
    let left = AtomicU64::new(BUSY_VISITS);
    Round::new(BUSY_VISITS, move |context| {
        let left = left.fetch_sub(1, Ordering::Relaxed) - 1;
        Box::pin(async move {
            for key in ["a", "b", "c", "d", "e"] {
                std::hint::black_box(context.unpack::<u64>(key).await?);
            }
            context.pack("a", &left).await?;
            context.pack("b", &(left * 2)).await?;
            std::hint::black_box(context.unpack_by_namespace::<u64>("turn").await?);
            Ok(next_action(left))
        })
    })
}

/// Measures the cost that the backpack adds to a visit.
pub(super) fn added_rows() -> Result<Vec<MeasureRow>> {
    let busy = || walk_with(1, BUSY_VISITS, busy);
    let idle = || walk(1, BUSY_VISITS);
    let samples = BUSY.run(|_| Ok((&busy, &idle)))?;
    let added: Vec<f64> = samples
        .pairs()
        .map(|pair| {
            // Noise can make the idle loop the slower one; such a pair counts as nothing added.
            let added = pair.ours.saturating_sub(pair.baseline);
            added.as_secs_f64() * 1e6 / float(BUSY_VISITS)
        })
        .collect();
    let name = "  added by 5 reads, 2 writes and a query";
    Ok(vec![
        MeasureRow::unpaired(name, Unit::Microseconds, &added)
            .judged(Bar::calibrated(ADDED_US_MAX)),
    ])
}
