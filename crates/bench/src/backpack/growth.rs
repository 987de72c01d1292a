//! The cost of a pack as the history grows, and the memory of a history.

use std::process::ExitCode;
use std::time::Duration;

use super::rig::{empty, writer};
use crate::error::Result;
use crate::measure::{Schedule, float, peak_resident_bytes, thread_cpu};
use crate::process::elsewhere;
use crate::report::{Bar, MeasureRow, Unit};

const SCHEDULE: Schedule = Schedule { blocks: 10, pairs: 1, warm_up: 0 };
/// Three times the packs. A walk through the history at each pack would take nine times as long.
const RATIO_MAX: f64 = 4.0;

// shows in part: BP-013 (the part about time)
pub(super) fn rows() -> Result<Vec<MeasureRow>> {
    let samples = SCHEDULE.run(|_| Ok((|| packs(30_000), || packs(10_000))))?;
    let row = MeasureRow::timed("30,000 packs", Unit::Milliseconds, "10,000 packs", &samples);
    Ok(vec![row.judged(Bar::ratio(RATIO_MAX))])
}

/// Measures the whole life of a backpack: what leaves memory early is freed early, and the rest at the end.
fn packs(count: u32) -> Result<Duration> {
    let (outcome, time) = thread_cpu(|| {
        let backpack = empty();
        let node = writer(&backpack)?;
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
        let (full, bare) = (peak_of(PACKS)?, peak_of(0)?);
        differences.push((full - bare) / 1e6);
    }
    let name = "10,000 packs of 256 bytes over 100 keys";
    let row = MeasureRow::unpaired(name, Unit::Megabytes, &differences);
    Ok(vec![row.judged(Bar::promise(MEGABYTES_MAX))])
}

/// Returns the peak memory, in bytes, of a new process that makes this number of packs.
fn peak_of(packs: u32) -> Result<f64> {
    elsewhere(&["backpack-memory".as_ref(), packs.to_string().as_ref()]).map(float)
}

/// Makes this number of packs in this process, and prints its peak memory.
pub(crate) fn here(packs: u32) -> Result<ExitCode> {
    let backpack = empty();
    let node = writer(&backpack)?;
    for number in 0..packs {
        // 254 digits and two quotes are 256 bytes of JSON.
        let value = format!("{number:0254}");
        let _ = node.pack(&format!("key-{}", number % 100), &value)?;
    }
    println!("{}", peak_resident_bytes()?);
    Ok(ExitCode::SUCCESS)
}
