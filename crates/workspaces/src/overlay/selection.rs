//! Part of the changes of an overlay, chosen by path: what applying takes along, what dropping removes, and changes
//! that somebody wants to keep although what is below changed as well.
//!
//! *Invariants*: a chosen directory stands for everything inside. Nothing that was not chosen is changed below, except
//! that directories are made which a chosen entry needs. Dropping removes only rows that still say what was reviewed.

use std::collections::BTreeSet;

use super::diff::{ChangedRow, DifferenceKind, LowerEntry, OverlayDifference};
use super::store::OverlayStore;
use crate::path::MountPath;
use crate::store::StoreFault;

/// The result of dropping part of an overlay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Number of changes that were dropped.
    pub changes: usize,
    /// Chosen paths that still differ: they were written after they were reviewed.
    pub left: Vec<MountPath>,
}

/// The rows that were chosen.
pub(super) struct Chosen {
    pub(super) rows: Vec<ChangedRow>,
    /// Directories that were not chosen but have to be made first.
    pub(super) needed: BTreeSet<MountPath>,
}

/// True if a path was chosen by itself or with a directory. Without a choice, every path is.
pub(super) fn is_chosen(path: &MountPath, paths: &[MountPath]) -> bool {
    paths.is_empty() || paths.iter().any(|chosen| path.starts_with(chosen))
}

/// Returns the chosen rows and the directories above them that the overlay made. Fails with the path of a directory
/// that replaced something below, which a part of it cannot do.
pub(super) fn choose(mut rows: Vec<ChangedRow>, paths: &[MountPath]) -> Result<Chosen, MountPath> {
    let mut needed = BTreeSet::new();
    let chosen: Vec<&MountPath> =
        rows.iter().map(|row| &row.path).filter(|path| is_chosen(path, paths)).collect();
    let above: BTreeSet<MountPath> = chosen.iter().flat_map(|path| path.ancestors()).collect();
    for row in rows.iter().filter(|row| !is_chosen(&row.path, paths) && above.contains(&row.path)) {
        if row.differences.iter().any(|one| one.kind == DifferenceKind::Deleted) {
            return Err(row.path.clone());
        }
        needed.insert(row.path.clone());
    }
    rows.retain(|row| is_chosen(&row.path, paths) || needed.contains(&row.path));
    Ok(Chosen { rows, needed })
}

impl OverlayStore {
    /// Drops the changes at these paths and inside them. With `reviewed`, only those that are still as they were
    /// reviewed. Each row is removed in one commit, so after a crash the rest is still there.
    pub async fn drop_paths(
        &self,
        paths: &[MountPath],
        reviewed: Option<&[OverlayDifference]>,
    ) -> Result<Dropped, StoreFault> {
        let scan = self.scan_rows().await?;
        let mut dropped = 0;
        let mut rows: Vec<(MountPath, Option<ChangedRow>)> = Vec::new();
        for changed in scan.changed {
            let is_wanted = reviewed.is_none_or(|reviewed| is_reviewed(&changed, reviewed));
            if is_chosen(&changed.path, paths) && is_wanted {
                rows.push((changed.path.clone(), Some(changed)));
            }
        }
        // A row that agrees with what is below changes nothing by going, and would keep its directory from going.
        let redundant = scan.redundant.into_iter().filter(|path| is_chosen(path, paths));
        rows.extend(redundant.map(|path| (path, None)));
        rows.sort_by(|(left, _), (right, _)| left.cmp(right));
        // In reverse order entries come before their directory, which goes only once it is empty.
        for (path, changed) in rows.into_iter().rev() {
            let seen = match &changed {
                Some(changed) => self.same_row(changed).await?,
                None => self.upper.seen(&path).await?,
            };
            let Some(seen) = seen else { continue };
            match self.upper.exchange(&path, &seen, None).await {
                Ok(true) => dropped += changed.map_or(0, |changed| changed.differences.len()),
                // Written since, or still holding something that was: it stays.
                Ok(false) | Err(StoreFault::Busy) => {}
                Err(other) => return Err(other),
            }
        }
        let left = self.scan_rows().await?.into_differences();
        let mut left: Vec<MountPath> = left.into_iter().map(|one| one.path).collect();
        left.retain(|path| is_chosen(path, paths));
        left.dedup();
        Ok(Dropped { changes: dropped, left })
    }

    /// Bases a row on what is below now, if that is what somebody saw and agreed to replace. Returns false if it is
    /// another entry by now.
    pub(super) async fn rebase(
        &self,
        changed: &ChangedRow,
        confirmed: LowerEntry,
    ) -> Result<bool, StoreFault> {
        let digest = match confirmed {
            LowerEntry::Absent => None,
            LowerEntry::Content(digest) => Some(digest),
            // Nobody can tell whether it is still what was seen.
            LowerEntry::Unknown => return Ok(false),
        };
        // Applying finds out that the row is another by now, and leaves it.
        let Some(seen) = self.same_row(changed).await? else { return Ok(true) };
        if self.lower_entry(&changed.path).await? != confirmed {
            return Ok(false);
        }
        // One commit. After a crash the row is a change of what the person saw below, which is what was agreed to.
        let row = seen.row().clone().on(digest, None);
        // If an agent writes meanwhile, the row keeps its old base, and applying reports the conflict once more.
        self.upper.exchange(&changed.path, &seen, Some(&row)).await?;
        Ok(true)
    }
}

/// True if all that a row changes was reviewed as it is. `reviewed` is in path order.
pub(super) fn is_reviewed(changed: &ChangedRow, reviewed: &[OverlayDifference]) -> bool {
    // The state below decides between added and modified; the reviewer approved the file, not that label.
    let is_same = |one: &OverlayDifference, other: &OverlayDifference| {
        (one.now, one.executable) == (other.now, other.executable)
            && (one.now.is_some() || one.kind == other.kind)
    };
    // Both are in path order: an overlay may have tens of thousands of changes.
    let start = reviewed.partition_point(|one| one.path < changed.path);
    let seen = reviewed[start..].iter().take_while(|one| one.path == changed.path);
    changed.differences.iter().all(|one| seen.clone().any(|other| is_same(one, other)))
}
