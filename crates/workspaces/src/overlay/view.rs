//! The view of an overlay at a path.

use super::store::OverlayStore;
use crate::path::MountPath;
use crate::store::{FileStat, StoreFault};
use crate::virtual_store::DirectoryRow;

/// Origin of the entry at a path.
pub(super) enum View {
    /// An upper file.
    Upper,
    /// An upper directory.
    Merged {
        /// Set when the lower directory is visible through it.
        lower: bool,
    },
    /// No row above: the lower entry, if there is one.
    Lower,
    /// Nothing: the entry was deleted above, or a directory above hides it.
    Hidden,
}

impl OverlayStore {
    /// Returns the origin of the entry at a path. Fails with `NotDirectory` if a file is on the way.
    pub(super) async fn view(&self, path: &MountPath) -> Result<View, StoreFault> {
        let mut trail = self.upper.path_steps(path).await?;
        // Rows are read one by one, not in one snapshot. A row that hides something is read again: if it was applied in
        // between, its content is below and no longer hidden.
        while trail.iter().any(|(row, _)| hides(row)) {
            let again = self.upper.path_steps(path).await?;
            if again == trail {
                break;
            }
            trail = again;
        }
        let depth = path.names().count();
        // One opaque directory on the way cuts off the lower Store for everything deeper.
        let mut lower = true;
        for (at, (row, _)) in trail.iter().enumerate() {
            let last = at + 1 == depth;
            match row {
                DirectoryRow::Whiteout { .. } => return Ok(View::Hidden),
                DirectoryRow::File { .. } if last => return Ok(View::Upper),
                DirectoryRow::File { .. } => return Err(StoreFault::NotDirectory),
                DirectoryRow::Directory { opaque, .. } => lower &= !opaque,
            }
        }
        Ok(match (trail.len() == depth, lower) {
            (true, lower) => View::Merged { lower },
            (false, true) => View::Lower,
            (false, false) => View::Hidden,
        })
    }

    /// True if an upper directory still hides the lower one. It stops doing so once it is applied.
    pub(super) async fn still_hides(&self, path: &MountPath) -> Result<bool, StoreFault> {
        Ok(matches!(self.view(path).await?, View::Upper | View::Merged { lower: false }))
    }

    /// Returns the entries of an upper directory; none if it is gone by now.
    pub(super) async fn rows_above(
        &self,
        path: &MountPath,
    ) -> Result<Vec<(String, DirectoryRow)>, StoreFault> {
        match self.upper.rows_at(path).await {
            Err(StoreFault::NotFound | StoreFault::NotDirectory) => Ok(Vec::new()),
            rows => rows,
        }
    }

    /// Returns the lower entry at a path, unless it is hidden there.
    pub(super) async fn below(&self, path: &MountPath) -> Result<Option<FileStat>, StoreFault> {
        if self.lower_mask.hides(path).is_some() {
            return Ok(None);
        }
        match self.lower.stat(path.clone(), true).await {
            Ok(stat) => Ok(Some(stat)),
            Err(StoreFault::NotFound) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Like [`Self::below`], but a file on the way means that there is no entry.
    pub(super) async fn found_below(
        &self,
        path: &MountPath,
    ) -> Result<Option<FileStat>, StoreFault> {
        match self.below(path).await {
            Err(StoreFault::NotDirectory) => Ok(None),
            found => found,
        }
    }

    /// Returns the lower entry that would be visible if no row stood at this path.
    pub(super) async fn would_shine(
        &self,
        path: &MountPath,
    ) -> Result<Option<FileStat>, StoreFault> {
        let Some((parent, _)) = path.split() else {
            return Ok(None);
        };
        match self.view(&parent).await? {
            View::Merged { lower: true } | View::Lower => self.found_below(path).await,
            _ => Ok(None),
        }
    }
}

/// True if a row hides everything below it.
pub(super) const fn hides(row: &DirectoryRow) -> bool {
    matches!(row, DirectoryRow::Whiteout { .. } | DirectoryRow::Directory { opaque: true, .. })
}
