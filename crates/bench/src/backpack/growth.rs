//! The cost of a pack as the history grows, and the memory of a history.

use std::env;
use std::process::{Command, ExitCode};
use std::time::Duration;

use super::rig::{empty, node};
use crate::error::{Error, Result};
use crate::measure::{Schedule, float, peak_resident_bytes, thread_cpu};
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 10, pairs: 1, warm_up: 0 };
/// Three times the packs. A walk through the history at each pack would take nine times as long.
const RATIO_MAX: f64 = 4.0;

// shows in part: BP-013 (the part about time)
pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    let samples = SCHEDULE.run(|_| Ok((|| packs(30_000), || packs(10_000))))?;
    let samples = samples.map(|time| time.as_secs_f64() * 1e3);
    let row = MeasureRow::paired("30,000 packs", Unit::Milliseconds, "10,000 packs", &samples);
    Ok(vec![row.judged(Bar::ratio(RATIO_MAX))])
}

/// Measures the whole life of a backpack: what leaves memory early is freed early, and the rest at the end.
fn packs(count: u32) -> Result<Duration> {
    let (outcome, time) = thread_cpu(|| {
        let backpack = empty();
        let node = node(&backpack, "writer", "flow.writer")?;
        for number in 0..count {
            let _ = node.pack(&format!("key-{}", number % 100), &number)?;
        }
        Ok(())
    });
    outcome.map(|()| time)
}

const PACKS: u32 = 10_000;
const PROCESSES: usize = 9;
const MEGABYTES_MAX: f64 = 10.0;

// shows: BP-019
/// Measures the memory of a history: the peak of a process that packs, minus that of one that does not.
pub(super) fn memory_rows() -> Result<Vec<MeasureRow>> {
    let mut differences = Vec::with_capacity(PROCESSES);
    for _ in 0..PROCESSES {
        // A new process for each, because the peak of a process never sinks.
        let (full, bare) = (elsewhere(PACKS)?, elsewhere(0)?);
        differences.push((full - bare) / 1e6);
    }
    let name = "10,000 packs of 256 bytes over 100 keys";
    let row = MeasureRow::unpaired(name, Unit::Megabytes, &differences);
    Ok(vec![row.judged(Bar::promise(MEGABYTES_MAX))])
}

/// Returns the peak memory, in bytes, of a new process that makes this number of packs.
fn elsewhere(packs: u32) -> Result<f64> {
    let program = env::current_exe().map_err(Error::io("find this program"))?;
    let output = Command::new(program)
        .arg("backpack-memory")
        .arg(packs.to_string())
        .output()
        .map_err(Error::io("start a process"))?;
    if !output.status.success() {
        return Err(Error::Child(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let bytes: u64 = text.trim().parse().map_err(Error::json("read what a process says"))?;
    Ok(float(bytes))
}

/// Makes this number of packs in this process, and prints its peak memory.
pub(crate) fn here(packs: u32) -> Result<ExitCode> {
    let backpack = empty();
    let node = node(&backpack, "writer", "flow.writer")?;
    for number in 0..packs {
        // 254 digits and two quotes are 256 bytes of JSON.
        let value = format!("{number:0254}");
        let _ = node.pack(&format!("key-{}", number % 100), &value)?;
    }
    println!("{}", peak_resident_bytes()?);
    Ok(ExitCode::SUCCESS)
}
