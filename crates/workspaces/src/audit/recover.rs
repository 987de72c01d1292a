//! Settling what processes left open that died.

use super::{
    ledger::Ledger,
    record::{Intent, Outcome},
};
use crate::{
    error::Error,
    path::LogicalPath,
    scope::Tool,
    store::{Before, Fault, FileStat},
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
            let Some(outcome) = judge(workspaces, &record.intent).await else {
                continue;
            };
            let now = self.record(number).await?;
            if now.is_some_and(|now| now.outcome == Outcome::Open) {
                self.conclude(number, outcome).await?;
                settled += 1;
            }
        }
        Ok(settled)
    }
}

/// What became of an intention; nothing if its Workspace is not there or cannot be asked.
async fn judge(workspaces: &Workspaces, intent: &Intent) -> Option<Outcome> {
    let (workspace, at) = workspaces.find(&intent.path)?;
    if let Some(temp) = &intent.temp {
        workspace.store.clear(at, temp.clone()).await.ok()?;
    }
    let here = look(workspaces, &intent.path).await?;
    if let (Tool::Move, Some(target)) = (intent.tool, &intent.target) {
        let there = look(workspaces, target).await?;
        return Some(match (here, there) {
            (None, Some(_)) => Outcome::Done,
            (Some(_), None) => Outcome::Undone,
            _ => Outcome::Unclear,
        });
    }
    let found = here.as_ref().and_then(|stat| stat.digest);
    let is_before = match intent.before {
        Before::Nothing => here.is_none(),
        Before::File(digest) => here.is_some() && digest == found,
        Before::Directory => here.as_ref().is_some_and(|stat| stat.digest.is_none()),
    };
    let is_after = match (&intent.after, intent.tool) {
        (Some(after), _) => found == Some(*after),
        (None, Tool::Mkdir) => here.is_some(),
        (None, _) => here.is_none(),
    };
    Some(match (is_after, is_before) {
        (true, _) => Outcome::Done,
        (false, true) => Outcome::Undone,
        (false, false) => Outcome::Unclear,
    })
}

/// What stands at a path now, if that can be told.
async fn look(workspaces: &Workspaces, path: &LogicalPath) -> Option<Option<FileStat>> {
    let (workspace, at) = workspaces.find(path)?;
    match workspace.store.stat(at, true).await {
        Ok(stat) => Some(Some(stat)),
        Err(Fault::NotFound | Fault::NotDirectory) => Some(None),
        Err(_) => None,
    }
}
