//! A loop of nodes that do nothing: what is left is the flow itself.
// shows: BP-111

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use piton_backpack::{Backpack, Options, Ports};
use piton_core::port::fixed::SeededEntropy;
use piton_flow::{
    Action, BoxFuture, Context, Flow, Node, NodeError, RunOptions, Runner, RunnerPorts, State,
    Tools,
};
use piton_models::Scripted;
use piton_store::local::{SystemClock, SystemTimer};
use serde_json::Value;

use crate::{
    error::{Result, expect},
    measure::{Schedule, float, thread_cpu},
    report::{Bar, Row, Unit},
};

const SCHEDULE: Schedule = Schedule { blocks: 12, pairs: 2, warm_up: 1 };

/// Visits of the long loop.
const LONG: u64 = 16_000;

/// How many short loops have as many.
const SHORT_LOOPS: u64 = 16;

/// The most that one visit of a node that does nothing may take.
const VISIT_US_MAX: f64 = 5.0;

/// A loop that gets slower with each turn would take many times as long.
const RATIO_MAX: f64 = 1.5;

pub(super) fn rows() -> Result<Vec<Row>> {
    let long = || walk(1, LONG);
    let short = || walk(SHORT_LOOPS, LONG / SHORT_LOOPS);
    let samples = SCHEDULE.run(|_| Ok((&long, &short)))?;
    let per_visit = samples.map(|time: &Duration| time.as_secs_f64() * 1e6 / float(LONG));
    let name = "visit a node that does nothing, in a loop of 16,000";
    let linear = Row::paired(name, Unit::Microseconds, "in loops of 1,000", &per_visit);
    let alone: Vec<f64> = per_visit.pairs().map(|pair| pair.ours).collect();
    let visit = Row::alone("visit a node that does nothing", Unit::Microseconds, &alone);
    Ok(vec![visit.judged(Bar::median(VISIT_US_MAX)), linear.judged(Bar::ratio(RATIO_MAX))])
}

/// Goes round until it was visited often enough.
struct Turn {
    left: AtomicU64,
}

impl Node for Turn {
    fn type_name(&self) -> &'static str {
        "turn"
    }

    fn post<'a>(
        &'a self,
        _: &'a Context,
        _: &'a Value,
        _: Value,
    ) -> BoxFuture<'a, std::result::Result<Action, NodeError>> {
        let left = self.left.fetch_sub(1, Ordering::Relaxed) - 1;
        let action = if left == 0 { Action::End } else { Action::Default };
        Box::pin(std::future::ready(Ok(action)))
    }
}

/// The time of the processor that `loops` loops of so many visits take.
pub(super) fn walk(loops: u64, visits: u64) -> Result<Duration> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(crate::error::Error::io("start a runtime"))?;
    let mut total = Duration::ZERO;
    let mut steps = 0;
    for _ in 0..loops {
        let mut flow = Flow::new();
        let turn = flow.add("turn", Turn { left: AtomicU64::new(visits) }).expect("a good id");
        flow.next(turn, turn).expect("its first edge");
        let (state, runner) = (state(), runner());
        let options = RunOptions { steps_max: visits, ..RunOptions::default() };
        let (report, time) = thread_cpu(|| runtime.block_on(runner.run(&flow, &state, options)));
        steps += report.steps;
        total += time;
    }
    expect("visits of all loops", loops * visits, steps)?;
    Ok(total)
}

fn state() -> State {
    let ports = Ports { clock: Arc::new(SystemClock), entropy: Arc::new(SeededEntropy::new(1)) };
    let nothing: [(&str, Value); 0] = [];
    let backpack = Backpack::new(nothing, Options::default(), ports).expect("it is empty");
    State::new(backpack).expect("its first observer")
}

pub(super) fn runner() -> Runner {
    let ports = RunnerPorts {
        clock: Arc::new(SystemClock),
        timer: Arc::new(SystemTimer),
        entropy: Arc::new(SeededEntropy::new(2)),
    };
    Runner::new(Arc::new(Scripted::default()), Tools::new(), ports)
}
