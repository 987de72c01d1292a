//! Checks a session, and repairs it on request.
//!
//! A check covers everything that continuing, showing or exporting the session needs: its log, and each snapshot,
//! pinned workflow and artifact that the log refers to. A repair covers the log alone. Lost content cannot be
//! computed from anything else; only a copy brings it back, such as a backup or a bundle.

use std::collections::BTreeSet;

use piton_core::{Digest, SessionId};
use piton_store::port::{
    BlobNamespace, BlobReader, Journal, JournalReader, SetAside, StreamRepair, StreamVerification,
};
use piton_store::{Error, Health, StreamId};
use serde::Serialize;

use super::retention::MaintenanceError;
use crate::bounds::SESSIONS_NAMED_MAX;
use crate::bundle::Needed;
use crate::compile::CompiledWorkflow;
use crate::event::{LogFlaw, SessionEvent, validate};
use crate::snapshot::ExecutionSnapshot;

/// The result of checking a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    pub session: SessionId,
    /// The store's findings.
    pub stored: StreamVerification,
    /// The first event that contradicts those before it, if the store found nothing.
    pub flaw: Option<LogFlaw>,
    /// Content that its valid events refer to and that cannot be used, by namespace and digest.
    pub broken: Vec<BrokenContent>,
    /// Other sessions that refer to some of the broken content, by id. Empty unless it was [asked for](sharing).
    pub shared_with: Vec<SessionId>,
    /// Data that earlier repairs took out of the session and kept.
    pub set_aside: Vec<SetAside>,
}

/// Content that a session refers to and that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenContent {
    pub namespace: BlobNamespace,
    pub digest: Digest,
    /// The problem, as words that follow "it".
    pub problem: &'static str,
}

/// The result of repairing a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairReport {
    /// The changes that the store made.
    pub done: StreamRepair,
    /// The result of a check afterwards.
    pub after: VerifyReport,
}

/// Checks a session as the medium holds it: its log, its events against each other, and everything that they refer
/// to. If a disk failure blocked the session for writing and its log is sound, it may be written again afterwards.
///
/// A session that a repair left empty is reported as such; one that never existed is an error.
pub async fn verify(
    journal: &dyn Journal<SessionEvent>,
    blobs: &dyn BlobReader,
    session: SessionId,
) -> Result<VerifyReport, MaintenanceError> {
    let stream = StreamId::from(session);
    let stored = journal.verify(&stream).await?;
    let set_aside = journal.set_aside(Some(&stream)).await?;
    if stored.events == 0 && stored.health.is_healthy() && set_aside.is_empty() {
        return Err(Error::NotFound { stream }.into());
    }
    let (mut flaw, mut broken) = (None, Vec::new());
    if stored.events > 0 {
        // Damage ends the valid prefix early, and a rule can be broken just by that. A flaw means something only if
        // the store found no damage.
        let events = journal.load_validated_prefix(&stream).await?.events;
        flaw = validate(&events).err().filter(|_| stored.health.is_healthy());
        broken = broken_content(blobs, &Needed::by(&events)).await?;
    }
    Ok(VerifyReport { session, stored, flaw, broken, shared_with: Vec::new(), set_aside })
}

/// Returns the sessions other than `session` that refer to any of `broken`, by id. Reads the events of all sessions.
pub async fn sharing(
    journal: &dyn JournalReader<SessionEvent>,
    session: SessionId,
    broken: &[BrokenContent],
) -> Result<Vec<SessionId>, MaintenanceError> {
    let mut sharing = Vec::new();
    if broken.is_empty() {
        return Ok(sharing);
    }
    for stream in journal.streams().await? {
        let Ok(other) = stream.as_str().parse::<SessionId>() else { continue };
        if other == session {
            continue;
        }
        // A session that cannot be read tells nothing about the broken content.
        let Ok(salvaged) = journal.load_validated_prefix(&stream).await else { continue };
        let needed = Needed::by(&salvaged.events);
        let needed: BTreeSet<_> = needed_blobs(&needed).collect();
        let needs = |one: &BrokenContent| needed.contains(&(one.namespace, one.digest));
        if broken.iter().any(needs) {
            sharing.push(other);
        }
    }
    Ok(sharing)
}

/// Rebuilds the control records of a damaged session from its events if those are whole, and otherwise rolls the
/// session back to its last whole plan. Keeps whatever it takes away. A session with a sound log is left as it is.
pub async fn repair(
    journal: &dyn Journal<SessionEvent>,
    blobs: &dyn BlobReader,
    session: SessionId,
) -> Result<RepairReport, MaintenanceError> {
    let done = journal.repair(&StreamId::from(session)).await?;
    let after = verify(journal, blobs, session).await?;
    Ok(RepairReport { done, after })
}

