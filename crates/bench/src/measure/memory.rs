//! The peak memory of this process.

use std::fs;

use crate::error::{Error, Result};

const STATUS: &str = "/proc/self/status";

/// Returns the largest resident size of this process so far.
pub(crate) fn peak_resident_bytes() -> Result<u64> {
    let status = fs::read_to_string(STATUS).map_err(Error::io("read /proc/self/status"))?;
    // The high-water mark never sinks, so a measure needs a process of its own.
    size(&status, "VmHWM:").ok_or_else(|| Error::json("find VmHWM")(STATUS))
}

/// Parses a size in the status of a process, and returns it in bytes.
pub(super) fn size(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    // The kernel writes kB and means KiB.
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_read_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(size(status, "VmHWM:"), Some(2_097_152));
        assert_eq!(size(status, "VmRSS:"), Some(1024));
        assert_eq!(size(status, "VmSwap:"), None);
        assert!(peak_resident_bytes().unwrap() > 100_000);
    }
}
