//! The memory of a history: the peak of a process that packs, minus that of one that does not.

use std::env;
use std::process::{Command, ExitCode};

use super::rig::{empty, node};
use crate::error::{Error, Result};
use crate::measure::{float, peak_resident_bytes};
use crate::report::{Bar, MeasureRow, Unit};

const PACKS: u32 = 10_000;
const PROCESSES: usize = 9;
const MEGABYTES_MAX: f64 = 10.0;

// shows: BP-019
pub(super) fn rows() -> Result<Vec<MeasureRow>> {
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
