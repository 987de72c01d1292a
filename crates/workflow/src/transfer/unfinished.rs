//! Imports that were cut off.
//!
//! A session that fits into one plan enters the journal whole or not at all. One that takes several plans is noted in
//! the table before its first plan, and the note is removed after its last one, all under the session's lease. So a
//! process that holds the lease and finds a note has found an import that was cut off. If the last event is there,
//! only the note was left; if it is not, the session is incomplete and is removed.

use std::sync::Arc;

use piton_core::{DedupeKey, EventIndex, SessionId};
use piton_store::StreamId;
use piton_store::port::{EntryChange, Expect, Key, Table, TableWrite};
use serde::{Deserialize, Serialize};

use super::error::TransferError;
use super::ports::TransferPorts;
use crate::bounds::TABLE_PAGE;

const PREFIX: &[u8] = b"workflow/import/";

/// The note about an import: the event that marks its end.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Note {
    last_index: EventIndex,
    last_key: DedupeKey,
}

fn key_of(session: SessionId) -> Key {
    Arc::from([PREFIX, session.to_string().as_bytes()].concat())
}

fn session_of(key: &[u8]) -> Option<SessionId> {
    std::str::from_utf8(key.strip_prefix(PREFIX)?).ok()?.parse().ok()
}

async fn change(
    table: &dyn Table,
    session: SessionId,
    change: EntryChange,
) -> Result<(), TransferError> {
    let write = TableWrite { key: key_of(session), expect: Expect::Anything, change };
    table.commit(vec![write]).await?;
    Ok(())
}

/// Notes that an import into `session` begins and ends with the event `last_key` at `last_index`.
pub(super) async fn note(
    table: &dyn Table,
    session: SessionId,
    last_index: EventIndex,
    last_key: DedupeKey,
) -> Result<(), TransferError> {
    let note = serde_json::to_vec(&Note { last_index, last_key })
        .expect("a number and a text are always written");
    change(table, session, EntryChange::Put(note)).await
}

/// Removes the note about an import into `session`.
pub(super) async fn forget(table: &dyn Table, session: SessionId) -> Result<(), TransferError> {
    change(table, session, EntryChange::Remove).await
}

/// Removes the sessions that cut-off imports left incomplete, and returns them. An import in progress is left alone.
/// So is a session that was damaged as well: no run can continue from that one.
pub async fn remove_unfinished(ports: TransferPorts<'_>) -> Result<Vec<SessionId>, TransferError> {
    let mut removed = Vec::new();
    let mut after: Option<Key> = None;
    loop {
        let page = ports.table.scan(PREFIX, after.as_deref(), TABLE_PAGE).await?;
        for entry in &page.entries {
            if let Some(session) = session_of(&entry.key)
                && remove_if_half(ports, session).await?
            {
                removed.push(session);
            }
        }
        after = page.entries.last().map(|entry| Arc::clone(&entry.key));
        if !page.more {
            return Ok(removed);
        }
    }
}

async fn remove_if_half(
    ports: TransferPorts<'_>,
    session: SessionId,
) -> Result<bool, TransferError> {
    use piton_store::Error::{Locked, NotHealthy, Poisoned};
    let stream = StreamId::from(session);
    // The lease is what tells a dead import from a running one: a running import holds it from its note to its last
    // plan.
    let lease = match ports.journal.lease(&stream).await {
        Ok(lease) => lease,
        Err(Locked { .. } | NotHealthy { .. } | Poisoned { .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    // The import may have ended since the note was listed.
    let Some(entry) = ports.table.get(&key_of(session)).await? else { return Ok(false) };
    let whole = match serde_json::from_slice::<Note>(&entry.value) {
        Ok(note) => ports.journal.lookup(&stream, &note.last_key).await? == Some(note.last_index),
        // Another version wrote the note and knows its meaning.
        Err(_) => return Ok(false),
    };
    if !whole {
        ports.journal.delete(lease).await?;
    }
    // Only now may the note go: a crash before this point repeats the removal the next time.
    forget(ports.table, session).await?;
    Ok(!whole)
}
