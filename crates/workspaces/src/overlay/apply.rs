//! Applying an overlay to the Workspace below it, or dropping it.
//!
//! *Invariants*: only what was in the overlay when it was asked to be applied is applied. What somebody writes
//! meanwhile stays in the overlay, on top of what is below then. A row is removed only by whoever applies or drops it:
//! that what is below agrees with it for a moment is no reason.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    diff::{ChangedRow, OverlayDifference},
    land_change::{Landed, Operator},
    store::OverlayStore,
};
use crate::{
    error::Error,
    files::Files,
    path::{LogicalPath, MountPath},
    protection::Protected,
    scope::{AccessScope, Right, Tool},
    store::StoreFault,
    workspace::Definition,
    workspaces::Workspaces,
};

/// Which changes of an overlay are applied, and to what.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// The Workspace that the overlay lies over.
    pub over: LogicalPath,
    /// The Workspace of the overlay, under which the records of its changes are kept: their authors are named in the
    /// records of what is applied.
    pub overlay: Option<LogicalPath>,
    /// The changes that somebody agreed to; without them, every change that there is.
    pub reviewed: Option<Vec<OverlayDifference>>,
    /// Whether what changed below since stays in the overlay and the rest is applied, instead of nothing at all.
    pub leaves_conflicts: bool,
}

impl ApplyRequest {
    /// Every change, to this Workspace.
    pub const fn everything(over: LogicalPath) -> Self {
        Self { over, overlay: None, reviewed: None, leaves_conflicts: false }
    }
}

/// What applying an overlay did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The paths that were changed below.
    pub paths: Vec<LogicalPath>,
    /// What is in the overlay after that, path by path.
    pub left: Vec<LeftChange>,
    /// Why it stopped before the end, if it did.
    pub stopped: Option<Error>,
}

/// A path that differs after an overlay was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftChange {
    /// The path, as it is called below.
    pub path: LogicalPath,
    /// Why it is not applied.
    pub reason: LeftReason,
    /// Why agents only read the path below, if that is the reason.
    pub protected: Option<Protected>,
}

piton_core::closed_set! {
    /// Why a change is still in an overlay after it was applied.
    pub enum LeftReason {
        /// It was written after the changes were looked at.
        Newer => "newer",
        /// What is below changed since the overlay changed it, or while it was applied.
        ChangedBelow => "changed_below",
        /// Agents only read its path below.
        Protected => "protected",
        /// Something failed before its turn.
        NotReached => "not_reached",
    }
}

impl OverlayStore {
    /// What whoever applies the overlay acts on: what lies below, read-write, at `prefix`.
    pub fn operator(&self, prefix: &LogicalPath) -> Result<Workspaces, Error> {
        Workspaces::new(vec![Definition {
            prefix: prefix.to_string(),
            scope: AccessScope::ReadWrite.to_string(),
            purpose: String::new(),
            deny: Vec::new(),
            writable: self.lower_mask.protection().writable(),
            reserved: self.lower_mask.protection().reserved(),
            store: Ok(Arc::clone(&self.lower)),
        }])
    }