/// Returns the parts of `needed` that cannot be used.
async fn broken_content(
    blobs: &dyn BlobReader,
    needed: &Needed,
) -> Result<Vec<BrokenContent>, MaintenanceError> {
    let mut broken = Vec::new();
    for (namespace, digest) in needed_blobs(needed) {
        let problem = match blobs.get(namespace, digest).await {
            Ok(Some(bytes)) => unreadable(namespace, &bytes),
            Ok(None) => Some("is missing"),
            Err(Error::BlobCorrupt { .. }) => Some("was changed after it was written"),
            // A failure to read is not a finding: the content may be fine.
            Err(error) => return Err(error.into()),
        };
        broken.extend(problem.map(|problem| BrokenContent { namespace, digest, problem }));
    }
    Ok(broken)
}

/// Iterates over everything that events refer to: snapshots, then artifacts, then workflows.
fn needed_blobs(needed: &Needed) -> impl Iterator<Item = (BlobNamespace, Digest)> {
    let snapshots = needed.snapshots.iter().map(|key| (BlobNamespace::Snapshots, key.digest()));
    let artifacts = needed.artifacts.iter().map(|digest| (BlobNamespace::Artifacts, *digest));
    let workflows =
        needed.workflows.iter().map(|key| (BlobNamespace::PinnedWorkflows, key.digest()));
    snapshots.chain(artifacts).chain(workflows)
}

/// Describes the problem of bytes that have the right digest and still cannot be used.
fn unreadable(namespace: BlobNamespace, bytes: &[u8]) -> Option<&'static str> {
    let is_readable = match namespace {
        BlobNamespace::Snapshots => ExecutionSnapshot::decode(bytes).is_ok(),
        BlobNamespace::PinnedWorkflows => CompiledWorkflow::read(bytes).is_ok(),
        _ => true,
    };
    (!is_readable).then_some("cannot be understood by this Piton")
}

fn plans(count: u64) -> String {
    if count == 1 { "1 plan".to_owned() } else { format!("{count} plans") }
}

fn events(count: u64) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}

impl VerifyReport {
    /// True if the session can be continued, shown and exported in full.
    pub fn is_sound(&self) -> bool {
        self.is_log_sound() && self.broken.is_empty()
    }

    /// True if the log is as it was written and is not empty.
    fn is_log_sound(&self) -> bool {
        self.stored.health.is_healthy() && self.flaw.is_none() && self.stored.events > 0
    }

    /// Describes the findings for a person: the verdict first, the remedy last.
    pub fn summary(&self) -> String {
        let Self { session, stored, .. } = self;
        let mut lines = vec![self.answer()];
        lines.extend(self.broken_lines());
        lines.extend(self.sharing_line());
        if let Some(torn) = stored.torn_tail {
            lines.push(format!(
                "At its end are {} bytes of a write that never ended; the next write puts them aside.",
                torn.bytes
            ));
        } else if stored.unfinished > 0 {
            lines.push(
                "Beside it are events of a write that never ended; they are no part of it, and are kept."
                    .to_owned(),
            );
        }
        if stored.mark_lifted {
            lines.push("A write to it had failed on the disk. It may be written again.".to_owned());
        }
        lines.extend(self.set_aside_lines());
        match (&stored.health, &self.flaw) {
            (Health::UnknownVersion { .. }, _) => {
                lines.push("Upgrade Piton: use the version that wrote it, or a newer one.".to_owned());
            }
            (Health::Healthy, Some(_)) => lines.push(format!(
                "Save it with `piton session export {session} FILE --salvage`, and report this: no Piton \
                 writes such a log."
            )),
            (Health::Healthy, None) => {}
            (Health::CorruptHead { .. } | Health::CorruptTail { .. }, _) => {
                lines.push(match stored.repairable {
                    0 => format!(
                        "No event can stay in place. `piton session repair {session}` moves what is left aside, where \
                         it is kept."
                    ),
                    left if left > stored.events => format!(
                        "Run `piton session repair {session}` to rebuild its control records from the events, which \
                         are whole; what does not follow on them is moved aside and kept."
                    ),
                    _ => format!(
                        "Run `piton session repair {session}` to go back to the last whole plan; what it takes away is \
                         kept."
                    ),
                });
            }
        }
        let is_known = !matches!(stored.health, Health::UnknownVersion { .. });
        if is_known && (stored.repairable == 0 || !self.broken.is_empty()) {
            lines.push(self.remedy());
        }
        lines.join("\n")
    }

    fn answer(&self) -> String {
        let Self { session, stored, flaw, broken, .. } = self;
        match (&stored.health, flaw) {
            (Health::Healthy, _) if stored.events == 0 => {
                format!("{session} holds nothing any more: a repair took all of it away.")
            }
            (Health::Healthy, None) if broken.is_empty() => {
                format!("{session} is sound: {}.", events(stored.events))
            }
            (Health::Healthy, None) => format!(
                "{session} is damaged: its {} are whole, and content that they refer to is not.",
                events(stored.events)
            ),
            (Health::Healthy, Some(flaw)) => {
                format!("{session} is stored as it was written, but contradicts itself: {flaw}.")
            }
            (health @ Health::UnknownVersion { .. }, _) => {
                format!("{session} cannot be read: {health}.")
            }
            (Health::CorruptTail { reason, .. } | Health::CorruptHead { reason }, _)
                if stored.repairable > stored.events =>
            {
                let (reason, found) = (reason.explain(), events(stored.repairable));
                format!("{session} is damaged: {reason}; a repair brings back {found}.")
            }
            (health, _) => format!("{session} is damaged: {health}."),
        }
    }

