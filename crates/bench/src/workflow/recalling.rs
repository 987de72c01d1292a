//! Finding the run to resume among a thousand sessions of eight plans each.
//!
//! *Limitations*: cold means an index that knows nothing, in this process; the page cache is warm.

use std::path::Path;
use std::sync::Arc;

use piton_core::port::{NoTrace, Trace};
use piton_store::StreamId;
use piton_store::local::disk::Disk;
use piton_store::local::{
    DataDir, LocalBlobs, LocalCache, LocalLeases, RealDisk, SegmentedJournal, SystemClock,
};
use piton_store::port::{Cache, Journal};
use piton_workflow::SessionEvent;
use piton_workflow::projection::ResumeQuery;
use piton_workflow::run_index::RunIndex;
use tokio::runtime::{Builder, Runtime};

use super::sessions;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::measure::wall_time;
use crate::quiet_disk::QuietDisk;
use crate::report::{Bar, MeasureRow, Unit};

const SESSIONS: u32 = 1_000;
const PLANS: usize = 8;
const RUNS: usize = 21;
const RUNS_WITHOUT_CACHE: usize = 3;
const WARM_MS_MAX: f64 = 50.0;
const COLD_MS_MAX: f64 = 500.0;

/// A query whose words occur together in the notes of one session.
const QUERY: ResumeQuery<'static> = ResumeQuery {
    text: Some("cookie session-500"),
    head_sha: None,
    branch: None,
    with_completed: true,
};

/// Beginning of the notes of that session.
const ANSWER: &str = "# session-500 ";

/// The ports of a process that has just started.
struct ColdPorts {
    journal: Arc<SegmentedJournal<SessionEvent>>,
    blobs: Arc<LocalBlobs>,
    cache: Arc<dyn Cache>,
}

impl ColdPorts {
    fn open(disk: Arc<dyn Disk>, root: &Path) -> Result<Self> {
        let dir = DataDir::on(disk, root)?;
        let trace: Arc<dyn Trace> = Arc::new(NoTrace);
        let blobs = LocalBlobs::new(dir.clone());
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::clone(&trace));
        let journal = SegmentedJournal::sessions(dir.clone(), blobs.clone(), leases, trace);
        let cache = LocalCache::new(dir);
        Ok(Self { journal: Arc::new(journal), blobs: Arc::new(blobs), cache: Arc::new(cache) })
    }

    fn run_index(self) -> RunIndex {
        RunIndex::new(self.journal, self.blobs, self.cache)
    }
}

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("recall")?;
    let runtime = Builder::new_multi_thread().build().map_err(Error::io("start a runtime"))?;
    prepare(&runtime, &root)?;
    bench_dir.sync()?;
    let fresh = || ColdPorts::open(Arc::new(RealDisk), &root).map(ColdPorts::run_index);
    let without_cache = times(RUNS_WITHOUT_CACHE, || {
        let ports = ColdPorts::open(Arc::new(RealDisk), &root)?;
        // A cache in memory starts empty, so every session is read from its log.
        let cache = Arc::new(piton_store::memory::MemoryCache::new());
        resume(&runtime, &ColdPorts { cache, ..ports }.run_index())
    })?;
    // Fills the cache on disk.
    resume(&runtime, &fresh()?)?;
    let cold = times(RUNS, || resume(&runtime, &fresh()?))?;
    // The same index answers every time, so that everything is known to this process.
    let warm = fresh()?;
    resume(&runtime, &warm)?;
    let warm = times(RUNS, || resume(&runtime, &warm))?;
    Ok(vec![
        MeasureRow::unpaired(
            "resume, 1,000 sessions known to this process",
            Unit::Milliseconds,
            &warm,
        )
        .judged(Bar::calibrated(WARM_MS_MAX)),
        MeasureRow::unpaired(
            "resume, 1,000 sessions known to the cache",
            Unit::Milliseconds,
            &cold,
        )
        .judged(Bar::calibrated(COLD_MS_MAX)),
        MeasureRow::unpaired(
            "resume, 1,000 sessions, without a cache",
            Unit::Milliseconds,
            &without_cache,
        ),
    ])
}

fn times(count: usize, mut run: impl FnMut() -> Result<f64>) -> Result<Vec<f64>> {
    (0..count).map(|_| run()).collect()
}

/// Finds the session that the query names, and returns the time in milliseconds.
fn resume(runtime: &Runtime, recall: &RunIndex) -> Result<f64> {
    let (offers, time) = wall_time(|| runtime.block_on(recall.resume(&QUERY)));
    let offers = offers?.ranking.offers;
    expect("runs that are offered", 5, offers.len() as u64)?;
    let is_answer = offers[0].summary.snippet().starts_with(ANSWER);
    expect("the run that was asked for", 1, u64::from(is_answer))?;
    Ok(time.as_secs_f64() * 1e3)
}

/// Writes the sessions, without waiting for the disk.
fn prepare(runtime: &Runtime, root: &Path) -> Result<()> {
    let ColdPorts { journal, .. } = ColdPorts::open(Arc::new(QuietDisk), root)?;
    let workflow = sessions::workflow()?;
    for number in 0..SESSIONS {
        let (id, plans) = sessions::session(number, PLANS, &workflow);
        runtime.block_on(async {
            let lease = journal.lease(&StreamId::from(id)).await?;
            for plan in plans {
                journal.append(&lease.writer(), plan).await?;
            }
            Ok::<_, piton_store::Error>(())
        })?;
    }
    Ok(())
}
