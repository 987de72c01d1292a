//! Differences between an overlay and the Store below it.

use std::collections::BTreeSet;

use piton_core::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use super::store::OverlayStore;
use crate::bounds::{FILE_BYTES_MAX, OVERLAY_CHANGES_MAX};
use crate::path::MountPath;
use crate::store::{EntryKind, FileStat, LoadedFile, Store, StoreFault};
use crate::virtual_store::{DirectoryRow, Landing};

piton_core::closed_set! {
    /// How a path differs from the one below.
    pub enum DifferenceKind {
        /// A file that is not below.
        Added => "added",
        /// A file that stands in front of one below.
        Modified => "modified",
        /// Something below that was deleted.
        Deleted => "deleted",
        /// A directory that is not below.
        Directory => "directory",
    }
}

/// A path that an overlay changed, compared with the current lower Store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverlayDifference {
    pub path: MountPath,
    pub kind: DifferenceKind,
    /// Set when the path changed below since the overlay changed it, so the change cannot be applied.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed_below: bool,
    /// Digest of the lower entry at the time of the first change.
    #[serde(skip)]
    pub base: Option<Digest>,
    /// The lower entry as it is now, if it changed since the overlay changed it.
    #[serde(skip)]
    pub below: Option<LowerEntry>,
    /// Digest of the upper content.
    #[serde(skip)]
    pub now: Option<Digest>,
    /// Time of the change, in seconds since 1970.
    #[serde(skip)]
    pub modified: u64,
    /// New state of the executable bit. `None` if it stays as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
}

/// The lower entry at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowerEntry {
    Absent,
    /// A file, or a directory with everything inside.
    Content(Digest),
    /// An entry that cannot be told from another one: too large, or with something inside that no agent may see.
    Unknown,
}

/// Rows of an overlay, classified.
pub(super) struct RowScan {
    /// Rows that applying acts on, in path order.
    pub(super) changed: Vec<ChangedRow>,
    /// Rows that agree with the lower Store and may be leftovers of an earlier apply. A directory comes before its
    /// entries.
    pub(super) redundant: Vec<MountPath>,
}

/// A row that differs from the lower Store, or that an interrupted apply left unsettled.
pub(super) struct ChangedRow {
    pub(super) path: MountPath,
    pub(super) row: DirectoryRow,
    /// Set when the lower entry at this path would be visible without the row.
    pub(super) shines: bool,
    pub(super) differences: Vec<OverlayDifference>,
}

impl RowScan {
    /// Returns the differences in path order.
    pub(super) fn into_differences(self) -> Vec<OverlayDifference> {
        self.changed.into_iter().flat_map(|changed| changed.differences).collect()
    }
}

impl OverlayStore {
    /// Returns every path that differs from the lower Store, in path order. A file that was restored to its old content
    /// does not differ, nor does one whose content is below by now. Its row stays above all the same, because the lower
    /// file may change at any moment. An entry that replaced one of another kind is listed twice: the deletion, then
    /// the new entry. For an entry that changed below since, only the digest of its former content is known.
    pub async fn diff(&self) -> Result<Vec<OverlayDifference>, StoreFault> {
        let mut rows = self.scan_rows().await?;
        for changed in rows.changed.iter_mut().filter(|changed| !changed.differences.is_empty()) {
            if !self.fits(changed).await? {
                let below = Some(self.lower_entry(&changed.path).await?);
                for one in &mut changed.differences {
                    (one.changed_below, one.below) = (true, below);
                }
            }
        }
        Ok(rows.into_differences())
    }

    /// Compares every row with the lower Store.
    pub(super) async fn scan_rows(&self) -> Result<RowScan, StoreFault> {
        let mut scan = RowScan { changed: Vec::new(), redundant: Vec::new() };
        let mut count = 0;
        // Each directory with a flag that its lower counterpart is visible through it.
        let mut waiting = vec![(MountPath::root(), true)];
        while let Some((path, shines)) = waiting.pop() {
            for (name, row) in self.rows_above(&path).await? {
                let at = path.child(&name).map_err(|_| StoreFault::Io)?;
                if let DirectoryRow::Directory { opaque, .. } = row {
                    waiting.push((at.clone(), shines && !opaque));
                }
                let below = if shines { self.found_below(&at).await? } else { None };
                let differences = differences(&at, &row, below.as_ref());
                count += differences.len();
                if differences.is_empty() && is_settled(&row) {
                    scan.redundant.push(at);
                } else {
                    scan.changed.push(ChangedRow { path: at, row, shines, differences });
                }
                // The bound is on differences, because each of them may end up in an answer or in a list of paths to
                // apply.
                if count > OVERLAY_CHANGES_MAX {
                    return Err(StoreFault::limit("changes in an overlay", OVERLAY_CHANGES_MAX));
                }
            }
        }
        scan.changed.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(scan)
    }

