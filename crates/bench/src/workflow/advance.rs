//! An advance, durable, against the bare append of the plan that such an advance makes.
//!
//! Both write to the same data directory, each to a session of its own, and nothing of what one stores
//! is there from the other. The bare append takes the lease as well. What the advance does besides it
//! is what the ratio is about: tokens, the record of earlier attempts, the judgement of the output, the
//! next step, the plan, and the reply.
//!
//! The CPU time is that of the thread that calls and waits. Reading and writing files happens on other
//! threads, but for metadata lookups; encoding the plan happens here.

use std::{sync::Arc, time::Duration};

use piton_store::{local::RealDisk, port::Appended};

use super::{plans::Plans, rig::Rig, run::Run};
use crate::{
    error::{Result, expect},
    measure::{Schedule, thread_cpu, wall},
    place::Place,
    report::{Bar, Row, Unit},
};

const SCHEDULE: Schedule = Schedule { blocks: 30, pairs: 10, warm_up: 2 };
const BASELINE: &str = "the bare append of its plan";
const RATIO_MAX: f64 = 1.5;
const MICROSECONDS_MAX: f64 = 150.0;

/// What one call took.
struct Call {
    time: Duration,
    cpu: Duration,
}

pub(super) fn rows(place: &Place) -> Result<Vec<Row>> {
    let rig = Rig::open(Arc::new(RealDisk), &place.make("advance")?)?;
    // The first advance makes the directories that all others go to.
    Run::begin(&rig, "first")?.advance(&rig, 1)?;
    place.settle()?;
    let rig = &rig;
    let samples = SCHEDULE.run(|block| {
        let mut run = Run::begin(rig, &format!("run-{block}"))?;
        let mut plans = Plans::of_run(&format!("plans-{block}"), SCHEDULE.turns())?;
        append(rig, &mut plans)?;
        Ok((move || advance(rig, &mut run), move || append(rig, &mut plans)))
    })?;
    let name = "advance, 6 events + snapshot + artifact";
    let time = samples.map(|call: &Call| call.time.as_secs_f64() * 1e3);
    let cpu = samples.map(|call: &Call| call.cpu.as_secs_f64() * 1e6);
    Ok(vec![
        Row::paired(name, Unit::Milliseconds, BASELINE, &time).judged(Bar::disk_ratio(RATIO_MAX)),
        Row::paired("  CPU time of the calling thread", Unit::Microseconds, BASELINE, &cpu)
            .judged(Bar::median(MICROSECONDS_MAX)),
    ])
}

fn advance(rig: &Rig, run: &mut Run) -> Result<Call> {
    let request = run.request();
    let ((reply, cpu), time) = wall(|| thread_cpu(|| rig.wait(rig.sessions.proceed(request))));
    run.take(reply?)?;
    Ok(Call { time, cpu })
}

fn append(rig: &Rig, plans: &mut Plans) -> Result<Call> {
    let plan = plans.next();
    let appending = async {
        let lease = rig.journal.lease(&plans.stream).await?;
        rig.journal.append(&lease.writer(), plan).await
    };
    let ((appended, cpu), time) = wall(|| thread_cpu(|| rig.wait(appending)));
    let is_new = matches!(appended?, Appended::Committed { .. });
    expect("plans that were new", 1, u64::from(is_new))?;
    Ok(Call { time, cpu })
}
