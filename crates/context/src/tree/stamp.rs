//! File system metadata of a file, available without reading its content.

/// A point in time as the file system records it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// Seconds since 1970.
    pub seconds: i64,
    pub nanoseconds: u32,
}

/// The metadata by which an untouched file is recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStamp {
    pub size: u64,
    /// Time of the last change of the content.
    pub modified: Time,
    /// Time of the last change of anything about the file. It cannot be set back.
    pub changed: Time,
    pub inode: u64,
}

impl Time {
    /// Returns the time that is `by` earlier.
    #[must_use]
    pub fn before(self, by: std::time::Duration) -> Self {
        let (mut seconds, mut nanoseconds) = (self.seconds, i64::from(self.nanoseconds));
        seconds = seconds.saturating_sub_unsigned(by.as_secs());
        nanoseconds -= i64::from(by.subsec_nanos());
        if nanoseconds < 0 {
            seconds = seconds.saturating_sub(1);
            nanoseconds += 1_000_000_000; // tidy: number of them in a second
        }
        Self { seconds, nanoseconds: u32::try_from(nanoseconds).expect("it is within one second") }
    }
}

impl FileStamp {
    /// True if a change of the file could have gone unnoticed when this stamp was seen in a scan that began at `scan`:
    /// the clock of the file system may not have advanced between the two.
    ///
    /// A file system that records only whole seconds is recognised by times without nanoseconds.
    pub fn is_racy(&self, scan: Time) -> bool {
        use crate::bounds::{COARSE_TICK, FINE_TICK};
        let coarse = self.modified.nanoseconds == 0 && self.changed.nanoseconds == 0;
        let newest_sure = scan.before(if coarse { COARSE_TICK } else { FINE_TICK });
        self.modified >= newest_sure || self.changed >= newest_sure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanoseconds: u32) -> Time {
        Time { seconds, nanoseconds }
    }

    fn stamp(modified: Time, changed: Time) -> FileStamp {
        FileStamp { size: 1, modified, changed, inode: 1 }
    }

    // shows in part: CT-008 (the part that a file touched within the tick of the scan is not trusted)
    #[test]
    fn a_stamp_is_trusted_only_if_the_clock_moved_since() {
        let scan = at(100, 30_000_000);
        for (modified, changed, racy) in [
            (at(99, 5), at(99, 5), false),
            (at(100, 9_999_999), at(99, 5), false),
            (at(100, 10_000_000), at(99, 5), true),
            (at(99, 5), at(100, 30_000_000), true),
            (at(101, 1), at(1, 1), true),
            (at(97, 0), at(97, 0), false),
            (at(99, 0), at(99, 0), true),
        ] {
            assert_eq!(stamp(modified, changed).is_racy(scan), racy, "{modified:?} {changed:?}");
        }
    }
}
