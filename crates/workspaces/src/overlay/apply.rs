//! Applying an overlay to the Workspace below it, or dropping it.
//!
//! *Invariants*: applying covers only the changes that the overlay held when it was requested. Later writes stay in the
//! overlay, on top of the new lower state. A row is removed only by an operation that applies or drops it; agreeing
//! with the lower Store for a moment is no reason to remove it. Changes to paths that agents may only read below stay
//! in the overlay.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use piton_core::Envelope;
use schemars::JsonSchema;
use serde::Serialize;

use super::apply_row::{Landed, Operator};
use super::diff::{ChangedRow, DifferenceKind, LowerEntry, OverlayDifference};
use super::selection::{Chosen, choose, is_chosen, is_reviewed};
use super::store::OverlayStore;
use crate::bounds::TREE_ENTRIES_MAX;
use crate::error::Error;
use crate::files::Files;
use crate::path::{LogicalPath, MountPath};
use crate::protection::Protected;
use crate::scope::{AccessScope, Right, Tool};
use crate::store::{EntryKind, StoreFault};
use crate::workspaces::{Definition, Workspaces};

/// A request to apply changes of an overlay.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// Workspace that the overlay lies over.
    pub over: LogicalPath,
    /// Workspace of the overlay, which holds the records of its changes. Their authors are named in the records of the
    /// applied changes.
    pub overlay: Option<LogicalPath>,
    /// Changes that were reviewed and approved. `None` applies every change.
    pub reviewed: Option<Vec<OverlayDifference>>,
    /// Paths whose changes are applied, each with everything inside. None of them means all.
    pub paths: Vec<MountPath>,
    /// Entries below that changed since the overlay changed them, and that may be replaced all the same: each as it was
    /// seen.
    pub confirmed: Vec<(MountPath, LowerEntry)>,
    /// Leaves paths that changed below in the overlay and applies the rest. Otherwise one such path refuses everything.
    pub leaves_conflicts: bool,
}

impl ApplyRequest {
    /// Requests every change, applied to this Workspace.
    pub const fn everything(over: LogicalPath) -> Self {
        Self {
            over,
            overlay: None,
            reviewed: None,
            paths: Vec::new(),
            confirmed: Vec::new(),
            leaves_conflicts: false,
        }
    }
}

/// Result of applying an overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Applied {
    /// Paths that were changed below.
    pub paths: Vec<LogicalPath>,
    /// Changes that the overlay still holds, path by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftChange>,
    /// Error that stopped the operation before its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Envelope>")]
    pub stopped: Option<Error>,
}

/// A path that still differs after an overlay was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftChange {
    /// Path as it is called below.
    pub path: LogicalPath,
    pub reason: LeftReason,
    /// Reason that agents may only read the path below, if that is why it was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
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
        /// It is not among the paths that were chosen.
        NotChosen => "not_chosen",
        /// Something failed before its turn.
        NotReached => "not_reached",
    }
}

impl OverlayStore {
    /// Returns the view of the operator who applies the overlay: the lower Store, read-write, at `prefix`.
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

