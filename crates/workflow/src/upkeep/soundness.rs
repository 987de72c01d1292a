//! Checking a session, and repairing it on request.

use piton_core::SessionId;
use piton_store::port::{Journal, Repaired, Verified};
use piton_store::{Health, StreamId};

use super::error::UpkeepError;
use crate::event::{LogFlaw, SessionEvent, validate};

/// What a check of a session found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// The session.
    pub session: SessionId,
    /// What the store found.
    pub stored: Verified,
    /// The first event that contradicts those before it, if the store found nothing.
    pub flaw: Option<LogFlaw>,
}

/// What a repair of a session did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairReport {
    /// The session.
    pub session: SessionId,
    /// What the store did.
    pub done: Repaired,
}

/// Checks a session as the medium holds it, and its events against each other. A session whose disk failed
/// while it was written may be written again after this, if it is sound.
pub async fn verify(
    journal: &dyn Journal<SessionEvent>,
    session: SessionId,
) -> Result<VerifyReport, UpkeepError> {
    let stream = StreamId::from(session);
    let stored = journal.verify(&stream).await?;
    let flaw = match stored.health {
        Health::Healthy => validate(&journal.load(&stream).await?.events).err(),
        _ => None,
    };
    Ok(VerifyReport { session, stored, flaw })
}

/// Rolls a damaged session back to its last whole plan, and keeps what it takes away. A sound session is left
/// as it is.
pub async fn repair(
    journal: &dyn Journal<SessionEvent>,
    session: SessionId,
) -> Result<RepairReport, UpkeepError> {
    let done = journal.repair(&StreamId::from(session)).await?;
    Ok(RepairReport { session, done })
}

fn events(count: u64) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}

impl VerifyReport {
    /// Whether the session can be gone on with.
    pub fn is_sound(&self) -> bool {
        self.stored.health.is_healthy() && self.flaw.is_none()
    }

    /// What was found, for a person: the answer first, what to do last.
    pub fn summary(&self) -> String {
        let Self { session, stored, flaw } = self;
        let mut lines = Vec::new();
        match (&stored.health, flaw) {
            (Health::Healthy, None) => {
                lines.push(format!("{session} is sound: {}.", events(stored.events)));
            }
            (Health::Healthy, Some(flaw)) => {
                lines.push(format!(
                    "{session} is stored as it was written, but contradicts itself: {flaw}."
                ));
            }
            (health @ Health::UnknownVersion { .. }, _) => {
                lines.push(format!("{session} cannot be read: {health}."));
            }
            (health, _) => lines.push(format!("{session} is damaged: {health}.")),
        }
        if let Some(torn) = stored.torn_tail {
            lines.push(format!(
                "At its end are {} bytes of a write that never ended; the next write puts them aside.",
                torn.bytes
            ));
        }
        if stored.mark_lifted {
            lines.push("A write to it had failed on the disk. It may be written again.".to_owned());
        }
        match (&stored.health, flaw) {
            (Health::Healthy, None) => {}
            (Health::Healthy, Some(_)) => lines.push(
                "Save it with `piton session salvage`, and report this: no Piton writes such a log."
                    .to_owned(),
            ),
            (Health::UnknownVersion { .. }, _) => {
                lines.push("Use the version of Piton that wrote it, or a newer one.".to_owned());
            }
            _ => lines.push(
                "Run `piton session repair` to go back to the last whole plan; what it takes away is kept."
                    .to_owned(),
            ),
        }
        lines.join("\n")
    }
}

impl RepairReport {
    /// What was done, for a person.
    pub fn summary(&self) -> String {
        let Self { session, done } = self;
        let left = events(done.next_event.get());
        match &done.backup {
            None => format!("{session} is sound: {left}. Nothing was changed."),
            Some(backup) => format!(
                "{session} was damaged: {}.\nIt was rolled back to its last whole plan and has {left} now.\n\
                 What was taken away is kept in its directory, under `{backup}`.",
                done.was
            ),
        }
    }
}