    /// Removes rows that an apply left although their state is below, each only if that still holds: rows with a note
    /// of an intended change below, and the directories `on_the_way` to the rows that were just applied.
    pub(super) async fn remove_applied(
        &self,
        rows: &RowScan,
        on_the_way: &BTreeSet<MountPath>,
    ) -> Result<(), StoreFault> {
        // In reverse order entries come before their directory. A directory that still holds a change stays.
        for path in rows.redundant.iter().rev() {
            // Read the row before the lower Store: the exchange fails if the row changes after this point.
            let Some(seen) = self.upper.seen(path).await? else { continue };
            let row = seen.row();
            let is_directory = matches!(row, DirectoryRow::Directory { .. });
            let is_applied = row.landing().is_some() || is_directory && on_the_way.contains(path);
            let below = self.would_shine(path).await?;
            if !is_applied || !differences(path, row, below.as_ref()).is_empty() || !is_settled(row)
            {
                continue;
            }
            match self.upper.exchange(path, &seen, None).await {
                // The row changed, or changes all the time: leave it.
                Ok(_) | Err(StoreFault::Busy) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    /// Returns the contents of a path that differs: the current lower one and the upper one. A directory has none.
    pub async fn contents(
        &self,
        one: &OverlayDifference,
    ) -> Result<(Option<Vec<u8>>, Option<Vec<u8>>), StoreFault> {
        let load =
            async |store: &dyn Store| match store.load(one.path.clone(), FILE_BYTES_MAX).await {
                Ok(loaded) => Ok(Some(loaded.bytes)),
                Err(StoreFault::NotFound | StoreFault::NotDirectory | StoreFault::IsDirectory) => {
                    Ok(None)
                }
                Err(other) => Err(other),
            };
        let is_below = matches!(one.kind, DifferenceKind::Modified | DifferenceKind::Deleted);
        let below = if is_below { load(&*self.lower).await? } else { None };
        let above = if one.now.is_some() { load(&self.upper).await? } else { None };
        Ok((below, above))
    }

    /// Loads a whole file of the lower Store of at most `bytes_max` bytes. `None` if there is none that may be shown.
    pub async fn load_below(&self, path: MountPath, bytes_max: u64) -> Option<LoadedFile> {
        if self.lower_mask.hides(&path).is_some() {
            return None;
        }
        self.lower.load(path, bytes_max).await.ok()
    }
}

/// Returns the differences between a row and the lower Store. A deletion comes before the entry that replaced it.
fn differences(
    path: &MountPath,
    row: &DirectoryRow,
    below: Option<&FileStat>,
) -> Vec<OverlayDifference> {
    let of = |kind, base, now, modified| OverlayDifference {
        path: path.clone(),
        kind,
        changed_below: false,
        base,
        below: None,
        now,
        modified,
        executable: None,
    };
    let deleted = |base, modified| of(DifferenceKind::Deleted, base, None, modified);
    let kind_below = below.map(|stat| stat.kind);
    match *row {
        DirectoryRow::File { digest, base, modified, executable, landing, .. } => {
            let takes_place = kind_below == Some(EntryKind::Directory);
            let was = below.is_some_and(|stat| stat.executable);
            let executable = executable.filter(|now| *now != was);
            // While an apply is in progress, the base is outdated: only the current lower content shows whether the
            // file was restored.
            let is_same = below.is_some_and(|stat| stat.digest == Some(digest))
                || landing.is_none() && base == Some(digest);
            let kind = match kind_below {
                _ if is_same && executable.is_none() => return Vec::new(),
                Some(kind) if kind != EntryKind::Directory => DifferenceKind::Modified,
                _ => DifferenceKind::Added,
            };
            let shown = if takes_place { None } else { base };
            let file = OverlayDifference { executable, ..of(kind, shown, Some(digest), modified) };
            takes_place.then(|| deleted(base, modified)).into_iter().chain([file]).collect()
        }
        DirectoryRow::Whiteout { .. } if below.is_none() => Vec::new(),
        DirectoryRow::Whiteout { base, modified, .. } => vec![deleted(base, modified)],
        DirectoryRow::Directory { opaque: false, .. }
            if kind_below == Some(EntryKind::Directory) =>
        {
            Vec::new()
        }
        DirectoryRow::Directory { base, modified, .. } => {
            let made = of(DifferenceKind::Directory, None, None, modified);
            let gone = below.map(|_| deleted(base, modified));
            gone.into_iter().chain([made]).collect()
        }
    }
}

/// True if no apply in progress intends another state below than the row describes. Such a row can be removed once it
/// agrees with the lower Store: the next apply finds nothing left to do.
fn is_settled(row: &DirectoryRow) -> bool {
    match (row, row.landing()) {
        (_, None)
        | (DirectoryRow::Whiteout { .. }, Some(Landing::Nothing))
        | (DirectoryRow::Directory { opaque: false, .. }, Some(Landing::Content(_))) => true,
        (DirectoryRow::File { digest, .. }, Some(Landing::Content(landing))) => *digest == landing,
        _ => false,
    }
}