    /// Makes the lower Workspace look as the overlay shows it, and removes the applied changes from the overlay.
    /// `files` are the operations of the caller, who needs a read-write Workspace at `over` on the same Store. If
    /// something below changed since it was copied up, nothing is applied and every such path is named, unless the
    /// request leaves such paths. Everything that happens after the first change is part of the answer: which changes
    /// were applied, which were not, and why. Changes to paths that agents may only read below stay in the overlay.
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
        // Rows that a process applied but did not remove before it died. If this fails now, the next call removes them.
        self.remove_applied(&rows, &BTreeSet::new()).await.ok();
        let rows = wanted(rows.changed, request)?;
        let split = self.split(rows).await.map_err(told(&MountPath::root()))?;
        let (mut rows, protected) = (split.applied, split.left);
        // Every row is checked before the first one is applied, so a conflict known up front refuses the whole request.
        let mut conflicts = BTreeSet::new();
        for changed in rows.iter().filter(|changed| !changed.differences.is_empty()) {
            if !self.fits(changed).await.map_err(told(&changed.path))? {
                conflicts.insert(changed.path.clone());
            }
        }
        let is_confirmed = |path: &MountPath| request.confirmed.iter().any(|(one, _)| one == path);
        if !conflicts.iter().all(is_confirmed) && !request.leaves_conflicts {
            let unconfirmed = conflicts.iter().filter(|path| !is_confirmed(path));
            let paths = unconfirmed.map(|path| over.join(path).to_string()).collect();
            return Err(Error::OverlayConflict { paths, changes: count_paths(&rows) });
        }
        for changed in rows.iter().filter(|changed| !changed.differences.is_empty()) {
            let seen = request.confirmed.iter().find(|(path, _)| *path == changed.path);
            if let Some((path, below)) = seen.filter(|(path, _)| conflicts.contains(path))
                && self.rebase(changed, *below).await.map_err(told(path))?
            {
                conflicts.remove(path);
            }
        }
        let (mut paths, mut reasons, mut stopped) = (Vec::new(), BTreeMap::new(), None);
        rows.retain(|ChangedRow { path, .. }| {
            // An entry of a directory that is left has no parent below to go into.
            let is_left = path.ancestors().any(|at| conflicts.contains(&at));
            if is_left {
                reasons.insert(over.join(path), LeftReason::ChangedBelow);
            }
            !is_left
        });
        let operator = Operator { files, over, overlay: request.overlay.as_ref() };
        let mut on_the_way = BTreeSet::new();
        // Rows are in path order, so a directory is created before its entries.
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
                // The row only had to be settled; nothing changed below.
                Ok(Landed::Applied) if changed.differences.is_empty() => {}
                Ok(Landed::Applied) => paths.push(path),
                Ok(Landed::Left(reason)) => drop(reasons.insert(path, reason)),
                // After the first failure nothing more is attempted, but all of the rest is reported.
                Err(error) => {
                    reasons.insert(path, LeftReason::NotReached);
                    stopped = Some(error);
                }
            }
        }
        // Read the overlay again: agents may have written while the rows were applied.
        let left = match self.scan_rows().await {
            Ok(rows) => {
                // Changes have been made by now, so an error becomes part of the answer instead of replacing it.
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
                None => reasons.get(&path).copied().unwrap_or_else(|| {
                    let at = path.below(over);
                    let is_chosen = at.is_none_or(|at| is_chosen(&at, &request.paths));
                    if is_chosen { LeftReason::Newer } else { LeftReason::NotChosen }
                }),
            };
            LeftChange { path, reason, protected }
        };
        let mut left: Vec<LeftChange> = left.into_iter().map(because).collect();
        // An entry that replaced one of another kind is listed twice, as a deletion and as an addition.
        left.dedup();
        Ok(Applied { paths, left, stopped })
    }

    /// Makes an empty overlay show the same as this one, and returns the number of entries in its upper Store. From
    /// then on the two change independently.
    pub async fn fork_into(&self, target: &Self) -> Result<u64, StoreFault> {
        self.upper.copy_to(&target.upper).await
    }

    /// Drops every change: the overlay shows the lower Store again.
    pub async fn drop_all(&self) -> Result<(), StoreFault> {
        let mut waiting = self.changed_in(&MountPath::root()).await?;
        while let Some(path) = waiting.pop() {
            match self.upper.forget(path.clone()).await {
                // Too much for one commit: remove the entries of the directory first, then try it again.
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

    /// Returns the paths in a directory that have a row above.
    async fn changed_in(&self, directory: &MountPath) -> Result<Vec<MountPath>, StoreFault> {
        let rows = self.rows_above(directory).await?;
        rows.iter().map(|(name, _)| directory.child(name).map_err(|_| StoreFault::Io)).collect()
    }
}

/// Returns the rows that a request is about: chosen, and as they were reviewed.
fn wanted(rows: Vec<ChangedRow>, request: &ApplyRequest) -> Result<Vec<ChangedRow>, Error> {
    let Chosen { mut rows, needed } = choose(rows, &request.paths).map_err(|path| {
        let path = request.over.join(&path);
        Error::BadArgument(format!(
            "{path} replaces what is below, so it is applied as a whole; choose {path} instead"
        ))
    })?;
    if let Some(reviewed) = &request.reviewed {
        let mut reviewed = reviewed.clone();
        reviewed.sort_by(|left, right| left.path.cmp(&right.path));
        rows.retain(|row| needed.contains(&row.path) || is_reviewed(row, &reviewed));
    }
    Ok(rows)
}

/// Returns the number of paths that differ.
fn count_paths(rows: &[ChangedRow]) -> usize {
    rows.iter().filter(|changed| !changed.differences.is_empty()).count()
}

/// Changed rows of an overlay, split by whether they may be applied.
pub(super) struct Split {
    pub(super) applied: Vec<ChangedRow>,
    /// Paths that stay above, each with the reason.
    pub(super) left: Vec<(MountPath, Protected)>,
}

impl OverlayStore {
    /// Splits rows into those that may be applied and those that stay above. A directory that is deleted or replaced
    /// stays as a whole if it contains anything protected, below or above.
    pub(super) async fn split(&self, rows: Vec<ChangedRow>) -> Result<Split, StoreFault> {
        let deletes = |changed: &&ChangedRow| {
            changed.differences.iter().any(|one| one.kind == DifferenceKind::Deleted)
        };
        let mut kept: Vec<(MountPath, Protected)> = Vec::new();
        // Deleting a directory below would take protected entries with it, so look for those first.
        for changed in rows.iter().filter(deletes) {
            let mut above = rows.iter().filter(|other| other.path.starts_with(&changed.path));
            let above = above.find_map(|other| self.lower_mask.protects(&other.path));
            let why = match above {
                Some(why) => Some(why),
                None => self.protected_below(&changed.path).await?,
            };
            kept.extend(why.map(|why| (changed.path.clone(), why)));
        }
        let mut split = Split { applied: Vec::new(), left: Vec::new() };
        for changed in rows {
            let whole = kept.iter().find(|(path, _)| changed.path.starts_with(path));
            let why = self.lower_mask.protects(&changed.path).or(whole.map(|(_, why)| *why));
            match why {
                Some(why) => split.left.push((changed.path, why)),
                None => split.applied.push(changed),
            }
        }
        Ok(split)
    }

    /// Returns the protection of any entry in a directory of the lower Store. `None` if the path is no directory or
    /// holds nothing protected.
    async fn protected_below(&self, path: &MountPath) -> Result<Option<Protected>, StoreFault> {
        let is_directory = |kind| kind == EntryKind::Directory;
        if !self.found_below(path).await?.is_some_and(|stat| is_directory(stat.kind)) {
            return Ok(None);
        }
        let mut waiting = vec![path.clone()];
        let mut count = 0;
        while let Some(directory) = waiting.pop() {
            let listing = match self.lower.list(directory.clone()).await {
                // A concurrent apply deleted it since it was listed.
                Err(StoreFault::NotFound | StoreFault::NotDirectory) => continue,
                listing => listing?,
            };
            for entry in listing.entries {
                count += 1;
                if count > TREE_ENTRIES_MAX {
                    return Err(StoreFault::limit("entries at once", TREE_ENTRIES_MAX));
                }
                let below = directory.child(&entry.name).map_err(|_| StoreFault::HoldsHidden)?;
                if let Some(why) = self.lower_mask.protects(&below) {
                    return Ok(Some(why));
                }
                if is_directory(entry.kind) {
                    waiting.push(below);
                }
            }
        }
        Ok(None)
    }
}