    /// Makes the lower Workspace as the overlay shows it, and takes what is there then from the overlay. `files` are
    /// the operations of whoever applies it, who needs a read-write Workspace at `over` on the same Store. If something
    /// below changed since it was copied up, nothing is applied and every such path is named, unless the request says
    /// that such paths are left. Whatever happens after
    /// the first change is part of the answer: what was applied, what was not, and why. What agents only read below
    /// stays in the overlay.
    pub async fn apply(&self, files: &Files, request: &ApplyRequest) -> Result<Applied, Error> {
        let over = &request.over;
        let place = files.workspaces().permit(Tool::Write, Right::Change, over)?;
        if !Arc::ptr_eq(&place.workspace.store, &self.lower) || !place.at.is_root() {
            return Err(Error::BadArgument(format!("{over} is not what this overlay lies over")));
        }
        let told = |path: &MountPath| {
            let path = over.join(path);
            move |fault| Error::File { path, fault }
        };
        let rows = self.scan_rows().await.map_err(told(&MountPath::root()))?;
        // What somebody left who died. If that fails now, it is removed the next time.
        self.remove_applied(&rows, &BTreeSet::new()).await.ok();
        let rows = reviewed_of(rows.changed, request);
        let split = self.split(rows).await.map_err(told(&MountPath::root()))?;
        let (mut rows, protected) = (split.applied, split.left);
        let mut conflicts = BTreeSet::new();
        for changed in rows.iter().filter(|changed| !changed.differences.is_empty()) {
            if !self.fits(changed).await.map_err(told(&changed.path))? {
                conflicts.insert(changed.path.clone());
            }
        }
        if !conflicts.is_empty() && !request.leaves_conflicts {
            let paths = conflicts.iter().map(|path| over.join(path).to_string()).collect();
            return Err(Error::OverlayConflict { paths, changes: count_paths(&rows) });
        }
        let (mut paths, mut reasons, mut stopped) = (Vec::new(), BTreeMap::new(), None);
        rows.retain(|ChangedRow { path, .. }| {
            // What lies in a directory that is left has no place below.
            let is_left = path.ancestors().any(|at| conflicts.contains(&at));
            if is_left {
                reasons.insert(over.join(path), LeftReason::ChangedBelow);
            }
            !is_left
        });
        let operator = Operator { files, over, overlay: request.overlay.as_ref() };
        let mut on_the_way = BTreeSet::new();
        for changed in &rows {
            let path = over.join(&changed.path);
            if stopped.is_some() {
                reasons.insert(path, LeftReason::NotReached);
                continue;
            }
            let landed = self.land(&operator, changed).await;
            if matches!(landed, Ok(Landed::Applied)) {
                on_the_way.extend(changed.path.ancestors());
            }
            match landed {
                // One that only had to be settled changed nothing.
                Ok(Landed::Applied) if changed.differences.is_empty() => {}
                Ok(Landed::Applied) => paths.push(path),
                Ok(Landed::Left(reason)) => drop(reasons.insert(path, reason)),
                Err(error) => {
                    reasons.insert(path, LeftReason::NotReached);
                    stopped = Some(error);
                }
            }
        }
        let left = match self.scan_rows().await {
            Ok(rows) => {
                if let Err(fault) = self.remove_applied(&rows, &on_the_way).await {
                    stopped.get_or_insert(told(&MountPath::root())(fault));
                }
                rows.into_differences().iter().map(|one| over.join(&one.path)).collect()
            }
            Err(fault) => {
                stopped.get_or_insert(told(&MountPath::root())(fault));
                reasons.keys().cloned().collect::<Vec<_>>()
            }
        };
        let protected: BTreeMap<LogicalPath, Protected> =
            protected.into_iter().map(|(path, why)| (over.join(&path), why)).collect();
        let because = |path: LogicalPath| {
            let protected = protected.get(&path).copied();
            let reason = match protected {
                Some(_) => LeftReason::Protected,
                None => reasons.get(&path).copied().unwrap_or(LeftReason::Newer),
            };
            LeftChange { path, reason, protected }
        };
        let mut left: Vec<LeftChange> = left.into_iter().map(because).collect();
        // What took the place of something else differs twice.
        left.dedup();
        Ok(Applied { paths, left, stopped })
    }

    /// Makes an overlay that is empty show what this one shows; returns how many entries its upper Store has then.
    /// From there on each goes its own way.
    pub async fn fork_into(&self, target: &Self) -> Result<u64, StoreFault> {
        self.upper.copy_to(&target.upper).await
    }

    /// Forgets every change: the overlay shows what is below again.
    pub async fn drop_all(&self) -> Result<(), StoreFault> {
        let mut waiting = self.changed_in(&MountPath::root()).await?;
        while let Some(path) = waiting.pop() {
            match self.upper.forget(path.clone()).await {
                // More than one commit takes: what is in it goes first.
                Err(StoreFault::Limit { .. }) => {
                    let inside = self.changed_in(&path).await?;
                    waiting.push(path);
                    waiting.extend(inside);
                }
                forgotten => forgotten?,
            }
        }
        Ok(())
    }

    /// The paths in a directory that something above stands at.
    async fn changed_in(&self, directory: &MountPath) -> Result<Vec<MountPath>, StoreFault> {
        let rows = self.rows_above(directory).await?;
        rows.iter().map(|(name, _)| directory.child(name).map_err(|_| StoreFault::Io)).collect()
    }
}

/// How many paths differ.
fn count_paths(rows: &[ChangedRow]) -> usize {
    rows.iter().filter(|changed| !changed.differences.is_empty()).count()
}

/// The rows that say nothing but what somebody agreed to.
fn reviewed_of(mut rows: Vec<ChangedRow>, request: &ApplyRequest) -> Vec<ChangedRow> {
    let Some(reviewed) = &request.reviewed else { return rows };
    let mut by_path: BTreeMap<&MountPath, Vec<&OverlayDifference>> = BTreeMap::new();
    for one in reviewed {
        by_path.entry(&one.path).or_default().push(one);
    }
    // Whether a file is added or modified is for what is below to say, and whoever agrees agrees to the file.
    let is_same = |one: &OverlayDifference, other: &OverlayDifference| {
        (one.now, one.executable) == (other.now, other.executable)
            && (one.now.is_some() || one.kind == other.kind)
    };
    rows.retain(|changed| {
        let seen = by_path.get(&changed.path).map_or(&[][..], Vec::as_slice);
        changed.differences.iter().all(|one| seen.iter().any(|other| is_same(one, other)))
    });
    rows
}
