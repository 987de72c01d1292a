//! Reading a file through the router, the scope, the descriptor walk and the digest.

use std::fs;
use std::time::Duration;

use serde_json::json;

use super::trees;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::measure::{Schedule, wall_time};
use crate::report::{MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 10, pairs: 200, warm_up: 10 };

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let root = trees::make(bench_dir, "read-tree")?;
    let files = trees::agent(&root)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .map_err(Error::io("start a runtime"))?;
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
    let samples = SCHEDULE.run(|_| Ok((&ours, &baseline)))?;
    let samples = samples.map(|time: &Duration| time.as_secs_f64() * 1e6);
    let name = "`read` of 120 lines, in process";
    Ok(vec![MeasureRow::paired(name, Unit::Microseconds, "the bare read of its bytes", &samples)])
}
