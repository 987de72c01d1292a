//! The age of something, in words such as "3 min ago".

use piton_core::TimestampMs;

/// Returns the time between `then` and `now`, in the largest whole unit.
pub(crate) fn ago(now: TimestampMs, then: TimestampMs) -> String {
    // A `then` in the future (a clock that was set back) counts as now.
    let minutes = now.get().saturating_sub(then.get()) / 60_000; // tidy: number: milliseconds of a minute
    let (hours, days) = (minutes / 60, minutes / (24 * 60));
    match (days, hours, minutes) {
        (0, 0, 0) => "just now".to_owned(),
        (0, 0, minutes) => format!("{minutes} min ago"),
        (0, hours, _) => format!("{hours} h ago"),
        (1, ..) => "1 day ago".to_owned(),
        (days, ..) => format!("{days} days ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_largest_whole_unit() {
        let minute = 60_000;
        let cases = [
            (0, "just now"),
            (minute - 1, "just now"),
            (minute, "1 min ago"),
            (59 * minute, "59 min ago"),
            (60 * minute, "1 h ago"),
            (23 * 60 * minute, "23 h ago"),
            (24 * 60 * minute, "1 day ago"),
            (90 * 24 * 60 * minute, "90 days ago"),
        ];
        for (passed, expected) in cases {
            assert_eq!(
                ago(TimestampMs(minute * 1_000_000), TimestampMs(minute * 1_000_000 - passed)),
                expected
            );
        }
        assert_eq!(ago(TimestampMs(0), TimestampMs(5)), "just now");
    }
}
