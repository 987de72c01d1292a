//! The cost of a process: its memory, and the CPU time that it has spent.

use std::fs;
use std::time::Duration;

use crate::error::{Error, Result};

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

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;
    use crate::measure::thread_cpu;

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