    /// Describes the broken content and its consequences, one line for each kind of content.
    fn broken_lines(&self) -> Vec<String> {
        let kinds = [
            (BlobNamespace::Snapshots, "snapshot", "its steps cannot be shown or continued from"),
            (
                BlobNamespace::PinnedWorkflows,
                "pinned workflow",
                "its runs cannot be shown or continued",
            ),
            (
                BlobNamespace::Artifacts,
                "artifact",
                "it can be continued, but not shown or exported in full",
            ),
        ];
        let mut lines = Vec::new();
        for (namespace, kind, effect) in kinds {
            let of_kind = || self.broken.iter().filter(|one| one.namespace == namespace);
            let Some(first) = of_kind().next() else { continue };
            let (count, digest, problem) = (of_kind().count(), first.digest, first.problem);
            let more = match count - 1 {
                0 => String::new(),
                others => format!(", and {others} more"),
            };
            lines.push(format!("The {kind} {digest} {problem}{more}: {effect}."));
        }
        lines
    }

    /// Names the other sessions that need the same content.
    fn sharing_line(&self) -> Option<String> {
        let shown: Vec<String> =
            self.shared_with.iter().take(SESSIONS_NAMED_MAX).map(SessionId::to_string).collect();
        let more = match self.shared_with.len().saturating_sub(SESSIONS_NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!shown.is_empty())
            .then(|| format!("Other sessions need the same content: {}{more}.", shown.join(", ")))
    }

    fn set_aside_lines(&self) -> Vec<String> {
        let kept = self.set_aside.iter();
        kept.map(|one| format!("Kept from before: {}", one.place)).collect()
    }

    /// Describes the ways to bring lost content back.
    fn remedy(&self) -> String {
        let session = self.session;
        let mut steps = Vec::new();
        if !self.broken.is_empty() {
            steps.push("A repair cannot bring content back; it stays as it is.".to_owned());
        }
        if self.broken.iter().any(|one| one.namespace == BlobNamespace::PinnedWorkflows) {
            steps.push(
                "If the file of the workflow is unchanged, starting it once writes the pinned one again."
                    .to_owned(),
            );
        }
        let mut restore = "Restore the data directory from a backup, or import a bundle that was exported before: \
                           `piton session import BUNDLE`."
            .to_owned();
        if !self.broken.is_empty() {
            restore.push_str(
                " It makes a copy of the session, and stores the content for this one as well.",
            );
        }
        steps.push(restore);
        if self.stored.events > 0 {
            steps.push(format!(
                "Save what can be read: `piton session export {session} FILE --salvage`."
            ));
        }
        if self.is_log_sound() && !self.broken.is_empty() {
            let keep = if self.broken.iter().all(|one| one.namespace == BlobNamespace::Artifacts) {
                "You can keep the session and continue it without the artifact; `piton doctor` goes on to report it."
            } else {
                "As long as the session is here, `piton doctor` reports it."
            };
            steps.push(format!(
                "Otherwise nothing brings the content back. {keep} To be rid of it, delete the session: \
                 `piton session delete {session}`."
            ));
        }
        steps.join("\n")
    }
}

impl RepairReport {
    /// True if the session can be continued now.
    pub fn is_sound(&self) -> bool {
        self.after.is_sound()
    }

    /// Describes what was done and what remains to be done, for a person.
    pub fn summary(&self) -> String {
        let Self { done, after } = self;
        let session = after.session;
        if done.was.is_healthy() {
            let found = after.summary();
            return if after.is_sound() {
                format!("{found}\nNothing was changed.")
            } else {
                format!("Nothing was changed: a repair is for the log of {session} alone.\n{found}")
            };
        }
        let was = done.was.reason().filter(|_| done.rewritten > 0);
        let was = was.map_or_else(|| done.was.to_string(), |reason| reason.explain().to_owned());
        let mut lines = vec![format!("{session} was damaged: {was}.")];
        if done.rewritten > 0 {
            lines.push(format!(
                "The control records of {} were rebuilt from the events. Where a record was gone, nothing proves that its events are unchanged.",
                plans(done.rewritten)
            ));
        }
        lines.push(match done.next_event.get() {
            0 => "Nothing of it could be kept in place: it holds no events now.".to_owned(),
            left if done.rewritten > 0 => {
                format!("It ends after its last whole plan, and has {}.", events(left))
            }
            left => {
                format!("It was rolled back to its last whole plan and has {} now.", events(left))
            }
        });
        lines.push(match &done.backup {
            Some(backup) => format!(
                "What was taken away is kept in {} ({}, {} bytes).",
                backup.place,
                if backup.files == 1 {
                    "1 file".to_owned()
                } else {
                    format!("{} files", backup.files)
                },
                backup.bytes
            ),
            None => "There was nothing left to keep.".to_owned(),
        });
        if !after.is_sound() {
            lines.extend(after.broken_lines());
            lines.push(after.remedy());
        }
        lines.join("\n")
    }
}
