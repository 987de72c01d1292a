//! Loading a long session in a process that has loaded nothing before, with a warm page cache, and the growth of that
//! cost with the session. Then looking up a dedupe key in a session that this process has loaded.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use piton_core::{DedupeKey, EventIndex};
use piton_store::local::RealDisk;
use piton_store::port::JournalReader;
use piton_store::{Event as _, StreamId};
use serde::{Deserialize, Serialize};

use super::rig::{EVENTS, KernelRig, StreamPlans};
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::measure::{Schedule, float, peak_resident_bytes, wall_time};
use crate::process::elsewhere;
use crate::report::{Bar, MeasureRow, Unit};

const PLANS: u64 = 2_000;
const LOADS: usize = 21;
const MS_MAX: f64 = 150.0;
const MEGABYTES_MAX: f64 = 60.0;

const SCHEDULE: Schedule = Schedule { blocks: 8, pairs: 2, warm_up: 1 };

/// Number of short sessions that have as many events together as the long one.
const SHORT_SESSIONS: u64 = 10;

/// Larger maps miss the processor's caches more often. A walk through everything read so far would cost ten times as
/// much.
const RATIO_MAX: f64 = 2.0;

/// Report of a process that loads the session.
#[derive(Serialize, Deserialize)]
struct Load {
    milliseconds: f64,
    peak_bytes: u64,
    events: u64,
}

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("cold")?;
    let plans = StreamPlans::prepared(&root, "long", PLANS)?;
    bench_dir.sync()?;
    let arguments = ["cold-load".as_ref(), root.as_os_str(), plans.stream.as_str().as_ref()];
    let loads = (0..LOADS).map(|_| elsewhere(&arguments)).collect::<Result<Vec<Load>>>()?;
    for load in &loads {
        expect("events of the loaded session", PLANS * EVENTS, load.events)?;
    }
    let times: Vec<f64> = loads.iter().map(|load| load.milliseconds).collect();
    let peaks: Vec<f64> = loads.iter().map(|load| float(load.peak_bytes) / 1e6).collect();
    Ok(vec![
        MeasureRow::unpaired(
            "cold load of 2,000 plans (10,000 events)",
            Unit::Milliseconds,
            &times,
        )
        .judged(Bar::calibrated(MS_MAX)),
        MeasureRow::unpaired("  its peak memory, whole process", Unit::Megabytes, &peaks)
            .judged(Bar::promise(MEGABYTES_MAX)),
        compare_loads(bench_dir)?,
    ])
}

/// Measures loading the events of one long session against loading as many from short ones.
// shows in part: WR-448 (the load of a log)
fn compare_loads(bench_dir: &BenchDir) -> Result<MeasureRow> {
    let root = bench_dir.make("load-growth")?;
    let prepared = |name: &str, count: u64| -> Result<StreamId> {
        Ok(StreamPlans::prepared(&root, name, count)?.stream)
    };
    let long = [prepared("long", PLANS)?];
    let short = (0..SHORT_SESSIONS)
        .map(|number| prepared(&format!("short-{number}"), PLANS / SHORT_SESSIONS))
        .collect::<Result<Vec<_>>>()?;
    bench_dir.sync()?;
    let load = |streams: &[StreamId]| {
        // A new store for each sample, so that nothing is cached from the last one.
        let rig = KernelRig::open(Arc::new(RealDisk), &root)?;
        let load = |stream: &StreamId| -> Result<u64> {
            Ok(rig.wait(rig.sessions.load(stream))?.events.len() as u64)
        };
        let (events, time) = wall_time(|| streams.iter().map(load).sum::<Result<u64>>());
        expect("events of the loaded sessions", PLANS * EVENTS, events?)?;
        Ok(time)
    };
    let (ours, baseline) = (|| load(&long), || load(&short));
    let samples = SCHEDULE.run(|_| Ok((&ours, &baseline)))?;
    let name = "load a session of 10,000 events";
    let row = MeasureRow::timed(name, Unit::Milliseconds, "ten of 1,000", &samples);
    Ok(row.judged(Bar::ratio(RATIO_MAX)))
}

/// Loads the session in this process, and prints the measurements.
pub(crate) fn here(root: &Path, stream: &StreamId) -> Result<ExitCode> {
    let rig = KernelRig::open(Arc::new(RealDisk), root)?;
    // The clock runs around the load alone; the peak is that of the whole process.
    let (loaded, time) = wall_time(|| rig.wait(rig.sessions.load(stream)));
    let events = loaded?.events.len() as u64;
    let peak_bytes = peak_resident_bytes()?;
    let load = Load { milliseconds: time.as_secs_f64() * 1e3, peak_bytes, events };
    let text = serde_json::to_string(&load).map_err(Error::json("write the result"))?;
    println!("{text}");
    Ok(ExitCode::SUCCESS)
}

const LOOKUPS: Schedule = Schedule { blocks: 40, pairs: 500, warm_up: 5 };
const LOOKUP_PLANS: u64 = 200;
/// A lookup looks at the manifest once; a few more calls would show.
const LOOKUP_RATIO_MAX: f64 = 5.0;

/// Measures a dedupe hit: the cost of a repeated request before it takes any lock.
pub(super) fn lookup_rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("lookup")?;
    let plans = StreamPlans::prepared(&root, "warm", LOOKUP_PLANS)?;
    bench_dir.sync()?;
    let rig = KernelRig::open(Arc::new(RealDisk), &root)?;
    // The load also warms what a lookup uses.
    let loaded = rig.wait(rig.sessions.load(&plans.stream))?;
    let keys: Vec<DedupeKey> =
        loaded.events.iter().map(|event| event.dedupe_key().clone()).collect();
    let manifest = rig.dir.sessions().join(plans.stream.as_str()).join("manifest.jsonl");
    let turn = Cell::new(0);
    let ours = || {
        // Goes through all keys, so that no single one stays unusually warm.
        turn.set((turn.get() + 1) % keys.len());
        let key = &keys[turn.get()];
        let (found, time) = wall_time(|| rig.wait(rig.sessions.lookup(&plans.stream, key)));
        let found = found?.map(EventIndex::get);
        expect("the event of a key", turn.get() as u64, found.unwrap_or(u64::MAX))?;
        Ok(time)
    };
    let baseline = || {
        let (found, time) = wall_time(|| fs::metadata(&manifest));
        found.map_err(Error::io("look at the manifest"))?;
        Ok(time)
    };
    let samples = LOOKUPS.run(|_| Ok((&ours, &baseline)))?;
    let name = "dedupe hit without a lock, warm";
    Ok(vec![
        MeasureRow::timed(name, Unit::Microseconds, "one stat of the manifest", &samples)
            .judged(Bar::ratio(LOOKUP_RATIO_MAX)),
    ])
}
