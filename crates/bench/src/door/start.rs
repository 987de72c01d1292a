//! The start of a server: the time to its first answer, and its memory at that point.

use super::client::DoorClient;
use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::measure::float;
use crate::report::{Bar, MeasureRow, Unit};

const STARTS: usize = 21;
const MS_MAX: f64 = 50.0;
const MEGABYTES_MAX: f64 = 40.0;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = bench_dir.make("door-start")?;
    let mut times = Vec::with_capacity(STARTS);
    let mut sizes = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let client = DoorClient::open(&data)?;
        times.push(client.started_in.as_secs_f64() * 1e3);
        sizes.push(float(client.server_bytes()?) / 1e6);
    }
    Ok(vec![
        MeasureRow::unpaired(
            "start of `piton mcp` to its first answer",
            Unit::Milliseconds,
            &times,
        )
        .judged(Bar::promise(MS_MAX)),
        MeasureRow::unpaired("  its memory then", Unit::Megabytes, &sizes)
            .judged(Bar::promise(MEGABYTES_MAX)),
    ])
}
