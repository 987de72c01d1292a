//! Import: makes a session from a bundle.

use piton_core::{EventIndex, SessionId};
use piton_store::bounds::{PLAN_BYTES_MAX, PLAN_EVENTS_MAX};
use piton_store::port::{BlobNamespace, StreamLease};
use piton_store::record::Record;
use piton_store::{AppendPlan, StreamId};

use super::error::TransferError;
use super::ports::TransferPorts;
use super::unfinished;
use crate::bundle::{Bundle, SessionContent};
use crate::event::SessionEvent;

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
pub async fn import(ports: TransferPorts<'_>, bundle: &Bundle) -> Result<Imported, TransferError> {
    let content = bundle.content();
    // An earlier import of the same bundle may have been cut off. Its remains would make the id look taken.
    unfinished::remove_unfinished(ports).await?;
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
                let _ = unfinished::forget(ports.table, session).await;
            }
            Err(error)
        }
    }
}

/// Leases the session `wanted` if it does not exist, else a new one.
async fn claim(
    ports: TransferPorts<'_>,
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
    ports: TransferPorts<'_>,
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
    ports: TransferPorts<'_>,
    lease: &StreamLease,
    session: SessionId,
    plans: Vec<Vec<SessionEvent>>,
) -> Result<(), TransferError> {
    // One plan is atomic. Several are not, so the import is noted before the first and the note is removed after the
    // last; a crash in between leaves the note for `remove_unfinished`.
    let several = plans.len() > 1;
    if several && let Some(last) = plans.last().and_then(|plan| plan.last()) {
        let key = last.dedupe_key().clone();
        unfinished::note(ports.table, session, last.index(), key).await?;
    }
    for plan in plans {
        ports.journal.append(&lease.writer(), AppendPlan::new(plan)).await?;
    }
    if several {
        unfinished::forget(ports.table, session).await?;
    }
    Ok(())
}
