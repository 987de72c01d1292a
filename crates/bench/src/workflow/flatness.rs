//! The cost of an advance at step 10 and at step 2,000: work, disk calls and bytes read.
//!
//! As with bare appends, each block has a long run of its own, and a short run gives one sample. Right before a sample,
//! this process has advanced the same run.

use std::path::Path;
use std::sync::Arc;

use piton_store::local::RealDisk;
use piton_store::testing::Recorder;

use super::rig::WorkflowRig;
use super::run::BenchRun;
use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::measure::{Cost, Schedule};
use crate::quiet_disk::QuietDisk;
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 8, pairs: 10, warm_up: 1 };
/// Number of prepared steps. One advance warms the run, so the measured one is the tenth.
const SHORT_STEPS: u64 = 8;
const LONG_STEPS: u64 = 1_998;
const BASELINE: &str = "at step 10";
const RATIO_MAX: f64 = 1.2;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("flat-advance")?;
    let mut runs = Vec::new();
    for block in 0..SCHEDULE.blocks {
        let long = prepared(&root, &format!("long-{block}"), LONG_STEPS)?;
        let short = (0..SCHEDULE.turns())
            .map(|turn| prepared(&root, &format!("short-{block}-{turn}"), SHORT_STEPS))
            .collect::<Result<Vec<_>>>()?;
        runs.push((long, short));
    }
    bench_dir.sync()?;
    let recorder = Recorder::new(Arc::new(RealDisk));
    let rig = WorkflowRig::open(Arc::new(recorder.clone()), &root)?;
    let cost = |run: &mut BenchRun| {
        // The first advance warms the run, and is not measured.
        run.advance(&rig, 1)?;
        let request = run.request();
        let (reply, cost) = Cost::of(&recorder, || rig.wait(rig.sessions.proceed(request)));
        run.take(reply?).map(|()| cost)
    };
    let cost = &cost;
    let mut runs = runs.into_iter();
    let samples = SCHEDULE.run(|_| {
        let (mut long, short) = runs.next().expect("there are runs for every block");
        let mut short = short.into_iter();
        Ok((
            move || cost(&mut long),
            move || cost(&mut short.next().expect("there is a short run for every turn")),
        ))
    })?;
    let row = |name, unit, figure: fn(&Cost) -> f64| {
        MeasureRow::paired(name, unit, BASELINE, &samples.map(figure)).judged(Bar::ratio(RATIO_MAX))
    };
    Ok(vec![
        row("advance at step 2,000: CPU time", Unit::Microseconds, Cost::cpu_us),
        row("  its disk calls", Unit::Calls, Cost::calls),
        row("  its bytes read", Unit::Bytes, Cost::bytes_read),
    ])
}

/// Prepares a run that has done this number of steps, without waiting for the disk.
pub(crate) fn prepared(root: &Path, name: &str, steps: u64) -> Result<BenchRun> {
    let rig = WorkflowRig::open(Arc::new(QuietDisk), root)?;
    let mut run = BenchRun::begin(&rig, name)?;
    run.advance(&rig, steps)?;
    Ok(run)
}
