//! Recovery of records that dead processes left open.

use super::ledger::Ledger;
use super::record::{AuditIntent, AuditOutcome, AuditRecord};
use crate::error::Error;
use crate::path::LogicalPath;
use crate::scope::Tool;
use crate::store::{Before, EntryKind, StoreFault};
use crate::workspaces::Workspaces;

impl Ledger {
    /// Settles every open record of these Workspaces and returns their number. For each it clears away the unfinished
    /// write, and compares the current state with the one before and the intended one.
    ///
    /// A change in progress in another process holds the lock of its directory, so recovery waits for it. Where there
    /// is no such lock, the outcome written by that process replaces the conclusion made here.
    pub async fn recover(&self, workspaces: &Workspaces) -> Result<u64, Error> {
        self.recover_below(workspaces, None).await
    }

    /// Like [`Self::recover`], for records of the Workspace with this prefix alone.
    pub(super) async fn recover_below(
        &self,
        workspaces: &Workspaces,
        prefix: Option<&LogicalPath>,
    ) -> Result<u64, Error> {
        let mut settled = 0;
        for number in self.numbers(&self.keys.open()).await? {
            let Some(record) = self.record(number).await? else {
                continue;
            };
            // The path may lead to another Mount now, whose files say nothing about this record.
            let leads_to = workspaces.find(&record.intent.path).map(|(found, _)| found.prefix());
            if prefix.is_some_and(|prefix| leads_to != Some(prefix)) {
                continue;
            }
            // Clearing an unfinished write waits for the lock of its directory, and so for a change still in progress.
            if !clear(workspaces, &record.intent).await {
                continue;
            }
            let Some(outcome) = self.judge(workspaces, &record).await? else {
                continue;
            };
            settled += u64::from(self.conclude(number, outcome).await?);
        }
        Ok(settled)
    }

    /// Returns the outcome of an open record, or `None` if its Workspace is missing or does not answer.
    ///
    /// The next change of the path recorded the state that this one left, so it takes precedence over the current
    /// state.
    pub(super) async fn judge(
        &self,
        workspaces: &Workspaces,
        record: &AuditRecord,
    ) -> Result<Option<AuditOutcome>, Error> {
        let intent = &record.intent;
        let later = self.later(record).await?;
        let is_move = intent.tool == Tool::Move && intent.target.is_some();
        if let (Some(later), false) = (&later, is_move) {
            return Ok(Some(concluded(intent, &later.found(&intent.path))));
        }
        let Some(here) = state_of(workspaces, &intent.path).await else { return Ok(None) };
        // A move is judged by both ends: exactly one of them should exist.
        if let (Some(target), true) = (&intent.target, is_move) {
            let Some(there) = state_of(workspaces, target).await else { return Ok(None) };
            return Ok(Some(match (here, there) {
                (Before::Nothing, Before::Nothing) => AuditOutcome::Unclear,
                (Before::Nothing, _) => AuditOutcome::Done,
                (_, Before::Nothing) => AuditOutcome::Undone,
                _ => AuditOutcome::Unclear,
            }));
        }
        let outcome = concluded(intent, &here);
        // A file that vanished with its directory says nothing about the changes made to it before.
        let is_told = outcome == AuditOutcome::Done || !self.was_above(record).await?;
        Ok(Some(if is_told { outcome } else { AuditOutcome::Unclear }))
    }

    /// True if a directory above the path of a record was moved or removed after it.
    async fn was_above(&self, record: &AuditRecord) -> Result<bool, Error> {
        for above in record.intent.path.ancestors().skip(1) {
            for number in self.numbers(&self.keys.of_path(&above)).await? {
                if number > record.number
                    && let Some(later) = self.record(number).await?
                    && matches!(later.intent.tool, Tool::Move | Tool::Delete)
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the next record that names the path of this one.
    async fn later(&self, record: &AuditRecord) -> Result<Option<AuditRecord>, Error> {
        let numbers = self.numbers(&self.keys.of_path(&record.intent.path)).await?;
        match numbers.into_iter().find(|number| *number > record.number) {
            Some(number) => self.record(number).await,
            None => Ok(None),
        }
    }
}

impl AuditRecord {
    /// Returns the state that its change found at a path that it names. A move finds nothing at its target.
    fn found(&self, path: &LogicalPath) -> Before {
        if self.intent.path == *path { self.intent.before.clone() } else { Before::Nothing }
    }
}

/// Clears away the unfinished write of an intent, after waiting for its lock. Returns true if that succeeded.
async fn clear(workspaces: &Workspaces, intent: &AuditIntent) -> bool {
    let Some((workspace, at)) = workspaces.find(&intent.path) else { return false };
    match &intent.temp {
        Some(temp) => workspace.store.clear(at, temp.clone()).await.is_ok(),
        None => true,
    }
}

/// Returns the outcome of an intent, given the state found at its path afterwards.
fn concluded(intent: &AuditIntent, found: &Before) -> AuditOutcome {
    let is_after = match (&intent.after, intent.tool) {
        (Some(after), _) => *found == Before::File(Some(*after)),
        (None, Tool::Mkdir) => *found != Before::Nothing,
        (None, _) => *found == Before::Nothing,
    };
    match (is_after, *found == intent.before) {
        (true, _) => AuditOutcome::Done,
        (false, true) => AuditOutcome::Undone,
        (false, false) => AuditOutcome::Unclear,
    }
}

/// Returns the current state of a path, if it can be determined.
pub(super) async fn state_of(workspaces: &Workspaces, path: &LogicalPath) -> Option<Before> {
    let (workspace, at) = workspaces.find(path)?;
    match workspace.store.stat(at, true).await {
        Ok(stat) if stat.kind == EntryKind::File => Some(Before::File(stat.digest)),
        Ok(_) => Some(Before::Directory),
        Err(StoreFault::NotFound | StoreFault::NotDirectory) => Some(Before::Nothing),
        Err(_) => None,
    }
}
