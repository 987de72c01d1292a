//! What an overlay shows at a path.

use super::store::OverlayStore;
use crate::{
    path::MountPath,
    store::{FileStat, StoreFault},
    virtual_store::DirectoryRow,
};

/// Where what stands at a path comes from.
pub(super) enum View {
    /// A file above.
    Upper,
    /// A directory above; whether the one below shines through.
    Merged {
        /// Whether the one below shines through.
        lower: bool,
    },
    /// Nothing above: what is below, if anything.
    Lower,
    /// Nothing: it was deleted above, or a directory above hides it.
    Hidden,
}

impl OverlayStore {
    /// Where what stands at a path comes from. A file on the way is not a directory.
    pub(super) async fn view(&self, path: &MountPath) -> Result<View, StoreFault> {
        let mut trail = self.upper.path_steps(path).await?;
        // Rows are read one by one. What hides something is looked at again: when it was applied in between, what it
        // held is below, and it hides that no more.
        while trail.iter().any(|(row, _)| hides(row)) {
            let again = self.upper.path_steps(path).await?;
            if again == trail {
                break;
            }
            trail = again;
        }
        let depth = path.names().count();
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

    /// Whether a directory above that hid what is below still does: it does no more once it was applied.
    pub(super) async fn still_hides(&self, path: &MountPath) -> Result<bool, StoreFault> {
        Ok(matches!(self.view(path).await?, View::Upper | View::Merged { lower: false }))
    }

    /// The entries of a directory above; none if it is gone, which it may be since somebody looked.
    pub(super) async fn rows_above(
        &self,
        path: &MountPath,
    ) -> Result<Vec<(String, DirectoryRow)>, StoreFault> {
        match self.upper.rows_at(path).await {
            Err(StoreFault::NotFound | StoreFault::NotDirectory) => Ok(Vec::new()),
            rows => rows,
        }
    }

    /// What stands below at a path, if it is not hidden there.
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

    /// The same; a file on the way leaves nothing.
    pub(super) async fn found_below(
        &self,
        path: &MountPath,
    ) -> Result<Option<FileStat>, StoreFault> {
        match self.below(path).await {
            Err(StoreFault::NotDirectory) => Ok(None),
            found => found,
        }
    }

    /// Whether something below would shine through if nothing stood above at this path.
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

/// Whether a row hides everything below it.
pub(super) const fn hides(row: &DirectoryRow) -> bool {
    matches!(row, DirectoryRow::Whiteout { .. } | DirectoryRow::Directory { opaque: true, .. })
}
