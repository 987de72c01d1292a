//! A time of day and its text forms: in UTC, because logs of several machines are compared.

use std::fmt;

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch: shown to people, never used to order, key or hash anything
/// but the line it stands on.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct TimestampMs(pub u64);

impl TimestampMs {
    /// Returns the milliseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The time for people, such as `2026-11-16 05:40:12`. Times beyond the year 9999 show as the end of that year.
    pub fn utc(self) -> String {
        self.civil().strftime("%F %T").to_string()
    }

    /// The time for programs, as RFC 3339 has it: `2026-11-16T05:40:12.345Z`. Times beyond the year 9999 show as the end
    /// of that year.
    pub fn rfc3339(self) -> String {
        self.civil().strftime("%FT%T%.3fZ").to_string()
    }

    /// Parses the output of [`rfc3339`](Self::rfc3339), and no other form of the same time.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let time: DateTime = text.strip_suffix('Z')?.parse().ok()?;
        let time = Self(time.duration_since(EPOCH).as_millis().try_into().ok()?);
        // A day that the month does not have, and everything else that is out of place, is written in another way.
        (time.rfc3339() == text).then_some(time)
    }

    /// The date and time of day in UTC. A [`jiff::Timestamp`] would end a day earlier, to leave room for time zones.
    fn civil(self) -> DateTime {
        let since_epoch = SignedDuration::from_millis(i64::try_from(self.0).unwrap_or(i64::MAX));
        EPOCH.saturating_add(since_epoch)
    }
}

const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0); // tidy: number of the first year of Unix

impl fmt::Display for TimestampMs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
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
            let time = TimestampMs(day * 86_400_000 + day);
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
