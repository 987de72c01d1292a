//! Cleaning: removes expired sessions, then the content that nothing refers to any more.
//!
//! The roots keep the artifacts and the pinned workflows of sessions alive. Snapshots have their pins:
//! [`JournalRoots::pins`].

use std::collections::BTreeMap;
use std::time::Duration;

use piton_core::{Envelope, SessionId, WorkflowHash};
use piton_store::collect::{CollectMode, SweepReport, collect};
use piton_store::port::{BlobNamespace, JournalReader, Roots};
use piton_store::{Error, JournalRoots, Reason, StreamId};

use super::retention::{MaintenanceError, RetentionDays, RetentionMark, control, set_control};
use crate::bundle::Needed;
use crate::event::SessionEvent;
use crate::ports::SessionPorts;
use crate::run_index::remove_from_index;

piton_core::closed_set! {
    /// What a cleaning did with a session.
    pub enum Fate {
        /// It is not old enough.
        Young => "young",
        /// It is old enough, and somebody keeps it.
        Kept => "kept",
        /// It is old enough; somebody writes to it, or it cannot be read, or what was said about it cannot.
        Spared => "spared",
        /// It was removed, or would have been.
        Removed => "removed",
    }
}

/// A session that a cleaning looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionFate {
    pub session: SessionId,
    /// Time since its last event.
    pub age: Duration,
    pub fate: Fate,
}

/// The result of a cleaning or of a rehearsal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cleaned {
    /// All sessions, by id. Empty in safe mode.
    pub sessions: Vec<SessionFate>,
    /// Result of the collection for each namespace. Empty in safe mode. A rehearsal counts the content of sessions
    /// that it would remove as needed, because those sessions are still there.
    pub blobs: BTreeMap<BlobNamespace, SweepReport>,
    /// Reasons that kept something from being removed.
    pub warnings: Vec<Envelope>,
    /// Set when nothing was removed because the control records of a session could not be read.
    pub safe_mode: bool,
}

impl Cleaned {
    /// Returns the number of sessions with this fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.sessions.iter().filter(|session| session.fate == fate).count()
    }
}

/// Removes sessions with a last event older than `retention` that are not marked to be kept. Then removes snapshots,
/// artifacts and other blobs that nothing refers to. In a rehearsal it only reports what it would remove.
///
/// The `owners` vouch for the namespaces that are collected; one that nobody vouches for is left alone.
///
/// If the control records of any session cannot be read, nothing is removed at all: the content that such a session
/// refers to is not known.
pub async fn clean(
    ports: SessionPorts<'_>,
    retention: RetentionDays,
    owners: &[Box<dyn Roots + '_>],
    intent: CollectMode,
) -> Result<Cleaned, MaintenanceError> {
    let mut cleaned = Cleaned::default();
    let streams = ports.journal.streams().await?;
    // Every session is checked before the first one is removed, because a single unreadable one stops everything.
    for stream in &streams {
        match known_pins(ports, stream).await {
            // `NotFound`: deleted since it was listed.
            Ok(()) | Err(Error::NotFound { .. }) => {}
            Err(error) => cleaned.warnings.push(error.envelope()),
        }
    }
    if !cleaned.warnings.is_empty() {
        cleaned.safe_mode = true;
        return Ok(cleaned);
    }
    let expiry = Expiry { ports, ttl: retention.duration(), intent };
    let expired = expiry.expire_all(&streams, &mut cleaned).await;
    // What was removed leaves the index too, also if a later session could not be looked at.
    if intent == CollectMode::Remove {
        let removed = cleaned.sessions.iter().filter(|one| one.fate == Fate::Removed);
        let removed = removed.map(|one| StreamId::from(one.session));
        if let Err(error) = remove_from_index(ports.index, removed).await {
            cleaned.warnings.push(error.envelope());
        }
    }
    expired?;
    // Blobs are collected after the sessions that referred to them are gone. A crash in between leaves garbage for
    // the next cleaning and never a session without its content.
    let SessionPorts { blobs, leases, clock, .. } = ports;
    let owners: Vec<&dyn Roots> = owners.iter().map(|owner| &**owner).collect();
    cleaned.blobs = collect(blobs, leases, &owners, clock, intent).await?;
    for swept in cleaned.blobs.values() {
        if let SweepReport::Spared { because } = swept {
            cleaned.warnings.push(because.clone());
        }
    }
    Ok(cleaned)
}

/// Fails if it is not certain that all pins of a session are known.
///
/// A manifest that was cut between a segment and its pins reads well by itself; only the events show that pins are
/// missing. Other damage to events leaves the pins as they are.
async fn known_pins(ports: SessionPorts<'_>, stream: &StreamId) -> Result<(), Error> {
    ports.journal.pins(stream, None).await?;
    match ports.journal.load(stream).await {
        Err(error @ Error::NotHealthy { .. }) if is_missing_pins(&error) => Err(error),
        // Any other failure to load leaves the pins intact, and they are all that matters here.
        _ => Ok(()),
    }
}

fn is_missing_pins(error: &Error) -> bool {
    matches!(error, Error::NotHealthy { health, .. } if health.reason() == Some(Reason::MissingPin))
}

/// Decides about one session after the other.
struct Expiry<'a> {
    ports: SessionPorts<'a>,
    ttl: Duration,
    intent: CollectMode,
}

