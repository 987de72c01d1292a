//! Lists of 100,000 runs, and the memory of a process that has 10,000.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_store::StreamId;
use piton_store::port::Journal as _;

use super::server::ConsoleServer;
use crate::bench_dir::BenchDir;
use crate::error::{Result, expect};
use crate::local_ports::{LocalPorts, runtime};
use crate::measure::wall_time;
use crate::quiet_disk::QuietDisk;
use crate::report::{Bar, MeasureRow, Unit};
use crate::workflow::sessions;

/// Number of runs that a list has.
pub(super) const RUNS: u32 = 100_000;
const FEW_RUNS: u32 = 10_000;
const WORKFLOWS: u32 = 10;

const REQUESTS: usize = 21;
const FIRST_MS_MAX: f64 = 100.0;
const JUMP_MS_MAX: f64 = 50.0;
const QUERY_MS_MAX: f64 = 100.0;
const INBOX_MS_MAX: f64 = 100.0;
const MEGABYTES_MAX: f64 = 80.0;

/// The first page of the list, as the page asks for it.
const FIRST: &str = "/runs?limit=100&from=0";
const JUMP: &str = "/runs?limit=100&from=50000";
const QUERIES: [(&str, &str); 4] = [
    (
        "  a query by fields",
        "/runs?limit=100&query=workflow%3Aproject.bench-3%20branch%3Atopic%2F3",
    ),
    ("  a query by two words", "/runs?limit=100&query=cookie%20step"),
    ("  a query by the beginning of a word", "/search?query=sess&limit=20"),
    ("  a query that one run matches", "/runs?limit=100&query=session-4711"),
];

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = prepared(bench_dir, RUNS)?;
    let mut server = ConsoleServer::start(&data)?;
    let (caught_up, built) = wall_time(|| server.wait_until_caught_up());
    caught_up?;
    // A process that has just started answers from the index while it looks for changes.
    drop(server);
    let mut cold = Vec::new();
    for _ in 0..5 {
        let mut server = ConsoleServer::start(&data)?;
        let (reply, time) = wall_time(|| server.client.get(FIRST, None));
        expect("runs", u64::from(RUNS), reply?.json()?["total"].as_u64().unwrap_or(0))?;
        cold.push(time.as_secs_f64() * 1e3);
    }
    let mut server = ConsoleServer::start(&data)?;
    let (caught_up, checked) = wall_time(|| server.wait_until_caught_up());
    caught_up?;
    server.wait_until_idle()?;
    let mut times = |path: &str| -> Result<Vec<f64>> {
        server.client.get(path, None)?;
        (0..REQUESTS)
            .map(|_| {
                let (reply, time) = wall_time(|| server.client.get(path, None));
                reply.map(|_| time.as_secs_f64() * 1e3)
            })
            .collect()
    };
    let row = |name, times: &[f64]| MeasureRow::unpaired(name, Unit::Milliseconds, times);
    let mut rows = vec![
        row("100,000 runs, first rows from a new process", &cold)
            .judged(Bar::calibrated(FIRST_MS_MAX)),
        row("100,000 runs, first rows", &times(FIRST)?).judged(Bar::calibrated(FIRST_MS_MAX)),
        row("  jump into the middle", &times(JUMP)?).judged(Bar::calibrated(JUMP_MS_MAX)),
    ];
    for (name, path) in QUERIES {
        rows.push(row(name, &times(path)?).judged(Bar::calibrated(QUERY_MS_MAX)));
    }
    rows.push(
        row("  what waits for a person", &times("/inbox")?).judged(Bar::calibrated(INBOX_MS_MAX)),
    );
    rows.push(row("  making the index", &[built.as_secs_f64() * 1e3]));
    rows.push(row("  looking for changes at the start", &[checked.as_secs_f64() * 1e3]));
    Ok(rows)
}

/// Measures the memory of a process that serves 10,000 runs, after a person looked at its lists.
pub(super) fn memory_rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = prepared(bench_dir, FEW_RUNS)?;
    // The first process makes the index, and needs no more memory for it than a later one.
    let mut sizes = Vec::new();
    for _ in 0..2 {
        let mut server = ConsoleServer::start(&data)?;
        server.wait_until_caught_up()?;
        for path in [FIRST, "/runs?limit=100&from=5000", "/inbox", QUERIES[1].1, QUERIES[2].1] {
            server.client.get(path, None)?;
        }
        sizes.push(server.megabytes()?);
    }
    Ok(vec![
        MeasureRow::unpaired("memory of a console with 10,000 runs", Unit::Megabytes, &sizes)
            .judged(Bar::promise(MEGABYTES_MAX)),
    ])
}

/// Returns a data directory with sessions of one run each.
pub(super) fn prepared(bench_dir: &BenchDir, runs: u32) -> Result<PathBuf> {
    bench_dir.shared(&format!("console-{runs}-runs"), |root| prepare(root, runs))
}

/// Writes the sessions, without waiting for the disk.
fn prepare(root: &Path, runs: u32) -> Result<()> {
    let journal = LocalPorts::open(Arc::new(QuietDisk), root)?.sessions();
    let workflow = |number| sessions::workflow(&format!("project.bench-{number}"));
    let workflows = (0..WORKFLOWS).map(workflow).collect::<Result<Vec<_>>>()?;
    let append = async {
        for number in 0..runs {
            let workflow = &workflows[(number % WORKFLOWS) as usize];
            // Some have only begun, others have done a step or two.
            let plans = 1 + (number as usize / 7) % 3;
            let (id, plans) = sessions::session(number, plans, workflow);
            let lease = journal.lease(&StreamId::from(id)).await?;
            for plan in plans {
                journal.append(&lease.writer(), plan).await?;
            }
        }
        Ok::<_, piton_store::Error>(())
    };
    Ok(runtime()?.block_on(append)?)
}
