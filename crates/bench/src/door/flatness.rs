//! The cost of an advance through the server at step 10 and at step 2,000.
//!
//! As in the measure without a server, each block has a long run of its own, and a short run gives one sample. Right
//! before a sample, the server has advanced the same run.

use std::cell::RefCell;
use std::time::Duration;

use super::advance::through;
use super::client::DoorClient;
use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::measure::{Schedule, cpu_of};
use crate::report::{Bar, MeasureRow, Unit};
use crate::workflow::{BenchRun, prepared};

const SCHEDULE: Schedule = Schedule { blocks: 8, pairs: 10, warm_up: 1 };
/// Number of prepared steps. One advance warms the run, so the measured one is the tenth.
const SHORT_STEPS: u64 = 8;
const LONG_STEPS: u64 = 1_998;
const BASELINE: &str = "at step 10";
const RATIO_MAX: f64 = 1.2;

/// Cost of one call.
struct CallCost {
    time: Duration,
    /// CPU time of the server.
    cpu: Duration,
}

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = bench_dir.make("door-flat")?;
    let mut runs = Vec::new();
    for block in 0..SCHEDULE.blocks {
        let long = prepared(&data, &format!("door-long-{block}"), LONG_STEPS)?;
        let short = (0..SCHEDULE.turns())
            .map(|turn| prepared(&data, &format!("door-short-{block}-{turn}"), SHORT_STEPS))
            .collect::<Result<Vec<_>>>()?;
        runs.push((long, short));
    }
    bench_dir.sync()?;
    let client = RefCell::new(DoorClient::open(&data)?);
    let call = |run: &mut BenchRun| {
        let mut client = client.borrow_mut();
        // The first advance warms the run, and is not measured.
        through(&mut client, run)?;
        let before = cpu_of(client.server())?;
        let time = through(&mut client, run)?;
        Ok(CallCost { time, cpu: cpu_of(client.server())?.saturating_sub(before) })
    };
    let call = &call;
    let mut runs = runs.into_iter();
    let samples = SCHEDULE.run(|_| {
        let (mut long, short) = runs.next().expect("there are runs for every block");
        let mut short = short.into_iter();
        Ok((
            move || call(&mut long),
            move || call(&mut short.next().expect("there is a short run for every turn")),
        ))
    })?;
    let time = samples.map(|call: &CallCost| call.time.as_secs_f64() * 1e3);
    let cpu = samples.map(|call: &CallCost| call.cpu.as_secs_f64() * 1e6);
    Ok(vec![
        MeasureRow::paired(
            "advance through a pipe at step 2,000",
            Unit::Milliseconds,
            BASELINE,
            &time,
        )
        .judged(Bar::disk_ratio(RATIO_MAX)),
        MeasureRow::paired("  CPU time of the server", Unit::Microseconds, BASELINE, &cpu)
            .judged(Bar::ratio(RATIO_MAX)),
    ])
}
