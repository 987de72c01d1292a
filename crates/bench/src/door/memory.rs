//! The memory of a server that led one agent through a long run.

use std::sync::Arc;

use super::advance::through;
use super::client::DoorClient;
use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::measure::float;
use crate::quiet_disk::QuietDisk;
use crate::report::{Bar, MeasureRow, Unit};
use crate::workflow::{BenchRun, WorkflowRig};

const STEPS: usize = 2_000;
const MEGABYTES_MAX: f64 = 80.0;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
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
            .judged(Bar::promise(MEGABYTES_MAX)),
    ])
}
