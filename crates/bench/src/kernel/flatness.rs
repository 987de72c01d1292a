//! What an append costs at plan 10 and at plan 2,000: work, disk calls and bytes read.
//!
//! Each block has a long session of its own: one for all of them would make where the file system
//! happened to put it look like a cost of its length. A short session gives one sample, because it is
//! longer afterwards. Both are equally warm: right before a sample this process has appended to the
//! same session, so that neither pays for what only a first append does.

use std::{sync::Arc, time::Duration};

use piton_store::{
    local::RealDisk,
    testing::{Call, Recorder},
};

use super::{
    cold_load::prepare,
    rig::{EVENTS, Plans, Rig},
};
use crate::{
    error::Result,
    measure::{Schedule, float, process_cpu},
    place::Place,
    report::{Bar, Row, Unit},
};

const SCHEDULE: Schedule = Schedule { blocks: 10, pairs: 20, warm_up: 1 };
/// What is prepared; with the append that warms a session, the one that is measured is the tenth.
const SHORT_PLANS: u64 = 8;
const LONG_PLANS: u64 = 1_998;
const BASELINE: &str = "at plan 10";
const RATIO_MAX: f64 = 1.2;

/// What one append took.
struct Cost {
    cpu: Duration,
    calls: u64,
    bytes_read: u64,
}

pub(super) fn rows(place: &Place) -> Result<Vec<Row>> {
    let root = place.make("flat")?;
    let mut sessions = Vec::new();
    for block in 0..SCHEDULE.blocks {
        let mut long = Plans::new(&format!("long-{block}"), EVENTS);
        prepare(&root, &mut long, LONG_PLANS)?;
        let mut short = Vec::new();
        for turn in 0..SCHEDULE.turns() {
            let mut plans = Plans::new(&format!("short-{block}-{turn}"), EVENTS);
            prepare(&root, &mut plans, SHORT_PLANS)?;
            short.push(plans);
        }
        sessions.push((long, short));
    }
    place.settle()?;
    let recorder = Recorder::new(Arc::new(RealDisk));
    let rig = Rig::open(Arc::new(recorder.clone()), &root)?;
    let cost = |plans: &mut Plans| {
        let (warming, plan) = (plans.next(), plans.next());
        rig.lease_and_append(&plans.stream, warming)?;
        recorder.take();
        let (outcome, cpu) = process_cpu(|| rig.lease_and_append(&plans.stream, plan));
        let calls = recorder.take();
        outcome.map(|()| Cost { cpu, calls: calls.len() as u64, bytes_read: bytes_read(&calls) })
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
        Row::paired(name, unit, BASELINE, &samples.map(figure)).judged(Bar::ratio(RATIO_MAX))
    };
    Ok(vec![
        row("append at plan 2,000: CPU time", Unit::Microseconds, |cost| {
            cost.cpu.as_secs_f64() * 1e6
        }),
        row("  its disk calls", Unit::Calls, |cost| float(cost.calls)),
        row("  its bytes read", Unit::Bytes, |cost| float(cost.bytes_read)),
    ])
}

fn bytes_read(calls: &[Call]) -> u64 {
    calls.iter().filter(|call| call.operation == "read").map(|call| call.bytes as u64).sum()
}
