//! The records of a whole set of Workspaces: each Mount has its own.
//!
//! *Invariants*: whoever reaches a Mount, under whatever set, reads and writes the records of that Mount. A
//! record is settled only by a set in which its path still leads to its Mount.

use std::{collections::BTreeMap, sync::Arc};

use piton_core::Clock;
use piton_store::port::Table;

use super::{
    blame::FileBlame,
    ledger::Ledger,
    record::{AuditRecord, CopyOrigin},
    recover::state_of,
    trace::HistoryTrace,
};
use crate::{config::Mounted, error::Error, path::LogicalPath, workspaces::Workspaces};

/// The records of a whole set of Workspaces.
#[derive(Clone)]
pub struct Ledgers {
    by_prefix: Arc<BTreeMap<LogicalPath, Arc<Ledger>>>,
    /// What each overlay lies over.
    over: Arc<BTreeMap<LogicalPath, LogicalPath>>,
    /// What those have that no prefix is known of.
    rest: Arc<Ledger>,
}

impl From<Arc<Ledger>> for Ledgers {
    /// One ledger for every Workspace.
    fn from(ledger: Arc<Ledger>) -> Self {
        Self { by_prefix: Arc::default(), over: Arc::default(), rest: ledger }
    }
}

impl Ledgers {
    /// The records of these Mounts in a table.
    pub fn of(table: &Arc<dyn Table>, clock: &Arc<dyn Clock>, mounts: &[Mounted]) -> Self {
        let ledger = |name: &str| Arc::new(Ledger::new(Arc::clone(table), Arc::clone(clock), name));
        let by_prefix =
            mounts.iter().map(|one| (one.prefix.clone(), ledger(&one.identity))).collect();
        let over = mounts.iter().filter_map(|one| Some((one.prefix.clone(), one.over.clone()?)));
        let over = Arc::new(over.collect());
        Self { by_prefix: Arc::new(by_prefix), over, rest: ledger("") }
    }

    /// The records of the Mount that a path leads to.
    pub fn at(&self, path: &LogicalPath) -> &Arc<Ledger> {
        let known = path.ancestors().find_map(|above| {
            let above: LogicalPath = above.parse().expect("a part of a path is a path");
            self.by_prefix.get(&above)
        });
        known.unwrap_or(&self.rest)
    }

    /// What is copied from a path, as the record of the copy says it.
    pub(crate) fn origin(&self, path: &LogicalPath) -> CopyOrigin {
        CopyOrigin { path: path.clone(), mount: self.at(path).name() }
    }

    /// What the path of an overlay lies over.
    pub(super) fn below(&self, path: &LogicalPath) -> Option<LogicalPath> {
        let mut above =
            path.ancestors().map(|above| above.parse().expect("a part of a path is a path"));
        let prefix: LogicalPath = above.find(|above| self.by_prefix.contains_key(above))?;
        Some(self.over.get(&prefix)?.join(&path.below(&prefix)?))
    }

    /// The history of a file, and of where its content was copied or moved from.
    pub async fn blame(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
    ) -> Result<FileBlame, Error> {
        let mut own = self.at(path).blame(workspaces, path).await?;
        // What an overlay does not change, or not any more since it was applied or dropped, is as it is below.
        if own.changed_outside
            && let Some(below) = self.below(path)
            && state_of(workspaces, path).await == state_of(workspaces, &below).await
        {
            own.changed_outside = self.at(&below).blame(workspaces, &below).await?.changed_outside;
        }
        HistoryTrace::new(self, workspaces).history(path, own).await
    }

    /// The newest record of a file, or of a directory above it that was moved or removed.
    pub async fn last(
        &self,
        workspaces: &Workspaces,
        path: &LogicalPath,
    ) -> Result<Option<AuditRecord>, Error> {
        self.at(path).last(workspaces, path).await
    }

    /// What was done in a run, Mount by Mount and oldest first: at most `max` records of each, and how many more
    /// there are.
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

    /// The files of these Workspaces that should be there by their records, and were lost to damage.
    pub async fn lost(&self, workspaces: &Workspaces) -> Result<Vec<LogicalPath>, Error> {
        let mut lost = Vec::new();
        // Every record has to be read, so it is done only where a repair took something out.
        if self.rest.follows_a_repair().await? {
            for ledger in self.all() {
                lost.extend(ledger.lost(workspaces).await?);
            }
        }
        Ok(lost)
    }

    /// Whether outcomes are known here that are not written yet.
    pub fn has_unwritten(&self) -> bool {
        self.all().any(|ledger| ledger.has_unwritten())
    }

    /// Writes the outcomes that are known here and are not written yet: where nothing more is about to be changed.
    pub async fn flush(&self) -> Result<(), Error> {
        for ledger in self.all() {
            ledger.flush().await?;
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Ledger>> {
        self.by_prefix.values().chain([&self.rest])
    }

    /// Settles what processes left open that died; returns how many records were settled.
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
