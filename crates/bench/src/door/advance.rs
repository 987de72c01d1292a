//! A durable advance through the MCP server, against the same advance in this process plus an empty exchange.
//!
//! Both write to the same data directory, each to a run of its own. The ratio shows what the server adds to the two:
//! the SDK, JSON, the check of the arguments, the reply as text and as data.
//!
//! Then the cost of such an advance at step 10 and at step 2,000. Right before a sample, the server has advanced the same
//! run.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use piton_store::local::RealDisk;

use super::client::DoorClient;
use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::measure::{LongAndShort, Schedule, TimeSpent, wall_time};
use crate::report::{Bar, MeasureRow, Unit};
use crate::workflow::{BenchRun, WorkflowRig};

const SCHEDULE: Schedule = Schedule { blocks: 12, pairs: 10, warm_up: 2 };
const BASELINE: &str = "the call in this process + a ping";
const RATIO_MAX: f64 = 1.5;
const TOOL: &str = "continue_workflow";

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = bench_dir.make("door-advance")?;
    let rig = WorkflowRig::open(Arc::new(RealDisk), &data)?;
    let client = RefCell::new(DoorClient::open(&data)?);
    bench_dir.sync()?;
    let (rig, client) = (&rig, &client);
    let samples = SCHEDULE.run(|block| {
        let mut ours = BenchRun::begin(rig, &format!("door-{block}"))?;
        let mut theirs = BenchRun::begin(rig, &format!("here-{block}"))?;
        let through_the_door = move || through(&mut client.borrow_mut(), &mut ours);
        let in_this_process = move || {
            let request = theirs.request();
            let (reply, time) = wall_time(|| rig.wait(rig.sessions.proceed(request)));
            theirs.take(reply?)?;
            // The ping stands for the transport, which the call in this process does not have.
            Ok(time + client.borrow_mut().ping()?)
        };
        Ok((through_the_door, in_this_process))
    })?;
    Ok(vec![
        MeasureRow::timed("advance through a pipe", Unit::Milliseconds, BASELINE, &samples)
            .judged(Bar::disk_ratio(RATIO_MAX)),
    ])
}

/// Advances a run through the server.
pub(super) fn through(client: &mut DoorClient, run: &mut BenchRun) -> Result<Duration> {
    let arguments = run.arguments();
    let (reply, time) = client.call(TOOL, &arguments)?;
    run.take_body(reply)?;
    Ok(time)
}

const FLAT: Schedule = Schedule { blocks: 8, pairs: 10, warm_up: 1 };
/// Numbers of prepared steps. One advance warms the run, so the measured one is the tenth.
const LONG_AND_SHORT_STEPS: (u64, u64) = (1_998, 8);
const FLAT_BASELINE: &str = "at step 10";
const FLAT_RATIO_MAX: f64 = 1.2;

/// Measures advances of a long run against those of short ones.
pub(super) fn flatness_rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = bench_dir.make("door-flat")?;
    let runs = LongAndShort::prepare(FLAT, LONG_AND_SHORT_STEPS, |name, steps| {
        BenchRun::prepared(&data, &format!("door-{name}"), steps)
    })?;
    bench_dir.sync()?;
    let client = RefCell::new(DoorClient::open(&data)?);
    let samples = runs.run(|run| {
        let mut client = client.borrow_mut();
        // The first advance warms the run, and is not measured.
        through(&mut client, run)?;
        TimeSpent::of(client.server(), || through(&mut client, run))
    })?;
    let (time, cpu) = (samples.map(|call| call.time), samples.map(|call| call.cpu));
    let row = |name, unit, samples: &_| MeasureRow::timed(name, unit, FLAT_BASELINE, samples);
    Ok(vec![
        row("advance through a pipe at step 2,000", Unit::Milliseconds, &time)
            .judged(Bar::disk_ratio(FLAT_RATIO_MAX)),
        row("  CPU time of the server", Unit::Microseconds, &cpu)
            .judged(Bar::ratio(FLAT_RATIO_MAX)),
    ])
}
