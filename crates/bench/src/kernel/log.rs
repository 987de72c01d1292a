//! The log layout: one writer against bare writes, and writers that share a sync.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use piton_store::local::RealDisk;
use piton_store::port::{Journal, StreamLease};
use piton_store::testing::Recorder;

use super::rig::{KernelRig, StreamPlans, committed};
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result};
use crate::measure::{Samples, Schedule, wall_time};
use crate::quiet_disk::QuietDisk;
use crate::report::{MeasureRow, Unit};

const SINGLE: Schedule = Schedule { blocks: 50, pairs: 10, warm_up: 2 };
const GROUPS: Schedule = Schedule { blocks: 25, pairs: 6, warm_up: 1 };
/// Number of appends that wait together.
const TOGETHER: usize = 8;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let rig = KernelRig::open(Arc::new(RealDisk), &bench_dir.make("log")?)?;
    let row = |name, baseline, samples: &_| {
        MeasureRow::timed(name, Unit::Milliseconds, baseline, samples)
    };
    let single = single(&rig, record_bytes(bench_dir)?)?;
    Ok(vec![
        row("log append, 1 event, one writer", "write + fdatasync", &single),
        row("8 log appends that wait together", "8 in turn", &groups(&rig)?),
    ])
}

fn single(rig: &KernelRig, bytes: usize) -> Result<Samples<Duration>> {
    SINGLE.run(|block| {
        let mut plans = StreamPlans::new(&format!("single-{block}"), 1);
        let lease = rig.wait(rig.backpacks.lease(&plans.stream))?;
        let ours = move || {
            let plan = plans.next();
            let (appended, time) =
                wall_time(|| rig.wait(async { rig.backpacks.append(&lease.writer(), plan).await }));
            committed(&appended?).map(|()| time)
        };
        let directory = rig.dir.backpacks().join(format!("floor-{block}"));
        let file = bare_file(&directory).map_err(Error::io("make a bare file"))?;
        let (bytes, mut position) = (vec![b'r'; bytes], 0);
        let baseline = move || {
            let (outcome, time) =
                wall_time(|| file.write_all_at(&bytes, position).and_then(|()| file.sync_data()));
            position += bytes.len() as u64;
            outcome.map(|()| time).map_err(Error::io("write the bare file"))
        };
        Ok((ours, baseline))
    })
}

fn bare_file(directory: &Path) -> io::Result<File> {
    fs::create_dir(directory)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(directory.join("log"))
}

/// Returns the number of bytes that one append writes to a log.
fn record_bytes(bench_dir: &BenchDir) -> Result<usize> {
    let recorder = Recorder::new(Arc::new(QuietDisk));
    let rig = KernelRig::open(Arc::new(recorder.clone()), &bench_dir.make("log-sizes")?)?;
    let mut plans = StreamPlans::new("single", 1);
    let lease = rig.wait(rig.backpacks.lease(&plans.stream))?;
    // Forgets the calls that opening and leasing made, so that only the append is counted.
    recorder.take();
    let plan = plans.next();
    rig.wait(async { rig.backpacks.append(&lease.writer(), plan).await })?;
    let writes = recorder.take();
    Ok(writes.iter().filter(|call| call.operation == "write").map(|call| call.bytes).sum())
}

fn groups(rig: &KernelRig) -> Result<Samples<Duration>> {
    GROUPS.run(|block| {
        let mut together = StreamPlans::new(&format!("together-{block}"), 1);
        let mut in_turn = StreamPlans::new(&format!("in-turn-{block}"), 1);
        let together_lease = rig.wait(rig.backpacks.lease(&together.stream))?;
        let in_turn_lease = rig.wait(rig.backpacks.lease(&in_turn.stream))?;
        Ok((
            move || append(rig, &together_lease, &mut together, TOGETHER),
            move || append(rig, &in_turn_lease, &mut in_turn, 1),
        ))
    })
}

/// Measures [`TOGETHER`] appends, `together` of them queued at a time.
fn append(
    rig: &KernelRig,
    lease: &StreamLease,
    plans: &mut StreamPlans,
    together: usize,
) -> Result<Duration> {
    let mut batch: Vec<_> = (0..TOGETHER).map(|_| plans.next()).collect();
    let (outcome, time) = wall_time(|| {
        rig.wait(async {
            while !batch.is_empty() {
                let queue = |plan| rig.backpacks.append(&lease.writer(), plan);
                // Calling `append` queues the plan, so all plans are queued before the first answer is awaited.
                let waiting: Vec<_> = batch.drain(..together).map(queue).collect();
                for answer in waiting {
                    committed(&answer.await?)?;
                }
            }
            Ok(())
        })
    });
    outcome.map(|()| time)
}