impl Expiry<'_> {
    /// Decides about every session.
    async fn expire_all(
        &self,
        streams: &[StreamId],
        cleaned: &mut Cleaned,
    ) -> Result<(), MaintenanceError> {
        for stream in streams {
            // A stream with any other name is not a session, and not ours to remove.
            let Ok(session) = stream.as_str().parse() else { continue };
            if let Some(fate) = self.expire_session(session, &mut cleaned.warnings).await? {
                cleaned.sessions.push(fate);
            }
        }
        Ok(())
    }

    /// Decides the fate of a session. Returns `None` if it is gone.
    async fn expire_session(
        &self,
        session: SessionId,
        warnings: &mut Vec<Envelope>,
    ) -> Result<Option<SessionFate>, MaintenanceError> {
        let age = match self.ports.journal.age(&StreamId::from(session)).await {
            Ok(age) => age,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let fate = match self.decide(session, age).await {
            Ok(fate) => fate,
            // A session that is busy or damaged keeps only itself from being removed.
            Err(error) if keeps_one_session(&error) => {
                warnings.push(error.envelope());
                Fate::Spared
            }
            Err(error) => return Err(error),
        };
        Ok(Some(SessionFate { session, age, fate }))
    }

    async fn decide(&self, session: SessionId, age: Duration) -> Result<Fate, MaintenanceError> {
        let SessionPorts { journal, table, .. } = self.ports;
        if age < self.ttl {
            return Ok(Fate::Young);
        }
        if control(table, session).await? == RetentionMark::Keep {
            return Ok(Fate::Kept);
        }
        // A rehearsal takes no lease, so that it never gets in the way of a writer.
        if self.intent == CollectMode::Rehearse {
            return Ok(Fate::Removed);
        }
        let stream = StreamId::from(session);
        let lease = journal.lease(&stream).await?;
        // Under the lease nobody else appends. An event that was appended before the lease was taken makes the
        // session young again.
        if journal.age(&stream).await? < self.ttl {
            return Ok(Fate::Young);
        }
        // Taking the lease can take a while, and meanwhile a person may have asked for the session to be kept.
        if control(table, session).await? == RetentionMark::Keep {
            return Ok(Fate::Kept);
        }
        journal.delete(lease).await?;
        // The mark goes last: a crash before this line leaves nothing worse than a mark without a session.
        set_control(table, session, RetentionMark::Expire).await?;
        Ok(Fate::Removed)
    }
}

/// True if an error concerns one session alone, so that the others can still be cleaned.
fn keeps_one_session(error: &MaintenanceError) -> bool {
    matches!(
        error,
        MaintenanceError::UnknownControl { .. }
            | MaintenanceError::Store(
                Error::Locked { .. } | Error::NotHealthy { .. } | Error::Poisoned { .. }
            )
    )
}

/// Returns the roots of artifacts.
pub fn artifact_roots(journal: &dyn JournalReader<SessionEvent>) -> JournalRoots<'_, SessionEvent> {
    JournalRoots::events(journal, BlobNamespace::Artifacts, |events| {
        Needed::by(events).artifacts.into_iter().collect()
    })
}

/// Returns the roots of pinned workflows.
pub fn workflow_roots(journal: &dyn JournalReader<SessionEvent>) -> JournalRoots<'_, SessionEvent> {
    JournalRoots::events(journal, BlobNamespace::PinnedWorkflows, |events| {
        Needed::by(events).workflows.into_iter().map(WorkflowHash::digest).collect()
    })
}
