//! What an overlay changed.

use std::collections::BTreeSet;

use piton_core::Digest;

use super::store::OverlayStore;
use crate::{
    bounds::{FILE_BYTES_MAX, OVERLAY_CHANGES_MAX},
    path::MountPath,
    store::{EntryKind, FileStat, LoadedFile, Store, StoreFault},
    virtual_store::{DirectoryRow, Landing},
};

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

/// One path that an overlay changed, compared with what is below now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayDifference {
    /// The path.
    pub path: MountPath,
    /// How it differs.
    pub kind: DifferenceKind,
    /// Whether somebody changed what is below since the overlay did, so that it cannot be applied.
    pub changed_below: bool,
    /// The digest of what was below when it was changed first.
    pub base: Option<Digest>,
    /// The digest of what is above.
    pub now: Option<Digest>,
    /// When it was changed, in seconds since 1970.
    pub modified: u64,
    /// Whether it becomes a program, or is none any more; nothing if that stays as it is.
    pub executable: Option<bool>,
}

/// The rows of an overlay.
pub(super) struct RowScan {
    /// Those that applying acts on, in the order of paths.
    pub(super) changed: Vec<ChangedRow>,
    /// Those that say nothing which is not below as well, and may be what is left of applying; a directory comes before
    /// what is in it.
    redundant: Vec<MountPath>,
}

/// A row above that says that something differs, or that somebody who applied it left unsettled.
pub(super) struct ChangedRow {
    pub(super) path: MountPath,
    pub(super) row: DirectoryRow,
    /// Whether what is below at this path would show without the row.
    pub(super) shines: bool,
    pub(super) differences: Vec<OverlayDifference>,
}

impl RowScan {
    /// What differs, in the order of paths.
    pub(super) fn into_differences(self) -> Vec<OverlayDifference> {
        self.changed.into_iter().flat_map(|changed| changed.differences).collect()
    }
}

impl OverlayStore {
    /// Every path that differs from the lower Store, in the order of paths. A file that was put back
    /// as it was does not differ, nor does one that is below by now; what an agent did to it stays above all the same,
    /// because what is below may be another in a moment. What took the place of something else is listed twice: that
    /// the one was deleted, then the other. Of what changed below since, only the digest of what was there is known.
    pub async fn diff(&self) -> Result<Vec<OverlayDifference>, StoreFault> {
        let mut rows = self.scan_rows().await?;
        for changed in rows.changed.iter_mut().filter(|changed| !changed.differences.is_empty()) {
            if !self.fits(changed).await? {
                changed.differences.iter_mut().for_each(|one| one.changed_below = true);
            }
        }
        Ok(rows.into_differences())
    }

    /// Compares every row with what is below.
    pub(super) async fn scan_rows(&self) -> Result<RowScan, StoreFault> {
        let mut scan = RowScan { changed: Vec::new(), redundant: Vec::new() };
        let mut count = 0;
        // Each with whether the directory below shines through.
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
                if count > OVERLAY_CHANGES_MAX {
                    let max = OVERLAY_CHANGES_MAX as u64;
                    return Err(StoreFault::Limit { what: "changes in an overlay", max });
                }
            }
        }
        scan.changed.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(scan)
    }

    /// Removes the rows that applying left although what they say is below, each only if that is still so: those with
    /// a note of what somebody was about to make below, and the directories `on_the_way` to what was applied just now.
    pub(super) async fn remove_applied(
        &self,
        rows: &RowScan,
        on_the_way: &BTreeSet<MountPath>,
    ) -> Result<(), StoreFault> {
        // What is in a directory goes before it; one that still holds a change stays.
        for path in rows.redundant.iter().rev() {
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
                // Somebody changed it, or is changing things all the time: then it stays.
                Ok(_) | Err(StoreFault::Busy) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    /// The contents of a path that differs: what is below now, and above. A directory has none.
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

    /// A whole file of the lower Store, of at most so many bytes; nothing if there is none that may be shown.
    pub async fn load_below(&self, path: MountPath, bytes_max: u64) -> Option<LoadedFile> {
        if self.lower_mask.hides(&path).is_some() {
            return None;
        }
        self.lower.load(path, bytes_max).await.ok()
    }
}

/// What a row says that differs from what is below. What was deleted stands before what took its place.
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
            // While somebody applies the row, only what is below now says whether it was put back as it was.
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

/// Whether nobody is about to make anything else below than what a row says. A row that agrees with what is below can go
/// then: whoever applies it finds that nothing is left to do.
fn is_settled(row: &DirectoryRow) -> bool {
    match (row, row.landing()) {
        (_, None)
        | (DirectoryRow::Whiteout { .. }, Some(Landing::Nothing))
        | (DirectoryRow::Directory { opaque: false, .. }, Some(Landing::Content(_))) => true,
        (DirectoryRow::File { digest, .. }, Some(Landing::Content(landing))) => *digest == landing,
        _ => false,
    }
}
