//! The time that sessions are kept, the marks on those that are kept for good, and the reasons for maintenance to fail.

use std::sync::Arc;
use std::time::Duration;

use piton_core::error::sentence;
use piton_core::{Code, Envelope, SessionId};
use piton_store::port::{EntryChange, Expect, Key, Table, TableWrite};
use serde::{Deserialize, Serialize};

use crate::bounds::{RETENTION_DAYS_DEFAULT, RETENTION_DAYS_MAX};

/// Prefix of the keys of retention marks in the table.
const PREFIX: &str = "workflow/retention/";

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

piton_core::closed_set! {
    /// What becomes of a session when its time is over.
    pub enum RetentionMark {
        /// It stays.
        Keep => "keep",
        /// It is removed. So is a session about which nothing was said.
        Expire => "expire",
    }
}

fn key_of(session: SessionId) -> Key {
    Arc::from(format!("{PREFIX}{session}").into_bytes())
}

/// Sets the fate of `session` after its retention time.
pub async fn set_control(
    table: &dyn Table,
    session: SessionId,
    control: RetentionMark,
) -> Result<(), MaintenanceError> {
    // Expiring is the default, so it is stored as no mark at all.
    let change = match control {
        RetentionMark::Keep => EntryChange::Put(control.as_str().into()),
        RetentionMark::Expire => EntryChange::Remove,
    };
    table
        .commit(vec![TableWrite { key: key_of(session), expect: Expect::Anything, change }])
        .await?;
    Ok(())
}

/// Returns the fate of `session` after its retention time.
///
/// A mark that this version does not know is an error: it may ask for the session to stay.
pub async fn control(
    table: &dyn Table,
    session: SessionId,
) -> Result<RetentionMark, MaintenanceError> {
    let Some(entry) = table.get(&key_of(session)).await? else { return Ok(RetentionMark::Expire) };
    let known = str::from_utf8(&entry.value).ok().and_then(|text| text.parse().ok());
    known.ok_or(MaintenanceError::UnknownControl { session })
}

/// Reasons for maintenance to fail.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaintenanceError {
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// The retention mark of a session is unknown to this version.
    #[error("whether {session} is kept is written in a way that this Piton does not know")]
    UnknownControl { session: SessionId },
}

impl MaintenanceError {
    /// Returns the code of the failure.
    pub fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::UnknownControl { .. } => Code::StoreUnsupportedVersion,
        }
    }

    /// Returns the failure as a person reads it.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Store(error) => error.envelope(),
            Self::UnknownControl { .. } => {
                Envelope::new(self.code(), sentence(&format!("{self}; it stays")))
            }
        }
    }
}

impl From<MaintenanceError> for Envelope {
    fn from(error: MaintenanceError) -> Self {
        error.envelope()
    }
}
