//! File tools in this process: reading a file through the router, the scope, the descriptor walk and the digest, and
//! searching a tree of 5,000 files beside ripgrep.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::trees;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::local_ports::one_worker;
use crate::measure::{Schedule, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

const READS: Schedule = Schedule { blocks: 10, pairs: 200, warm_up: 10 };
const SEARCHES: Schedule = Schedule { blocks: 8, pairs: 10, warm_up: 2 };
const RATIO_MAX: f64 = 1.5;

/// The search pattern, and the number of lines that match it.
const PATTERN: &str = "needle in the [a-z]+";
pub(super) const HITS: u64 = trees::ALL / 50;

/// Measures a read beside the bare one.
pub(super) fn read_rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = trees::make(bench_dir, "read-tree")?;
    let files = trees::agent(&root)?;
    let runtime = one_worker()?;
    let host = root.join("module_07/part_007/file_07.rs");
    let ours = || {
        let arguments = json!({ "path": "/tree/module_07/part_007/file_07.rs" });
        let (reply, time) = wall_time(|| runtime.block_on(files.call("read", arguments)));
        expect("failed reads", 0, u64::from(reply.is_error()))?;
        Ok(time)
    };
    let baseline = || {
        let (bytes, time) = wall_time(|| fs::read(&host));
        bytes.map_err(Error::io("read a file"))?;
        Ok(time)
    };
    let samples = READS.run(|_| Ok((&ours, &baseline)))?;
    let name = "`read` of 120 lines, in process";
    Ok(vec![MeasureRow::timed(name, Unit::Microseconds, "the bare read of its bytes", &samples)])
}

/// Measures a search beside ripgrep.
pub(super) fn search_rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = trees::make(bench_dir, "search-tree")?;
    let files = trees::agent(&root)?;
    let runtime = one_worker()?;
    let ours = || {
        let (reply, time) = wall_time(|| runtime.block_on(files.call("grep", arguments())));
        expect("lines that match", HITS, reply.text.lines().count() as u64)?;
        Ok(time)
    };
    let baseline = || ripgrep(&root);
    let samples = SEARCHES.run(|_| Ok((&ours, &baseline)))?;
    let name = "`grep` over 5,000 files, in process";
    Ok(vec![
        MeasureRow::timed(name, Unit::Milliseconds, "ripgrep", &samples)
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
