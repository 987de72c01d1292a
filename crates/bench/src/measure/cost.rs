//! The cost of work apart from waiting: CPU time, disk calls and bytes read.

use std::time::Duration;

use piton_store::testing::{DiskCall, Recorder};

use super::clocks::process_cpu;
use super::statistics::float;

/// Cost of some work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    cpu: Duration,
    calls: u64,
    bytes_read: u64,
}

impl Cost {
    /// Runs `work`, and returns its result and its cost: the CPU time of all threads of this process, and the disk
    /// calls that `recorder` saw.
    pub(crate) fn of<R>(recorder: &Recorder, work: impl FnOnce() -> R) -> (R, Self) {
        // Discards what earlier work left in the recorder.
        recorder.take();
        let (result, cpu) = process_cpu(work);
        let calls = recorder.take();
        (result, Self { cpu, calls: calls.len() as u64, bytes_read: bytes_read(&calls) })
    }

    /// Returns the CPU time in microseconds.
    pub(crate) fn cpu_us(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6
    }

    /// Returns the number of disk calls.
    pub(crate) fn calls(&self) -> f64 {
        float(self.calls)
    }

    /// Returns the number of bytes read from the disk.
    pub(crate) fn bytes_read(&self) -> f64 {
        float(self.bytes_read)
    }
}

fn bytes_read(calls: &[DiskCall]) -> u64 {
    calls.iter().filter(|call| call.operation == "read").map(|call| call.bytes as u64).sum()
}
