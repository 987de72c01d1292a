//! The time that sessions are kept.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bounds::{RETENTION_DAYS_DEFAULT, RETENTION_DAYS_MAX};

/// Number of days that a session is kept after its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct RetentionDays(u32);

/// A number of days that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("sessions are kept for 1 to {RETENTION_DAYS_MAX} days, not for {found}")]
pub struct RetentionDaysError {
    found: u32,
}

impl RetentionDays {
    /// Creates a retention of `days`, which must be within 1 and the maximum.
    pub const fn new(days: u32) -> Result<Self, RetentionDaysError> {
        match days {
            1..=RETENTION_DAYS_MAX => Ok(Self(days)),
            found => Err(RetentionDaysError { found }),
        }
    }

    /// Returns the number of days.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the retention as a duration.
    pub const fn duration(self) -> Duration {
        Duration::from_hours(24 * self.0 as u64)
    }
}

impl Default for RetentionDays {
    fn default() -> Self {
        Self(RETENTION_DAYS_DEFAULT)
    }
}

impl TryFrom<u32> for RetentionDays {
    type Error = RetentionDaysError;

    fn try_from(days: u32) -> Result<Self, RetentionDaysError> {
        Self::new(days)
    }
}

impl From<RetentionDays> for u32 {
    fn from(days: RetentionDays) -> Self {
        days.0
    }
}
