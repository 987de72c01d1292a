//! Whether a session is kept for good.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::SessionId;
use piton_store::port::{Change, Expect, Key, Table, Write};

use super::error::UpkeepError;
use crate::bounds::TABLE_PAGE;

const PREFIX: &[u8] = b"workflow/retention/";

piton_core::closed_set! {
    /// What becomes of a session when its time is over.
    pub enum Control {
        /// It stays.
        Keep => "keep",
        /// It is removed. So is a session about which nothing was said.
        Expire => "expire",
    }
}

/// Says what becomes of `session` when its time is over.
pub async fn set_control(
    table: &dyn Table,
    session: SessionId,
    control: Control,
) -> Result<(), UpkeepError> {
    let change = match control {
        Control::Keep => Change::Put(control.as_str().into()),
        Control::Expire => Change::Remove,
    };
    let key: Key = Arc::from([PREFIX, session.to_string().as_bytes()].concat());
    table.commit(vec![Write { key, expect: Expect::Anything, change }]).await?;
    Ok(())
}

/// What was said about sessions; one that is not among them expires.
///
/// A control that is not known here is an error: it may ask for a session to stay.
pub async fn controls(table: &dyn Table) -> Result<BTreeMap<SessionId, Control>, UpkeepError> {
    let mut found = BTreeMap::new();
    let mut after: Option<Key> = None;
    loop {
        let page = table.scan(PREFIX, after.as_deref(), TABLE_PAGE).await?;
        for entry in &page.entries {
            let name = entry.key.strip_prefix(PREFIX).and_then(|name| str::from_utf8(name).ok());
            let Some(session) = name.and_then(|name| name.parse().ok()) else { continue };
            let control = str::from_utf8(&entry.value).ok().and_then(|text| text.parse().ok());
            found.insert(session, control.ok_or(UpkeepError::UnknownControl { session })?);
        }
        after = page.entries.last().map(|entry| Arc::clone(&entry.key));
        if !page.more {
            return Ok(found);
        }
    }
}
