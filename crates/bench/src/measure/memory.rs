//! How much memory a process has had.

use std::fs;

use crate::error::{Error, Result};

const STATUS: &str = "/proc/self/status";

/// The largest resident size of this process so far.
pub(crate) fn peak_resident_bytes() -> Result<u64> {
    let status = fs::read_to_string(STATUS).map_err(Error::io("read /proc/self/status"))?;
    high_water(&status).ok_or_else(|| Error::json("find VmHWM")(STATUS))
}

fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read_in_bytes() {
        assert_eq!(high_water("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), Some(2_097_152));
        assert_eq!(high_water("VmRSS:\t 1 kB\n"), None);
        assert!(peak_resident_bytes().unwrap() > 100_000);
    }
}
