//! Marks on sessions that are to be kept for good.

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
