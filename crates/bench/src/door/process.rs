//! The process of a server: the time to its first answer, its memory then, and after a long run.

use std::sync::Arc;

use super::advance::through;
use super::client::DoorClient;
use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::measure::float;
use crate::quiet_disk::QuietDisk;
use crate::report::{Bar, MeasureRow, Unit};
use crate::workflow::{BenchRun, WorkflowRig};

const STARTS: usize = 21;
const MS_MAX: f64 = 50.0;
const MEGABYTES_MAX: f64 = 40.0;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = bench_dir.make("door-start")?;
    let mut times = Vec::with_capacity(STARTS);
    let mut sizes = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let client = DoorClient::open(&data)?;
        times.push(client.started_in.as_secs_f64() * 1e3);
        sizes.push(float(client.server_bytes()?) / 1e6);
    }
    Ok(vec![
        MeasureRow::unpaired(
            "start of `piton mcp` to its first answer",
            Unit::Milliseconds,
            &times,
        )
        .judged(Bar::promise(MS_MAX)),
        MeasureRow::unpaired("  its memory then", Unit::Megabytes, &sizes)
            .judged(Bar::promise(MEGABYTES_MAX)),
    ])
}

const STEPS: usize = 2_000;
const LONG_RUN_MEGABYTES_MAX: f64 = 80.0;

/// Measures the memory of a server that led one agent through a long run.
pub(super) fn long_run_rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = bench_dir.make("door-memory")?;
    let rig = WorkflowRig::open(Arc::new(QuietDisk), &data)?;
    let mut run = BenchRun::begin(&rig, "door-memory")?;
    let mut client = DoorClient::open(&data)?;
    for _ in 0..STEPS {
        through(&mut client, &mut run)?;
    }
    let size = float(client.server_bytes()?) / 1e6;
    Ok(vec![
        MeasureRow::unpaired("memory of `piton mcp` after 2,000 steps", Unit::Megabytes, &[size])
            .judged(Bar::promise(LONG_RUN_MEGABYTES_MAX)),
    ])
}
