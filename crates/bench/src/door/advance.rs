//! A durable advance through the MCP server, against the same advance in this process plus an empty exchange.
//!
//! Both write to the same data directory, each to a run of its own. The ratio shows what the server adds to the two:
//! the SDK, JSON, the check of the arguments, the reply as text and as data.

use std::sync::Arc;
use std::time::Duration;

use piton_store::local::RealDisk;

use super::client::DoorClient;
use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::measure::{Schedule, wall_time};
use crate::report::{Bar, MeasureRow, Unit};
use crate::workflow::{BenchRun, WorkflowRig};

const SCHEDULE: Schedule = Schedule { blocks: 12, pairs: 10, warm_up: 2 };
const BASELINE: &str = "the call in this process + a ping";
const RATIO_MAX: f64 = 1.5;
const TOOL: &str = "continue_workflow";

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = bench_dir.make("door-advance")?;
    let rig = WorkflowRig::open(Arc::new(RealDisk), &data)?;
    let client = std::cell::RefCell::new(DoorClient::open(&data)?);
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
    let time = samples.map(|time: &Duration| time.as_secs_f64() * 1e3);
    Ok(vec![
        MeasureRow::paired("advance through a pipe", Unit::Milliseconds, BASELINE, &time)
            .judged(Bar::disk_ratio(RATIO_MAX)),
    ])
}

/// Advances a run through the server.
pub(super) fn through(client: &mut DoorClient, run: &mut BenchRun) -> Result<Duration> {
    let arguments = run.arguments();
    let (reply, time) = client.call(TOOL, &arguments)?;
    run.take_told(reply)?;
    Ok(time)
}
