//! A dedupe hit: the cost of a repeated request before it takes any lock.

use std::cell::Cell;
use std::fs;
use std::sync::Arc;

use piton_core::{DedupeKey, EventIndex};
use piton_store::Event as _;
use piton_store::local::RealDisk;
use piton_store::port::JournalReader as _;

use super::rig::{KernelRig, StreamPlans};
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::measure::{Schedule, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 40, pairs: 500, warm_up: 5 };
const PLANS: u64 = 200;
/// A lookup looks at the manifest once; a few more calls would show.
const RATIO_MAX: f64 = 5.0;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("lookup")?;
    let plans = StreamPlans::prepared(&root, "warm", PLANS)?;
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
    let samples = SCHEDULE.run(|_| Ok((&ours, &baseline)))?;
    let name = "dedupe hit without a lock, warm";
    Ok(vec![
        MeasureRow::timed(name, Unit::Microseconds, "one stat of the manifest", &samples)
            .judged(Bar::ratio(RATIO_MAX)),
    ])
}
