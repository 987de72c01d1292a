//! Points in time as people read them, in UTC: a log is compared with others.

use piton_core::TimestampMs;

const DAY_S: u64 = 24 * 60 * 60;

/// A time as `2026-11-16 05:40:12`.
pub(crate) fn utc(time: TimestampMs) -> String {
    let seconds = time.get() / 1_000; // tidy: number: milliseconds of a second
    let (days, second) = (seconds / DAY_S, seconds % DAY_S);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60); // tidy: number: seconds of an hour
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// The date so many days after 1970-01-01, by the calendar that everybody uses. Years begin in March here, so that
/// the day which some years have more is their last.
fn date(days: u64) -> (u64, u64, u64) {
    const CYCLE_DAYS: u64 = 146_097; // tidy: number: days of 400 years
    let days = days + 719_468; // tidy: number: days from 0000-03-01 to 1970-01-01
    let (cycle, day) = (days / CYCLE_DAYS, days % CYCLE_DAYS);
    let year = (day - day / 1_460 + day / 36_524 - day / (CYCLE_DAYS - 1)) / 365; // tidy: number: days of 4 and of 100 years
    let day = day - (365 * year + year / 4 - year / 100); // tidy: number: days of a year, and leap years
    let month = (5 * day + 2) / 153; // tidy: number: days of five months from March on
    let day = day - (153 * month + 2) / 5 + 1; // tidy: number: the same
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (cycle * 400 + year + next, month, day) // tidy: number: years of a cycle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let cases = [
            (0, "1970-01-01 00:00:00"),
            (951_782_400, "2000-02-29 00:00:00"),
            (1_000_000_000, "2001-09-09 01:46:40"),
            (1_709_251_199, "2024-02-29 23:59:59"),
            (4_107_542_400, "2100-03-01 00:00:00"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(utc(TimestampMs(seconds * 1_000 + 999)), expected);
        }
    }
}
