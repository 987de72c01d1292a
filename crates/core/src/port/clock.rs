//! Time as a port.

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
    /// The milliseconds.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for TimestampMs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// The time of day. It may jump in both directions.
    fn now_ms(&self) -> TimestampMs;

    /// Time since some fixed moment of this process. It never goes back; use it for waiting and for
    /// measuring.
    fn monotonic(&self) -> Duration;
}
