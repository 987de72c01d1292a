//! Cleaning: sessions that are past their time, then what nothing refers to any more.

use std::time::Duration;

use piton_core::{Envelope, SessionId};
use piton_store::collect::{Intent, Swept, collect};
use piton_store::port::Roots;
use piton_store::{Error, Reason, StreamId};

use super::control::{Control, control, set_control};
use super::error::UpkeepError;
use super::ports::Ports;
use super::report::{Cleaned, Fate, SessionFate};
use super::retention::RetentionDays;

/// Removes sessions whose last event is `retention` old and that nobody keeps, then snapshots, artifacts and
/// other blobs that nothing refers to; or only says what it would remove. `owners` speak for the namespaces that are
/// collected: [`session_owners`](super::session_owners) for those of sessions, whoever else keeps blobs for the others.
///
/// If the control records of any session cannot be read, nothing is removed at all: what such a session refers
/// to is not known.
pub async fn clean(
    ports: Ports<'_>,
    retention: RetentionDays,
    owners: &[Box<dyn Roots + '_>],
    intent: Intent,
) -> Result<Cleaned, UpkeepError> {
    let mut cleaned = Cleaned::default();
    let streams = ports.journal.streams().await?;
    for stream in &streams {
        match known_pins(ports, stream).await {
            // Deleted since it was listed.
            Ok(()) | Err(Error::NotFound { .. }) => {}
            Err(error) => cleaned.warnings.push(error.envelope()),
        }
    }
    if !cleaned.warnings.is_empty() {
        cleaned.safe_mode = true;
        return Ok(cleaned);
    }
    let expiry = Expiry { ports, ttl: retention.duration(), intent };
    for stream in &streams {
        // Whatever has another name is not a session, and not ours to remove.
        let Ok(session) = stream.as_str().parse() else { continue };
        if let Some(fate) = expiry.settle(session, &mut cleaned.warnings).await? {
            cleaned.sessions.push(fate);
        }
    }
    let Ports { blobs, leases, clock, .. } = ports;
    let owners: Vec<&dyn Roots> = owners.iter().map(|owner| &**owner).collect();
    cleaned.blobs = collect(blobs, leases, &owners, clock, intent).await?;
    for swept in cleaned.blobs.values() {
        if let Swept::Spared { because } = swept {
            cleaned.warnings.push(because.clone());
        }
    }
    Ok(cleaned)
}

/// Whether everything that a session pins is known.
///
/// A manifest that was cut between a segment and its pins reads well by itself; only the events show that pins are
/// missing. Other damage to events leaves the pins as they are.
async fn known_pins(ports: Ports<'_>, stream: &StreamId) -> Result<(), Error> {
    ports.journal.pins(stream, None).await?;
    match ports.journal.load(stream).await {
        Err(error @ Error::NotHealthy { .. }) if is_missing_pins(&error) => Err(error),
        _ => Ok(()),
    }
}

fn is_missing_pins(error: &Error) -> bool {
    matches!(error, Error::NotHealthy { health, .. } if health.reason() == Some(Reason::MissingPin))
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
        warnings: &mut Vec<Envelope>,
    ) -> Result<Option<SessionFate>, UpkeepError> {
        let age = match self.ports.journal.age(&StreamId::from(session)).await {
            Ok(age) => age,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let fate = match self.fate(session, age).await {
            Ok(fate) => fate,
            Err(error) if keeps_one_session(&error) => {
                warnings.push(error.envelope());
                Fate::Spared
            }
            Err(error) => return Err(error),
        };
        Ok(Some(SessionFate { session, age, fate }))
    }

    async fn fate(&self, session: SessionId, age: Duration) -> Result<Fate, UpkeepError> {
        let Ports { journal, table, .. } = self.ports;
        if age < self.ttl {
            return Ok(Fate::Young);
        }
        if control(table, session).await? == Control::Keep {
            return Ok(Fate::Kept);
        }
        if self.intent == Intent::Rehearse {
            return Ok(Fate::Removed);
        }
        let stream = StreamId::from(session);
        let lease = journal.lease(&stream).await?;
        // Under the lease nobody appends any more; what was appended before it makes the session young.
        if journal.age(&stream).await? < self.ttl {
            return Ok(Fate::Young);
        }
        journal.delete(lease).await?;
        set_control(table, session, Control::Expire).await?;
        Ok(Fate::Removed)
    }
}

/// Whether an error is about one session alone, so that the others can be looked at.
fn keeps_one_session(error: &UpkeepError) -> bool {
    matches!(
        error,
        UpkeepError::UnknownControl { .. }
            | UpkeepError::Store(
                Error::Locked { .. } | Error::NotHealthy { .. } | Error::Poisoned { .. }
            )
    )
}
