//! A durable append of five events and one snapshot, against the system calls that it needs.
//!
//! The system calls are also measured against themselves: the distance of that ratio from one shows how far the others
//! can be trusted.
//!
//! Then the cost of an append at plan 10 and at plan 2,000: work, disk calls and bytes read. Both sessions are equally
//! warm: right before a sample this process has appended to the same session, so that neither pays for what only a
//! first append does.

use std::sync::Arc;
use std::time::Duration;

use piton_store::local::RealDisk;
use piton_store::port::Journal;
use piton_store::testing::Recorder;

use super::floor::{Floor, Sizes};
use super::rig::{EVENTS, KernelRig, StreamPlans, committed};
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result};
use crate::measure::{Cost, LongAndShort, Samples, Schedule, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 50, pairs: 10, warm_up: 2 };
const BASELINE: &str = "the system calls alone";
const RATIO_MAX: f64 = 1.3;

/// Times of one append: the whole, and the part after the lease was taken.
struct Append {
    whole: Duration,
    without_lease: Duration,
}

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let sizes = Sizes::observe(&bench_dir.make("append-sizes")?)?;
    let rig = KernelRig::open(Arc::new(RealDisk), &bench_dir.make("append")?)?;
    // The first snapshot creates the directories that all others go to.
    let mut first = StreamPlans::new("first", EVENTS);
    let plan = first.next();
    rig.lease_and_append(&first.stream, plan)?;
    bench_dir.sync()?;
    let samples = against_floor(&rig, sizes)?;
    let control = floor_against_itself(&rig, sizes)?;
    let row = |name, samples: &_| MeasureRow::timed(name, Unit::Milliseconds, BASELINE, samples);
    let whole = samples.map(|append| append.whole);
    let without_lease = samples.map(|append| append.without_lease);
    Ok(vec![
        row("journal append, 5 events + 1 snapshot", &whole).judged(Bar::disk_ratio(RATIO_MAX)),
        row("  of that, without taking the lease", &without_lease),
        row("  control: the system calls alone", &control),
    ])
}

fn against_floor(rig: &KernelRig, sizes: Sizes) -> Result<Samples<Append>> {
    SCHEDULE.run(|block| {
        let mut plans = StreamPlans::new(&format!("warm-{block}"), EVENTS);
        let ours = move || {
            let plan = plans.next();
            let (outcome, whole) = wall_time(|| {
                rig.wait(async {
                    let lease = rig.sessions.lease(&plans.stream).await?;
                    let start = std::time::Instant::now();
                    let appended = rig.sessions.append(&lease.writer(), plan).await?;
                    let without_lease = start.elapsed();
                    committed(&appended).map(|()| without_lease)
                })
            });
            outcome.map(|without_lease| Append { whole, without_lease })
        };
        let mut floor = floor(rig, "floor", block, sizes)?;
        // The bare files have no lease, so both times are the same.
        let baseline = move || floor().map(|whole| Append { whole, without_lease: whole });
        Ok((ours, baseline))
    })
}

fn floor_against_itself(rig: &KernelRig, sizes: Sizes) -> Result<Samples<Duration>> {
    SCHEDULE
        .run(|block| Ok((floor(rig, "left", block, sizes)?, floor(rig, "right", block, sizes)?)))
}

/// Creates a new session of bare files, and returns a function that measures an append to it.
fn floor(
    rig: &KernelRig,
    name: &str,
    block: usize,
    sizes: Sizes,
) -> Result<impl FnMut() -> Result<Duration>> {
    let mut floor = Floor::new(rig.dir.root(), &format!("{name}-{block}"), sizes)
        .map_err(Error::io("prepare the bare files"))?;
    Ok(move || {
        let (outcome, time) = wall_time(|| floor.append());
        outcome.map(|()| time).map_err(Error::io("write the bare files"))
    })
}

const FLAT: Schedule = Schedule { blocks: 10, pairs: 20, warm_up: 1 };
/// Numbers of prepared plans. One append warms the session, so the measured one is the tenth.
const LONG_AND_SHORT_PLANS: (u64, u64) = (1_998, 8);
const FLAT_RATIO_MAX: f64 = 1.2;

/// Measures appends to a long session against those to short ones.
pub(super) fn flatness_rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("flat")?;
    let sessions = LongAndShort::prepare(FLAT, LONG_AND_SHORT_PLANS, |name, plans| {
        StreamPlans::prepared(&root, name, plans)
    })?;
    bench_dir.sync()?;
    let recorder = Recorder::new(Arc::new(RealDisk));
    let rig = KernelRig::open(Arc::new(recorder.clone()), &root)?;
    let samples = sessions.run(|plans| {
        let (warming, plan) = (plans.next(), plans.next());
        // The first append warms the session, and is not measured.
        rig.lease_and_append(&plans.stream, warming)?;
        let (outcome, cost) = Cost::of(&recorder, || rig.lease_and_append(&plans.stream, plan));
        outcome.map(|()| cost)
    })?;
    let name = "append at plan 2,000: CPU time";
    Ok(MeasureRow::costs(name, "at plan 10", &samples, Bar::ratio(FLAT_RATIO_MAX)))
}
