//! Cleaning: sessions that are past their time, then what nothing refers to any more.

use std::collections::BTreeMap;
use std::time::Duration;

use piton_core::SessionId;
use piton_store::collect::{Intent, Swept, collect};
use piton_store::{Error, PinnedSnapshots, StreamId};

use super::control::{Control, controls, set_control};
use super::error::UpkeepError;
use super::ports::Ports;
use super::report::{Cleaned, Fate, SessionFate};
use super::retention::RetentionDays;
use super::roots::EventRoots;

/// Removes sessions whose last event is `retention` old and that nobody keeps, then snapshots, artifacts and
/// pinned workflows that no session refers to; or only says what it would remove.
///
/// If the control records of any session cannot be read, nothing is removed at all: what such a session refers
/// to is not known.
pub async fn clean(
    ports: Ports<'_>,
    retention: RetentionDays,
    intent: Intent,
) -> Result<Cleaned, UpkeepError> {
    let mut cleaned = Cleaned::default();
    let streams = ports.journal.streams().await?;
    for stream in &streams {
        match ports.journal.pins(stream, None).await {
            // Deleted since it was listed.
            Ok(_) | Err(Error::NotFound { .. }) => {}
            Err(error) => cleaned.warnings.push(error.envelope()),
        }
    }
    if !cleaned.warnings.is_empty() {
        cleaned.safe_mode = true;
        return Ok(cleaned);
    }
    let controls = controls(ports.table).await?;
    for stream in &streams {
        // Whatever has another name is not a session, and not ours to remove.
        let Ok(session) = stream.as_str().parse() else { continue };
        let expiry = Expiry { ports, ttl: retention.duration(), intent };
        if let Some(fate) = expiry.settle(session, &controls, &mut cleaned).await? {
            cleaned.sessions.push(fate);
        }
    }
    let snapshots = PinnedSnapshots::new(ports.journal);
    let artifacts = EventRoots::artifacts(ports.journal);
    let workflows = EventRoots::pinned_workflows(ports.journal);
    let Ports { blobs, leases, clock, .. } = ports;
    cleaned.blobs =
        collect(blobs, leases, &[&snapshots, &artifacts, &workflows], clock, intent).await?;
    for swept in cleaned.blobs.values() {
        if let Swept::Spared { because } = swept {
            cleaned.warnings.push(because.clone());
        }
    }
    Ok(cleaned)
}

/// Decides about one session after the other.
struct Expiry<'a> {
    ports: Ports<'a>,
    ttl: Duration,
    intent: Intent,
}

impl Expiry<'_> {
    /// What becomes of a session; nothing if it is gone.
    async fn settle(
        &self,
        session: SessionId,
        controls: &BTreeMap<SessionId, Control>,
        cleaned: &mut Cleaned,
    ) -> Result<Option<SessionFate>, UpkeepError> {
        let age = match self.ports.journal.age(&StreamId::from(session)).await {
            Ok(age) => age,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let fate = if age < self.ttl {
            Fate::Young
        } else if controls.get(&session) == Some(&Control::Keep) {
            Fate::Kept
        } else if self.intent == Intent::Rehearse {
            Fate::Removed
        } else {
            match self.remove(session).await {
                Ok(fate) => fate,
                Err(UpkeepError::Store(
                    error @ (Error::Locked { .. }
                    | Error::NotHealthy { .. }
                    | Error::Poisoned { .. }),
                )) => {
                    cleaned.warnings.push(error.envelope());
                    Fate::Spared
                }
                Err(error) => return Err(error),
            }
        };
        Ok(Some(SessionFate { session, age, fate }))
    }

    /// Removes a session, unless something was appended to it or somebody kept it in the meantime.
    async fn remove(&self, session: SessionId) -> Result<Fate, UpkeepError> {
        let Ports { journal, table, .. } = self.ports;
        let stream = StreamId::from(session);
        let lease = journal.lease(&stream).await?;
        if journal.age(&stream).await? < self.ttl {
            return Ok(Fate::Young);
        }
        if controls(table).await?.get(&session) == Some(&Control::Keep) {
            return Ok(Fate::Kept);
        }
        journal.delete(lease).await?;
        set_control(table, session, Control::Expire).await?;
        Ok(Fate::Removed)
    }
}
