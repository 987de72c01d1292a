//! A durable advance, against the bare append of the plan that such an advance makes.
//!
//! Both write to the same data directory, each to a session of its own, and neither finds anything that the other
//! stored. The bare append takes the lease as well. The ratio shows what the advance does besides: tokens, the record
//! of earlier attempts, the judgement of the output, the next step, the plan, and the reply.
//!
//! The CPU time is that of the thread that calls and waits. Files are read and written on other threads, except for
//! metadata lookups; the plan is encoded on this one. A thread that sleeps at each sync finds its caches cold. The row
//! without waiting for the disk shows how much of the time is due to that.

use std::sync::Arc;
use std::time::Duration;

use piton_store::local::RealDisk;
use piton_store::local::disk::Disk;
use piton_store::port::Appended;

use super::plans::RunPlans;
use super::rig::WorkflowRig;
use super::run::BenchRun;
use crate::bench_dir::BenchDir;
use crate::error::{Result, expect};
use crate::measure::{Samples, Schedule, thread_cpu, wall_time};
use crate::quiet_disk::QuietDisk;
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 30, pairs: 10, warm_up: 2 };
const BASELINE: &str = "the bare append of its plan";
const RATIO_MAX: f64 = 1.5;
const CPU_RATIO_MAX: f64 = 3.5;

/// Cost of one call.
struct AdvanceCost {
    time: Duration,
    cpu: Duration,
}

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let durable = samples(bench_dir, "advance", Arc::new(RealDisk))?;
    let quiet = samples(bench_dir, "quiet-advance", Arc::new(QuietDisk))?;
    let time = durable.map(|call: &AdvanceCost| call.time.as_secs_f64() * 1e3);
    let cpu = |samples: &Samples<AdvanceCost>| {
        samples.map(|call: &AdvanceCost| call.cpu.as_secs_f64() * 1e6)
    };
    let row = |name, samples| MeasureRow::paired(name, Unit::Microseconds, BASELINE, samples);
    Ok(vec![
        MeasureRow::paired(
            "advance, 6 events + snapshot + artifact",
            Unit::Milliseconds,
            BASELINE,
            &time,
        )
        .judged(Bar::disk_ratio(RATIO_MAX)),
        row("  CPU time of the calling thread", &cpu(&durable)).judged(Bar::ratio(CPU_RATIO_MAX)),
        row("  the same without waiting for the disk", &cpu(&quiet)),
    ])
}

fn samples(bench_dir: &BenchDir, name: &str, disk: Arc<dyn Disk>) -> Result<Samples<AdvanceCost>> {
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

fn advance(rig: &WorkflowRig, run: &mut BenchRun) -> Result<AdvanceCost> {
    // Built before the clocks start.
    let request = run.request();
    let ((reply, cpu), time) = wall_time(|| thread_cpu(|| rig.wait(rig.sessions.proceed(request))));
    run.take(reply?)?;
    Ok(AdvanceCost { time, cpu })
}

fn append(rig: &WorkflowRig, plans: &mut RunPlans) -> Result<AdvanceCost> {
    let plan = plans.next();
    let appending = async {
        let lease = rig.journal.lease(&plans.stream).await?;
        rig.journal.append(&lease.writer(), plan).await
    };
    let ((appended, cpu), time) = wall_time(|| thread_cpu(|| rig.wait(appending)));
    let is_new = matches!(appended?, Appended::Committed { .. });
    expect("plans that were new", 1, u64::from(is_new))?;
    Ok(AdvanceCost { time, cpu })
}
