//! The cost of work: wall time, CPU time, memory, disk calls and bytes read.
//!
//! CPU time is the better measure of work on a shared machine. A durable write mostly waits, and only wall time shows
//! that.

use std::fs;
use std::time::{Duration, Instant};

use piton_store::testing::{DiskCall, Recorder};
use rustix::time::{ClockId, clock_gettime};

use super::statistics::float;
use crate::error::{Error, Result};

/// Runs `work`, and returns its result and the time that passed.
pub(crate) fn wall_time<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// Runs `work`, and returns its result and the CPU time of all threads of this process.
pub(crate) fn process_cpu<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    on(ClockId::ProcessCPUTime, work)
}

/// Runs `work`, and returns its result and the CPU time of this thread.
pub(crate) fn thread_cpu<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    on(ClockId::ThreadCPUTime, work)
}

fn on<R>(clock: ClockId, work: impl FnOnce() -> R) -> (R, Duration) {
    let start = spent(clock);
    let result = work();
    (result, spent(clock).saturating_sub(start))
}

fn spent(clock: ClockId) -> Duration {
    Duration::try_from(clock_gettime(clock)).expect("CPU time starts at zero and only grows")
}

/// Returns the current resident size of a process.
pub(crate) fn resident_bytes(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))
        .map_err(Error::io("read the status of a process"))?;
    size(&status, "VmRSS:").ok_or_else(|| Error::json("find VmRSS")(pid))
}

/// Returns the CPU time of all current threads of a process.
pub(crate) fn cpu_of(pid: u32) -> Result<Duration> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .map_err(Error::io("list the threads of a process"))?;
    // `schedstat` counts nanoseconds. The times in `stat` have the resolution of a clock tick, too coarse for a call.
    let mut sum = Duration::ZERO;
    for thread in threads {
        let thread = thread.map_err(Error::io("list the threads of a process"))?.path();
        // A thread that ended meanwhile has no file any more, and contributes little.
        let Ok(text) = fs::read_to_string(thread.join("schedstat")) else { continue };
        // The first field is the time on the CPU; the wait in the run queue and the number of slices follow.
        let spent = text.split(' ').next().and_then(|spent| spent.parse().ok());
        sum += Duration::from_nanos(spent.ok_or_else(|| Error::json("read schedstat")(text))?);
    }
    Ok(sum)
}

const STATUS: &str = "/proc/self/status";

/// Returns the largest resident size of this process so far.
pub(crate) fn peak_resident_bytes() -> Result<u64> {
    let status = fs::read_to_string(STATUS).map_err(Error::io("read /proc/self/status"))?;
    // The high-water mark never sinks, so a measure needs a process of its own.
    size(&status, "VmHWM:").ok_or_else(|| Error::json("find VmHWM")(STATUS))
}

/// Parses a size in the status of a process, and returns it in bytes.
fn size(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    // The kernel writes kB and means KiB.
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Wall time and CPU time of some work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeSpent {
    pub(crate) time: Duration,
    pub(crate) cpu: Duration,
}

impl TimeSpent {
    /// Runs `work`, and returns its result and its times, with the CPU time of this thread.
    pub(crate) fn here<R>(work: impl FnOnce() -> R) -> (R, Self) {
        let ((result, cpu), time) = wall_time(|| thread_cpu(work));
        (result, Self { time, cpu })
    }

    /// Runs `work`, which returns its time, and adds the CPU time of another process.
    pub(crate) fn of(pid: u32, work: impl FnOnce() -> Result<Duration>) -> Result<Self> {
        let before = cpu_of(pid)?;
        let time = work()?;
        Ok(Self { time, cpu: cpu_of(pid)?.saturating_sub(before) })
    }
}

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

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    fn busy() -> u64 {
        (0..200_000_u64).fold(1, |sum, number| black_box(sum ^ number.wrapping_mul(sum)))
    }

    #[test]
    fn work_costs_cpu_time_and_sleeping_does_not() {
        assert!(thread_cpu(busy).1 > Duration::ZERO);
        assert!(process_cpu(busy).1 > Duration::ZERO);
        let pause = Duration::from_millis(20);
        let ((), cpu) = thread_cpu(|| std::thread::sleep(pause));
        let ((), passed) = wall_time(|| std::thread::sleep(pause));
        assert!(cpu < pause && passed >= pause, "{cpu:?} {passed:?}");
    }

    #[test]
    fn work_shows_in_the_time_of_its_process() {
        let pid = std::process::id();
        let before = cpu_of(pid).unwrap();
        let ((), spent) = thread_cpu(|| {
            for number in 0..20_000_000_u64 {
                black_box(number);
            }
        });
        let after = cpu_of(pid).unwrap();
        // The kernel updates the counter at least at every tick, which is ten milliseconds at most.
        assert!(
            after + Duration::from_millis(10) >= before + spent,
            "{before:?} {after:?} {spent:?}"
        );
        assert!(resident_bytes(pid).unwrap() > 100_000);
    }

    #[test]
    fn a_size_is_read_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(size(status, "VmHWM:"), Some(2_097_152));
        assert_eq!(size(status, "VmRSS:"), Some(1024));
        assert_eq!(size(status, "VmSwap:"), None);
        assert!(peak_resident_bytes().unwrap() > 100_000);
    }
}
