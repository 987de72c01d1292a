//! Whether a session is kept for good.

use std::sync::Arc;

use piton_core::SessionId;
use piton_store::port::{EntryChange, Expect, Key, Table, TableWrite};

use super::error::MaintenanceError;

const PREFIX: &str = "workflow/retention/";

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

/// Says what becomes of `session` when its time is over.
pub async fn set_control(
    table: &dyn Table,
    session: SessionId,
    control: RetentionMark,
) -> Result<(), MaintenanceError> {
    let change = match control {
        RetentionMark::Keep => EntryChange::Put(control.as_str().into()),
        RetentionMark::Expire => EntryChange::Remove,
    };
    table
        .commit(vec![TableWrite { key: key_of(session), expect: Expect::Anything, change }])
        .await?;
    Ok(())
}

/// What becomes of `session` when its time is over.
///
/// A control that is not known here is an error: it may ask for the session to stay.
pub async fn control(
    table: &dyn Table,
    session: SessionId,
) -> Result<RetentionMark, MaintenanceError> {
    let Some(entry) = table.get(&key_of(session)).await? else { return Ok(RetentionMark::Expire) };
    let known = str::from_utf8(&entry.value).ok().and_then(|text| text.parse().ok());
    known.ok_or(MaintenanceError::UnknownControl { session })
}
