//! A durable advance, against the bare append of the plan that such an advance makes.
//!
//! Both write to the same data directory, each to a session of its own, and neither finds anything that the other
//! stored. The bare append takes the lease as well. The ratio shows what the advance does besides: tokens, the record
//! of earlier attempts, the judgement of the output, the next step, the plan, and the reply.
//!
//! The CPU time is that of the thread that calls and waits. Files are read and written on other threads, except for
//! metadata lookups; the plan is encoded on this one. A thread that sleeps at each sync finds its caches cold. The row
//! without waiting for the disk shows how much of the time is due to that.
//!
//! Then the cost of an advance at step 10 and at step 2,000: work, disk calls and bytes read. Right before a sample, this
//! process has advanced the same run.

use std::sync::Arc;

use piton_store::local::RealDisk;
use piton_store::local::disk::Disk;
use piton_store::port::Appended;
use piton_store::testing::Recorder;

use super::rig::WorkflowRig;
use super::run::{BenchRun, RunPlans};
use crate::bench_dir::BenchDir;
use crate::error::{Result, expect};
use crate::measure::{Cost, LongAndShort, Samples, Schedule, TimeSpent};
use crate::quiet_disk::QuietDisk;
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 30, pairs: 10, warm_up: 2 };
const BASELINE: &str = "the bare append of its plan";
const RATIO_MAX: f64 = 1.5;
const CPU_RATIO_MAX: f64 = 3.5;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let durable = samples(bench_dir, "advance", Arc::new(RealDisk))?;
    let quiet = samples(bench_dir, "quiet-advance", Arc::new(QuietDisk))?;
    let row = |name, unit, samples: &_| MeasureRow::timed(name, unit, BASELINE, samples);
    let time = durable.map(|call| call.time);
    let (cpu, quiet_cpu) = (durable.map(|call| call.cpu), quiet.map(|call| call.cpu));
    Ok(vec![
        row("advance, 6 events + snapshot + artifact", Unit::Milliseconds, &time)
            .judged(Bar::disk_ratio(RATIO_MAX)),
        row("  CPU time of the calling thread", Unit::Microseconds, &cpu)
            .judged(Bar::ratio(CPU_RATIO_MAX)),
        row("  the same without waiting for the disk", Unit::Microseconds, &quiet_cpu),
    ])
}

fn samples(bench_dir: &BenchDir, name: &str, disk: Arc<dyn Disk>) -> Result<Samples<TimeSpent>> {
    let rig = WorkflowRig::open(disk, &bench_dir.make(name)?)?;
    // The first advance creates the directories that all others go to.
    BenchRun::begin(&rig, &format!("first-{name}"))?.advance(&rig, 1)?;
    bench_dir.sync()?;
    let rig = &rig;
    SCHEDULE.run(|block| {
        let mut run = BenchRun::begin(rig, &format!("{name}-{block}"))?;
        let mut plans = RunPlans::of_run(&format!("plans-{name}-{block}"), SCHEDULE.turns())?;
        // The first plan starts the session, as `begin` did for the other side.
        append(rig, &mut plans)?;
        Ok((move || advance(rig, &mut run), move || append(rig, &mut plans)))
    })
}

fn advance(rig: &WorkflowRig, run: &mut BenchRun) -> Result<TimeSpent> {
    // Built before the clocks start.
    let request = run.request();
    let (reply, spent) = TimeSpent::here(|| rig.wait(rig.sessions.proceed(request)));
    run.take(reply?)?;
    Ok(spent)
}

fn append(rig: &WorkflowRig, plans: &mut RunPlans) -> Result<TimeSpent> {
    let plan = plans.next();
    let appending = async {
        let lease = rig.journal.lease(&plans.stream).await?;
        rig.journal.append(&lease.writer(), plan).await
    };
    let (appended, spent) = TimeSpent::here(|| rig.wait(appending));
    let is_new = matches!(appended?, Appended::Committed { .. });
    expect("plans that were new", 1, u64::from(is_new))?;
    Ok(spent)
}

const FLAT: Schedule = Schedule { blocks: 8, pairs: 10, warm_up: 1 };
/// Numbers of prepared steps. One advance warms the run, so the measured one is the tenth.
const LONG_AND_SHORT_STEPS: (u64, u64) = (1_998, 8);
const FLAT_RATIO_MAX: f64 = 1.2;

/// Measures advances of a long run against those of short ones.
pub(super) fn flatness_rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("flat-advance")?;
    let runs = LongAndShort::prepare(FLAT, LONG_AND_SHORT_STEPS, |name, steps| {
        BenchRun::prepared(&root, name, steps)
    })?;
    bench_dir.sync()?;
    let recorder = Recorder::new(Arc::new(RealDisk));
    let rig = WorkflowRig::open(Arc::new(recorder.clone()), &root)?;
    let samples = runs.run(|run| {
        // The first advance warms the run, and is not measured.
        run.advance(&rig, 1)?;
        let request = run.request();
        let (reply, cost) = Cost::of(&recorder, || rig.wait(rig.sessions.proceed(request)));
        run.take(reply?).map(|()| cost)
    })?;
    let name = "advance at step 2,000: CPU time";
    Ok(MeasureRow::costs(name, "at step 10", &samples, Bar::ratio(FLAT_RATIO_MAX)))
}
