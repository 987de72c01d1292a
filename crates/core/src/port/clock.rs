//! Time as a port, and the text forms of times: in UTC, because logs of several machines are compared.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch: shown to people, never used to order, key or hash anything
/// but the line it stands on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct TimestampMs(pub u64);

impl TimestampMs {
    /// Returns the milliseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Formats the time for people, such as `2026-11-16 05:40:12`.
    pub fn utc(self) -> String {
        let Civil { year, month, day, hour, minute, second } = Civil::of(self);
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }

    /// Formats the time for programs, according to RFC 3339: `2026-11-16T05:40:12.345Z`. A time beyond the year 9999 is
    /// written as the end of that year.
    pub fn rfc3339(self) -> String {
        let time = self.min(RFC_3339_MAX);
        let Civil { year, month, day, hour, minute, second } = Civil::of(time);
        let ms = time.0 % MS_PER_SECOND;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
    }

    /// Parses the output of [`rfc3339`](Self::rfc3339), and no other form of the same time.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
        let days = days_since_1970(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let seconds = days * DAY_S + hour * HOUR_S + minute * MINUTE_S + second;
        let time = Self(seconds * MS_PER_SECOND + number(20, 23)?);
        // A day that the month does not have, and any other malformed part, is formatted differently.
        (time.rfc3339() == text).then_some(time)
    }
}

const MS_PER_SECOND: u64 = 1_000;
const MINUTE_S: u64 = 60;
const HOUR_S: u64 = 60 * MINUTE_S;
const DAY_S: u64 = 24 * HOUR_S;
/// 9999-12-31T23:59:59.999Z.
const RFC_3339_MAX: TimestampMs = TimestampMs(253_402_300_799_999);

/// A time in the terms of calendars and clocks.
struct Civil {
    year: u64,
    month: u64,
    day: u64,
    hour: u64,
    minute: u64,
    second: u64,
}

// tidy: numbers of the calendar
impl Civil {
    /// Converts a time. Years begin in March here, so that a leap day is the last day of its year.
    fn of(time: TimestampMs) -> Self {
        let seconds = time.0 / MS_PER_SECOND;
        let (days, rest) = (seconds / DAY_S + 719_468, seconds % DAY_S);
        // The calendar repeats every 400 years, which are 146,097 days.
        let (cycle, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        // January and February belong to the next calendar year.
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        Self {
            year: cycle * 400 + year + next,
            month,
            day,
            hour: rest / HOUR_S,
            minute: rest % HOUR_S / MINUTE_S,
            second: rest % MINUTE_S,
        }
    }
}

/// Returns the number of days from 1970-01-01 to a date that is not before it.
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    // As above, January and February belong to the year before.
    let (year, month) =
        if month < 3 { (year.checked_sub(1)?, month + 9) } else { (year, month - 3) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    days.checked_sub(719_468 + 1)
}

impl fmt::Display for TimestampMs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// A source of time.
pub trait Clock: Send + Sync {
    /// Returns the time of day. It may jump in both directions.
    fn now_ms(&self) -> TimestampMs;

    /// Returns the time since some fixed moment of this process. It never goes back; use it for waiting and for
    /// measuring.
    fn monotonic(&self) -> Duration;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times with the output of `date -u` of GNU coreutils.
    const TIMES: [(u64, &str); 7] = [
        (0, "1970-01-01T00:00:00.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_000_000_000_001, "2001-09-09T01:46:40.001Z"),
        (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
        (1_709_251_199_000, "2024-02-29T23:59:59.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ];

    #[test]
    fn times_are_those_of_the_calendar_and_are_read_back() {
        for (ms, text) in TIMES {
            assert_eq!(TimestampMs(ms).rfc3339(), text);
            assert_eq!(TimestampMs::from_rfc3339(text), Some(TimestampMs(ms)), "{text}");
            assert_eq!(TimestampMs(ms).utc(), text[..19].replace('T', " "));
        }
        assert_eq!(TimestampMs(u64::MAX).rfc3339(), "9999-12-31T23:59:59.999Z");
        // Every day of four hundred years, in both directions.
        for day in 0..146_097 {
            let time = TimestampMs(day * DAY_S * MS_PER_SECOND + day);
            assert_eq!(TimestampMs::from_rfc3339(&time.rfc3339()), Some(time));
        }
    }

    #[test]
    fn no_other_form_of_a_time_is_read() {
        let others = [
            "",
            "1800000000000",
            "2026-11-16",
            "2026-11-16T05:40:12Z",
            "2026-11-16T05:40:12.345",
            "2026-11-16T05:40:12.345+00:00",
            "2026-11-16t05:40:12.345z",
            "2026-11-16 05:40:12.345Z",
            "2026-11-16T05:40:12.3456Z",
            "2026-02-29T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-00-01T00:00:00.000Z",
            "2026-11-00T00:00:00.000Z",
            "2026-11-16T24:00:00.000Z",
            "2026-11-16T23:59:60.000Z",
            "1969-12-31T23:59:59.999Z",
            "0000-01-01T00:00:00.000Z",
            "+026-11-16T05:40:12.345Z",
            "2026-11-16T05:40:12.345Z ",
            "२०२६-11-16T05:40:12.345Z",
        ];
        for text in others {
            assert_eq!(TimestampMs::from_rfc3339(text), None, "{text}");
        }
    }
}
