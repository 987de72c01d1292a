//! For how long sessions are kept.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bounds::{RETENTION_DAYS_DEFAULT, RETENTION_DAYS_MAX};

/// For how many days a session is kept after its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct RetentionDays(u32);

/// A number of days for which sessions cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("sessions are kept for 1 to {RETENTION_DAYS_MAX} days, not for {found}")]
pub struct RetentionDaysError {
    found: u32,
}

impl RetentionDays {
    /// So many days.
    pub const fn new(days: u32) -> Result<Self, RetentionDaysError> {
        match days {
            1..=RETENTION_DAYS_MAX => Ok(Self(days)),
            found => Err(RetentionDaysError { found }),
        }
    }

    /// The number of days.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The time.
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
