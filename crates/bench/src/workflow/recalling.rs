//! Finding the run to resume among a thousand sessions of eight plans each.
//!
//! *Limitations*: cold means an index that knows nothing, in this process; the page cache is warm.

use std::path::Path;
use std::sync::Arc;

use piton_store::StreamId;
use piton_store::local::{LocalIndex, RealDisk};
use piton_store::port::{Index, Journal};
use piton_workflow::projection::ResumeQuery;
use piton_workflow::run_index::RunIndex;
use tokio::runtime::{Builder, Runtime};

use super::sessions;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::local_ports::LocalPorts;
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

/// Returns the index of a process that has just started, with the index on disk unless another is given.
fn run_index(root: &Path, index: Option<Arc<dyn Index>>) -> Result<RunIndex> {
    let ports = LocalPorts::open(Arc::new(RealDisk), root)?;
    let journal = ports.sessions();
    let index = index.unwrap_or_else(|| Arc::new(LocalIndex::new(ports.dir)));
    Ok(RunIndex::new(Arc::new(journal), Arc::new(ports.blobs), index))
}

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = bench_dir.make("recall")?;
    let runtime = Builder::new_multi_thread().build().map_err(Error::io("start a runtime"))?;
    prepare(&runtime, &root)?;
    bench_dir.sync()?;
    let fresh = || run_index(&root, None);
    let without_cache = times(RUNS_WITHOUT_CACHE, || {
        // An index in memory starts empty, so every session is read from its log.
        let index = Arc::new(piton_store::memory::MemoryIndex::new());
        resume(&runtime, &run_index(&root, Some(index))?)
    })?;
    // Fills the index on disk.
    resume(&runtime, &fresh()?)?;
    let cold = times(RUNS, || resume(&runtime, &fresh()?))?;
    // The same index answers every time, so that everything is known to this process.
    let warm = fresh()?;
    resume(&runtime, &warm)?;
    let warm = times(RUNS, || resume(&runtime, &warm))?;
    let row = |name, times: &[f64]| MeasureRow::unpaired(name, Unit::Milliseconds, times);
    Ok(vec![
        row("resume, 1,000 sessions known to this process", &warm)
            .judged(Bar::calibrated(WARM_MS_MAX)),
        row("resume, 1,000 sessions known to the cache", &cold)
            .judged(Bar::calibrated(COLD_MS_MAX)),
        row("resume, 1,000 sessions, without a cache", &without_cache),
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
    let journal = LocalPorts::open(Arc::new(QuietDisk), root)?.sessions();
    let workflow = sessions::workflow("project.bench")?;
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
