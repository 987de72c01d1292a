//! Searching a tree of 5,000 files beside ripgrep.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::trees;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::measure::{Schedule, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 8, pairs: 10, warm_up: 2 };
const RATIO_MAX: f64 = 1.5;

/// The search pattern, and the number of lines that match it.
const PATTERN: &str = "needle in the [a-z]+";
pub(super) const HITS: u64 = trees::ALL / 50;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = trees::make(bench_dir, "search-tree")?;
    let files = trees::agent(&root)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .map_err(Error::io("start a runtime"))?;
    let ours = || {
        let (reply, time) = wall_time(|| runtime.block_on(files.call("grep", arguments())));
        expect("lines that match", HITS, reply.text.lines().count() as u64)?;
        Ok(time)
    };
    let baseline = || ripgrep(&root);
    let samples = SCHEDULE.run(|_| Ok((&ours, &baseline)))?;
    let samples = samples.map(|time: &Duration| time.as_secs_f64() * 1e3);
    let name = "`grep` over 5,000 files, in process";
    Ok(vec![
        MeasureRow::paired(name, Unit::Milliseconds, "ripgrep", &samples)
            .judged(Bar::ratio(RATIO_MAX)),
    ])
}

/// Returns the search as arguments of the tool `grep`.
pub(super) fn arguments() -> Value {
    json!({ "pattern": PATTERN, "limit": 2_000 })
}

/// Measures the same search by ripgrep, in a process of its own.
pub(super) fn ripgrep(root: &Path) -> Result<Duration> {
    let mut ripgrep = Command::new("rg");
    ripgrep.args(["--no-config", "-n", "-e", PATTERN, "."]).current_dir(root);
    let (output, time) = wall_time(|| ripgrep.output());
    let output = output.map_err(Error::io("run ripgrep"))?;
    // The output ends with a line break, so there is one piece more than there are lines.
    let found = output.stdout.split(|byte| *byte == b'\n').count() - 1;
    expect("lines that ripgrep finds", HITS, found as u64)?;
    Ok(time)
}
