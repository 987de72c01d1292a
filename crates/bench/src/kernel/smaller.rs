//! A blob against its system calls, and a table commit.

use std::fs;
use std::sync::Arc;

use piton_core::port::fixed::SeededEntropy;
use piton_store::local::{LocalTable, RealDisk};
use piton_store::port::{BlobNamespace, Blobs as _, EntryChange, Expect, Table as _, TableWrite};

use super::floor::{sync_dir, write_new};
use super::rig::KernelRig;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result};
use crate::measure::{Schedule, wall_time};
use crate::report::{MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 20, pairs: 10, warm_up: 1 };
const BLOB_WORDS: u64 = 512;
const COMMITS: u32 = 200;
const VALUE_BYTES: usize = 200;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let rig = KernelRig::open(Arc::new(RealDisk), &bench_dir.make("smaller")?)?;
    Ok(vec![blob(&rig)?, table(&rig)?])
}

fn blob(rig: &KernelRig) -> Result<MeasureRow> {
    let entropy = SeededEntropy::new(2);
    let content =
        || -> Vec<u8> { (0..BLOB_WORDS).flat_map(|_| entropy.next_u64().to_le_bytes()).collect() };
    // The first blob creates the directories that all others go to, including the bare ones.
    rig.wait(rig.blobs.put(BlobNamespace::Artifacts, content()))?;
    let directory = rig.dir.blobs(BlobNamespace::Artifacts);
    let ours = || {
        let bytes = content();
        let (digest, time) = wall_time(|| rig.wait(rig.blobs.put(BlobNamespace::Artifacts, bytes)));
        digest.map(|_| time).map_err(Error::from)
    };
    let baseline = || {
        let (bytes, name) = (content(), entropy.next_u64());
        // The same layout as that of the store: a directory for the first two digits.
        let fan = directory.join(format!("{:02x}", name & 0xff));
        let (temporary, path) = (fan.join("tmp"), fan.join(format!("{name:062x}")));
        let (outcome, time) = wall_time(|| {
            write_new(&temporary, &bytes)?;
            fs::rename(&temporary, &path)?;
            sync_dir(&fan)
        });
        outcome.map(|()| time).map_err(Error::io("write a bare file"))
    };
    let samples = SCHEDULE.run(|_| Ok((&ours, &baseline)))?;
    let name = "blob put of 4 kB";
    Ok(MeasureRow::timed(name, Unit::Milliseconds, "the system calls alone", &samples))
}

fn table(rig: &KernelRig) -> Result<MeasureRow> {
    let name = "bench".parse().expect("a name");
    let table = LocalTable::open(&rig.dir, &name)?;
    let mut times = Vec::new();
    for number in 0..COMMITS {
        let key = number.to_be_bytes().as_slice().into();
        let change = EntryChange::Put(vec![b'v'; VALUE_BYTES]);
        let write = TableWrite { key, expect: Expect::Absent, change };
        let (outcome, time) = wall_time(|| rig.wait(table.commit(vec![write])));
        outcome?;
        times.push(time.as_secs_f64() * 1e3);
    }
    Ok(MeasureRow::unpaired("table commit of one key", Unit::Milliseconds, &times))
}
