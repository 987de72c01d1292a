//! The records of a whole set of Workspaces: each Mount has its own ledger.
//!
//! *Invariants*: all sets that reach a Mount read and write the same records of that Mount. A record is settled only by
//! a set in which its path still leads to its Mount.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::Clock;
use piton_store::port::Table;

use super::blame::FileBlame;
use super::ledger::Ledger;
use super::record::{AuditRecord, CopyOrigin};
use super::recover::state_of;
use super::trace::HistoryTrace;
use crate::config::Mounted;
use crate::error::Error;
use crate::path::LogicalPath;
use crate::workspaces::Workspaces;

/// The ledgers of a whole set of Workspaces.
#[derive(Clone)]
pub struct Ledgers {
    by_prefix: Arc<BTreeMap<LogicalPath, Arc<Ledger>>>,
    /// Lower Workspace of each overlay.
    over: Arc<BTreeMap<LogicalPath, LogicalPath>>,
    /// Ledger for paths without a known prefix.
    rest: Arc<Ledger>,
}

impl From<Arc<Ledger>> for Ledgers {
    /// Uses one ledger for every Workspace.
    fn from(ledger: Arc<Ledger>) -> Self {
        Self { by_prefix: Arc::default(), over: Arc::default(), rest: ledger }
    }
}

impl Ledgers {
    /// Opens the records of these Mounts in a table.
    pub fn of(table: &Arc<dyn Table>, clock: &Arc<dyn Clock>, mounts: &[Mounted]) -> Self {
        let ledger = |name: &str| Arc::new(Ledger::new(Arc::clone(table), Arc::clone(clock), name));
        let by_prefix =
            mounts.iter().map(|one| (one.prefix.clone(), ledger(&one.identity))).collect();
        let over = mounts.iter().filter_map(|one| Some((one.prefix.clone(), one.over.clone()?)));
        let over = Arc::new(over.collect());
        Self { by_prefix: Arc::new(by_prefix), over, rest: ledger("") }
    }

    /// Returns the ledger of the Mount that a path leads to.
    pub fn at(&self, path: &LogicalPath) -> &Arc<Ledger> {
        path.ancestors().find_map(|above| self.by_prefix.get(&above)).unwrap_or(&self.rest)
    }

    /// Returns the origin of a copy from a path, for the record of the copy.
    pub(crate) fn origin(&self, path: &LogicalPath) -> CopyOrigin {
        CopyOrigin { path: path.clone(), mount: self.at(path).name() }
    }

    /// Returns the lower path of a path in an overlay.
    pub(super) fn below(&self, path: &LogicalPath) -> Option<LogicalPath> {
        let prefix = path.ancestors().find(|above| self.by_prefix.contains_key(above))?;
        Some(self.over.get(&prefix)?.join(&path.below(&prefix)?))
    }

    /// Returns the history of a file, including the source that its content was copied or moved from.
    pub async fn blame(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
    ) -> Result<FileBlame, Error> {
        let mut own = self.at(path).blame(workspaces, path).await?;
        // A file that the overlay does not change, or no longer changes after an apply or a drop, is the lower file.
        if own.changed_outside
            && let Some(below) = self.below(path)
            && state_of(workspaces, path).await == state_of(workspaces, &below).await
        {
            own.changed_outside = self.at(&below).blame(workspaces, &below).await?.changed_outside;
        }
        HistoryTrace::new(self, workspaces).history(path, own).await
    }

    /// Returns the newest record of a file, or of a directory above it that was moved or removed.
    pub async fn last(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
    ) -> Result<Option<AuditRecord>, Error> {
        self.at(path).last(workspaces, path).await
    }

    /// Returns the records of a run, Mount by Mount and oldest first: at most `max` of each, and the number of further
    /// ones.
    pub async fn of_run(
        &self,
        workspaces: &Workspaces,
        run: &str,
        max: usize,
    ) -> Result<(Vec<AuditRecord>, usize), Error> {
        let (mut records, mut left_out) = (Vec::new(), 0);
        for ledger in self.all() {
            let (more, rest) = ledger.of_run(workspaces, run, max).await?;
            records.extend(more);
            left_out += rest;
        }
        Ok((records, left_out))
    }

    /// Returns the files of these Workspaces that exist according to their records but were lost to damage.
    pub async fn lost(&self, workspaces: &Workspaces) -> Result<Vec<LogicalPath>, Error> {
        let mut lost = Vec::new();
        // This reads every record, so it is done only after a repair removed something.
        if self.rest.follows_a_repair().await? {
            for ledger in self.all() {
                lost.extend(ledger.lost(workspaces).await?);
            }
        }
        Ok(lost)
    }

    /// True if there are known outcomes that are not written yet.
    pub fn has_unwritten(&self) -> bool {
        self.all().any(|ledger| ledger.has_unwritten())
    }

    /// Writes the known outcomes that are not written yet, for callers that are not about to change anything more.
    pub async fn flush(&self) -> Result<(), Error> {
        for ledger in self.all() {
            ledger.flush().await?;
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Ledger>> {
        self.by_prefix.values().chain([&self.rest])
    }

    /// Returns every ledger with the prefix of its Workspace; the one for paths without a known prefix comes last.
    pub(super) fn named_ledgers(
        &self,
    ) -> impl Iterator<Item = (Option<&LogicalPath>, &Arc<Ledger>)> {
        let known = self.by_prefix.iter().map(|(prefix, ledger)| (Some(prefix), ledger));
        known.chain([(None, &self.rest)])
    }

    /// Settles records that dead processes left open, and returns their number.
    pub async fn recover(&self, workspaces: &Workspaces) -> Result<u64, Error> {
        let mut settled = 0;
        for (prefix, ledger) in &*self.by_prefix {
            settled += ledger.recover_below(workspaces, Some(prefix)).await?;
        }
        if self.by_prefix.is_empty() {
            settled += self.rest.recover(workspaces).await?;
        }
        Ok(settled)
    }
}
