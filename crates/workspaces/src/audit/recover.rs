//! Settling what processes left open that died.

use super::{
    ledger::Ledger,
    record::{AuditIntent, AuditOutcome, AuditRecord},
};
use crate::{
    error::Error,
    path::LogicalPath,
    scope::Tool,
    store::{Before, EntryKind, StoreFault},
    workspaces::Workspaces,
};

impl Ledger {
    /// Settles every open record of these Workspaces: clears away its unfinished write, and compares
    /// what is there with what was before and what was meant. Returns how many were settled.
    ///
    /// A change that is under way in another process holds the lock of its directory, so it is waited
    /// for; where there is no such lock, its own outcome replaces what is concluded here.
    pub async fn recover(&self, workspaces: &Workspaces) -> Result<u64, Error> {
        self.recover_below(workspaces, None).await
    }

    /// The same, for records of the Workspace with this prefix alone.
    pub(super) async fn recover_below(
        &self,
        workspaces: &Workspaces,
        prefix: Option<&LogicalPath>,
    ) -> Result<u64, Error> {
        let mut settled = 0;
        for number in self.numbers(&self.keys.all_open()).await? {
            let Some(record) = self.record(number).await? else {
                continue;
            };
            let leads_to = workspaces.find(&record.intent.path).map(|(found, _)| found.prefix());
            if prefix.is_some_and(|prefix| leads_to != Some(prefix)) {
                continue;
            }
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

    /// What became of an open record; nothing if its Workspace is not there or cannot be asked.
    ///
    /// Whoever changed the path next saw what this one left, so that counts before what is there now.
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
        // What is gone with its directory says nothing about what was done to it before.
        let is_told = outcome == AuditOutcome::Done || !self.was_above(record).await?;
        Ok(Some(if is_told { outcome } else { AuditOutcome::Unclear }))
    }

    /// Whether a directory above the path of a record was moved or removed after it.
    async fn was_above(&self, record: &AuditRecord) -> Result<bool, Error> {
        for above in record.intent.path.ancestors().skip(1) {
            let above: LogicalPath = above.parse().expect("a part of a path is a path");
            for number in self.numbers(&self.keys.all_of_path(&above)).await? {
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

    /// The next record that names the path of this one.
    async fn later(&self, record: &AuditRecord) -> Result<Option<AuditRecord>, Error> {
        let numbers = self.numbers(&self.keys.all_of_path(&record.intent.path)).await?;
        match numbers.into_iter().find(|number| *number > record.number) {
            Some(number) => self.record(number).await,
            None => Ok(None),
        }
    }
}

impl AuditRecord {
    /// What its change found at a path that it names: a move finds nothing where it goes.
    fn found(&self, path: &LogicalPath) -> Before {
        if self.intent.path == *path { self.intent.before.clone() } else { Before::Nothing }
    }
}

/// Clears away the unfinished write of an intention, after whoever still works on it; says whether that is done.
async fn clear(workspaces: &Workspaces, intent: &AuditIntent) -> bool {
    let Some((workspace, at)) = workspaces.find(&intent.path) else { return false };
    match &intent.temp {
        Some(temp) => workspace.store.clear(at, temp.clone()).await.is_ok(),
        None => true,
    }
}

/// What became of an intention after which this was found at its path.
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

/// What stands at a path now, if that can be told.
pub(super) async fn state_of(workspaces: &Workspaces, path: &LogicalPath) -> Option<Before> {
    let (workspace, at) = workspaces.find(path)?;
    match workspace.store.stat(at, true).await {
        Ok(stat) if stat.kind == EntryKind::File => Some(Before::File(stat.digest)),
        Ok(_) => Some(Before::Directory),
        Err(StoreFault::NotFound | StoreFault::NotDirectory) => Some(Before::Nothing),
        Err(_) => None,
    }
}
