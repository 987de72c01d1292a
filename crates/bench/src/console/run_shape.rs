//! The shape of a run of 10,000 steps: from a process that has not read the run before, from one that has, after the run
//! grew, and when nothing changed.

use std::path::Path;
use std::sync::Arc;

use piton_store::local::RealDisk;

use super::server::ConsoleServer;
use crate::bench_dir::BenchDir;
use crate::error::{Result, expect};
use crate::measure::wall_time;
use crate::report::{Bar, MeasureRow, Unit};
use crate::workflow::{BenchRun, WorkflowRig};

/// Number of steps of the run.
pub(super) const STEPS: u64 = 10_000;

const COLD_STARTS: usize = 7;
const REQUESTS: usize = 21;
const COLD_MS_MAX: f64 = 250.0;
const WARM_MS_MAX: f64 = 20.0;
const UNCHANGED_MS_MAX: f64 = 2.0;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = bench_dir.make("console-shape")?;
    let mut run = BenchRun::prepared_long(&data, "console-shape", STEPS)?;
    bench_dir.sync()?;
    let path = shape_path(&run);
    // The first process leaves the shape in the cache, as the console that a person had open yesterday did.
    let first = cold(&data, &path)?;
    let mut unchanged = Vec::new();
    for _ in 0..COLD_STARTS {
        unchanged.push(cold(&data, &path)?);
    }
    // A page takes the shape that is there, and asks again for the steps since.
    let cached = format!("{path}?freshness=indexed");
    let (mut grown, mut whole) = (Vec::new(), Vec::new());
    for _ in 0..COLD_STARTS {
        let rig = WorkflowRig::open(Arc::new(RealDisk), &data)?;
        run.advance(&rig, 3)?;
        grown.push(cold(&data, &cached)?);
        whole.push(cold(&data, &path)?);
    }
    let mut server = ConsoleServer::start(&data)?;
    server.wait_until_caught_up()?;
    let rig = WorkflowRig::open(Arc::new(RealDisk), &data)?;
    let (mut warm, mut not_modified) = (Vec::new(), Vec::new());
    server.client.get(&path, None)?;
    for _ in 0..REQUESTS {
        run.advance(&rig, 1)?;
        let (reply, time) = wall_time(|| server.client.get(&path, None));
        warm.push(time.as_secs_f64() * 1e3);
        let etag = reply?.etag;
        let (again, time) = wall_time(|| server.client.get(&path, etag.as_deref()));
        expect("status of a reply that is known", 304, u64::from(again?.status))?;
        not_modified.push(time.as_secs_f64() * 1e3);
    }
    let row = |name, times: &[f64]| MeasureRow::unpaired(name, Unit::Milliseconds, times);
    Ok(vec![
        row("run of 10,000 steps, its shape from a new process", &unchanged)
            .judged(Bar::calibrated(COLD_MS_MAX)),
        row("  after the run grew by three steps", &grown).judged(Bar::calibrated(COLD_MS_MAX)),
        row("    with the three steps", &whole),
        row("  without a cache", &[first]),
        row("its shape, read before, one step later", &warm).judged(Bar::calibrated(WARM_MS_MAX)),
        row("  nothing changed", &not_modified).judged(Bar::calibrated(UNCHANGED_MS_MAX)),
    ])
}

/// Returns the path of a run's shape, below the API.
pub(super) fn shape_path(run: &BenchRun) -> String {
    let (session, run) = run.ids();
    format!("/sessions/{session}/runs/{run}/shape")
}

/// Returns the path of a run's page.
pub(super) fn run_page(run: &BenchRun) -> String {
    let (session, run) = run.ids();
    format!("/runs/{session}/{run}")
}

/// Returns the milliseconds for the shape from a process that has just started.
fn cold(data: &Path, path: &str) -> Result<f64> {
    let mut server = ConsoleServer::start(data)?;
    let (reply, time) = wall_time(|| server.client.get(path, None));
    let nodes = reply?.json()?["shape"]["nodes"]["id"].as_array().map_or(0, Vec::len);
    expect("nodes at least", 1, u64::from(nodes as u64 > STEPS))?;
    Ok(time.as_secs_f64() * 1e3)
}
