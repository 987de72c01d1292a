//! The cost of an append at plan 10 and at plan 2,000: work, disk calls and bytes read.
//!
//! Each block has a long session of its own. With one for all blocks, the place where the file system happened to put
//! it would look like a cost of its length. A short session gives one sample, because it is longer afterwards. Both are
//! equally warm: right before a sample this process has appended to the same session, so that neither pays for what
//! only a first append does.

use std::sync::Arc;

use piton_store::local::RealDisk;
use piton_store::testing::Recorder;

use super::cold_load::prepare;
use super::rig::{EVENTS, KernelRig, StreamPlans};
use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::measure::{Cost, Schedule};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 10, pairs: 20, warm_up: 1 };
/// Number of prepared plans. One append warms the session, so the measured one is the tenth.
const SHORT_PLANS: u64 = 8;
const LONG_PLANS: u64 = 1_998;
const BASELINE: &str = "at plan 10";
const RATIO_MAX: f64 = 1.2;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("flat")?;
    let mut sessions = Vec::new();
    for block in 0..SCHEDULE.blocks {
        let mut long = StreamPlans::new(&format!("long-{block}"), EVENTS);
        prepare(&root, &mut long, LONG_PLANS)?;
        let mut short = Vec::new();
        for turn in 0..SCHEDULE.turns() {
            let mut plans = StreamPlans::new(&format!("short-{block}-{turn}"), EVENTS);
            prepare(&root, &mut plans, SHORT_PLANS)?;
            short.push(plans);
        }
        sessions.push((long, short));
    }
    bench_dir.sync()?;
    let recorder = Recorder::new(Arc::new(RealDisk));
    let rig = KernelRig::open(Arc::new(recorder.clone()), &root)?;
    let cost = |plans: &mut StreamPlans| {
        let (warming, plan) = (plans.next(), plans.next());
        // The first append warms the session, and is not measured.
        rig.lease_and_append(&plans.stream, warming)?;
        let (outcome, cost) = Cost::of(&recorder, || rig.lease_and_append(&plans.stream, plan));
        outcome.map(|()| cost)
    };
    let cost = &cost;
    let mut sessions = sessions.into_iter();
    let samples = SCHEDULE.run(|_| {
        let (mut long, short) = sessions.next().expect("there are sessions for every block");
        let mut short = short.into_iter();
        Ok((
            move || cost(&mut long),
            move || cost(&mut short.next().expect("there is a short session for every turn")),
        ))
    })?;
    let row = |name, unit, figure: fn(&Cost) -> f64| {
        MeasureRow::paired(name, unit, BASELINE, &samples.map(figure)).judged(Bar::ratio(RATIO_MAX))
    };
    Ok(vec![
        row("append at plan 2,000: CPU time", Unit::Microseconds, Cost::cpu_us),
        row("  its disk calls", Unit::Calls, Cost::calls),
        row("  its bytes read", Unit::Bytes, Cost::bytes_read),
    ])
}
