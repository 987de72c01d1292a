//! Import: makes a session from a bundle, and removes the remains of an import that was cut off.
//!
//! A session that fits into one plan enters the journal whole or not at all. One that takes several plans is noted in
//! the table before its first plan, and the note is removed after its last one, all under the session's lease. So a
//! process that holds the lease and finds a note has found an import that was cut off. If the last event is there,
//! only the note was left; if it is not, the session is incomplete and is removed.

use std::sync::Arc;

use piton_core::{DedupeKey, EventIndex, SessionId};
use piton_store::bounds::{PLAN_BYTES_MAX, PLAN_EVENTS_MAX};
use piton_store::port::{BlobNamespace, EntryChange, Expect, Key, StreamLease, Table, TableWrite};
use piton_store::record::Record;
use piton_store::{AppendPlan, StreamId};
use serde::{Deserialize, Serialize};

use super::export::TransferError;
use crate::bounds::TABLE_PAGE;
use crate::bundle::{Bundle, SessionContent};
use crate::event::SessionEvent;
use crate::ports::SessionPorts;
use crate::run_index::remove_from_index;

/// Prefix of the keys of notes in the table.
const PREFIX: &[u8] = b"workflow/import/";

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    pub session: SessionId,
    /// The id in the bundle, if that one was taken.
    pub renamed_from: Option<SessionId>,
    pub events: usize,
    /// Number of plans in which the events were appended.
    pub plans: usize,
    pub snapshots: usize,
    pub pinned_workflows: usize,
    pub artifacts: usize,
}

/// Makes a session from `bundle`, under its own id if that is free and under a new one otherwise.
///
/// An existing session is never touched. If the import fails or is cut off, there is no new session. Content that was
/// stored for it and is not needed is collected later.
pub async fn import(ports: SessionPorts<'_>, bundle: &Bundle) -> Result<Imported, TransferError> {
    let content = bundle.content();
    // An earlier import of the same bundle may have been cut off. Its remains would make the id look taken.
    remove_unfinished(ports).await?;
    let (lease, session) = claim(ports, content.session).await?;
    let renamed_from = (session != content.session).then_some(content.session);
    let events = match renamed_from {
        None => content.events.clone(),
        Some(_) => content.events_as(session),
    };
    let count = events.len();
    let plans = join_plans(events, &content.manifest);
    let imported = Imported {
        session,
        renamed_from,
        events: count,
        plans: plans.len(),
        snapshots: content.snapshots.len(),
        pinned_workflows: content.pinned_workflows.len(),
        artifacts: content.artifacts.len(),
    };
    // Content goes first, so that no event ever refers to something missing.
    store_parts(ports, content).await?;
    match append(ports, &lease, session, plans).await {
        Ok(()) => Ok(imported),
        Err(error) => {
            // The stream was empty when the lease was taken, so everything in it is ours. If it cannot be removed
            // now, the note stays and the next import removes it.
            if ports.journal.delete(lease).await.is_ok() {
                // A reader may have seen the beginning of it. If this fails, the next reader notices.
                let _ = remove_from_index(ports.index, [StreamId::from(session)]).await;
                let _ = forget(ports.table, session).await;
            }
            Err(error)
        }
    }
}

/// Leases the session `wanted` if it does not exist, else a new one.
async fn claim(
    ports: SessionPorts<'_>,
    wanted: SessionId,
) -> Result<(StreamLease, SessionId), TransferError> {
    use piton_store::Error::{Locked, NotHealthy, Poisoned};
    match ports.journal.lease(&StreamId::from(wanted)).await {
        Ok(lease) if lease.next_event() == EventIndex::ZERO => return Ok((lease, wanted)),
        // It exists: it has events, another process writes to it, or it is damaged.
        Ok(_) | Err(Locked { .. } | NotHealthy { .. } | Poisoned { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    // 128 random bits: no other session has this id.
    let new = SessionId::mint(ports.entropy);
    Ok((ports.journal.lease(&StreamId::from(new)).await?, new))
}

/// Joins the events into as few plans as the store accepts, cutting only where a plan of the bundle ended. Most
/// sessions fit into one plan, and then exist whole or not at all.
fn join_plans(events: Vec<SessionEvent>, manifest: &[Record]) -> Vec<Vec<SessionEvent>> {
    let mut rest = events.into_iter();
    let mut plans: Vec<Vec<SessionEvent>> = Vec::new();
    let mut bytes = 0;
    for record in manifest {
        let Record::SegmentClosed(close) = record else { continue };
        let count = close.last_event_index.get() - close.first_event_index.get() + 1;
        let plan = rest.by_ref().take(usize::try_from(count).unwrap_or(usize::MAX));
        let plan: Vec<SessionEvent> = plan.collect();
        // A new session id is as long as the old one, so every line keeps its length.
        bytes += close.bytes;
        match plans.last_mut() {
            Some(last)
                if last.len() + plan.len() <= PLAN_EVENTS_MAX && bytes <= PLAN_BYTES_MAX as u64 =>
            {
                last.extend(plan);
            }
            _ => {
                bytes = close.bytes;
                plans.push(plan);
            }
        }
    }
    plans
}

/// Stores the content that the events refer to. It is too young to be collected before the events are there.
async fn store_parts(
    ports: SessionPorts<'_>,
    content: &SessionContent,
) -> Result<(), TransferError> {
    for snapshot in content.snapshots.values() {
        ports.blobs.put(BlobNamespace::Snapshots, snapshot.encode().into_vec()).await?;
    }
    for workflow in content.pinned_workflows.values() {
        ports.blobs.put(BlobNamespace::PinnedWorkflows, workflow.canonical().into_vec()).await?;
    }
    for artifact in content.artifacts.values() {
        ports.blobs.put(BlobNamespace::Artifacts, artifact.as_bytes().to_vec()).await?;
    }
    Ok(())
}

async fn append(
    ports: SessionPorts<'_>,
    lease: &StreamLease,
    session: SessionId,
    plans: Vec<Vec<SessionEvent>>,
) -> Result<(), TransferError> {
    // One plan is atomic. Several are not, so the import is noted before the first and the note is removed after the
    // last; a crash in between leaves the note for `remove_unfinished`.
    let several = plans.len() > 1;
    if several && let Some(last) = plans.last().and_then(|plan| plan.last()) {
        let key = last.dedupe_key().clone();
        note(ports.table, session, last.index(), key).await?;
    }
    for plan in plans {
        ports.journal.append(&lease.writer(), AppendPlan::new(plan)).await?;
    }
    if several {
        forget(ports.table, session).await?;
    }
    Ok(())
}

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
async fn note(
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
async fn forget(table: &dyn Table, session: SessionId) -> Result<(), TransferError> {
    change(table, session, EntryChange::Remove).await
}

/// Removes the sessions that cut-off imports left incomplete, and returns them. An import in progress is left alone.
/// So is a session that was damaged as well: no run can continue from that one.
pub async fn remove_unfinished(ports: SessionPorts<'_>) -> Result<Vec<SessionId>, TransferError> {
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
    ports: SessionPorts<'_>,
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
        remove_from_index(ports.index, [stream]).await?;
    }
    // Only now may the note go: a crash before this point repeats the removal the next time.
    forget(ports.table, session).await?;
    Ok(!whole)
}
