//! What another process costs: the memory that it has, and the CPU time that it has spent.

use std::{fs, time::Duration};

use super::memory::size;
use crate::error::{Error, Result};

/// The resident size of a process now.
pub(crate) fn resident_bytes(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))
        .map_err(Error::io("read the status of a process"))?;
    size(&status, "VmRSS:").ok_or_else(|| Error::json("find VmRSS")(pid))
}

/// The CPU time of all threads that a process has.
pub(crate) fn cpu_of(pid: u32) -> Result<Duration> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .map_err(Error::io("list the threads of a process"))?;
    let mut sum = Duration::ZERO;
    for thread in threads {
        let thread = thread.map_err(Error::io("list the threads of a process"))?.path();
        // One that ended meanwhile has no file any more, and little to say.
        let Ok(text) = fs::read_to_string(thread.join("schedstat")) else { continue };
        let spent = text.split(' ').next().and_then(|spent| spent.parse().ok());
        sum += Duration::from_nanos(spent.ok_or_else(|| Error::json("read schedstat")(text))?);
    }
    Ok(sum)
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
        // The kernel brings it up to date at least with every tick, ten milliseconds at most.
        assert!(
            after + Duration::from_millis(10) >= before + spent,
            "{before:?} {after:?} {spent:?}"
        );
        assert!(resident_bytes(pid).unwrap() > 100_000);
    }
}
