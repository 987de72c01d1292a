//! What an overlay changed.

use piton_core::Digest;

use super::store::OverlayStore;
use crate::{
    bounds::OVERLAY_CHANGES_MAX,
    path::MountPath,
    store::{Fault, Kind},
    virtual_store::Row,
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

/// One path that an overlay changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The path.
    pub path: MountPath,
    /// How it differs.
    pub kind: DifferenceKind,
    /// The digest of what was below when it was changed first.
    pub base: Option<Digest>,
    /// The digest of what is above.
    pub now: Option<Digest>,
    /// When it was changed, in seconds since 1970.
    pub modified: u64,
}

impl OverlayStore {
    /// Every path that differs from the lower Store, in the order of paths. A file that was put back
    /// as it was does not differ.
    pub async fn diff(&self) -> Result<Vec<Difference>, Fault> {
        let mut found = Vec::new();
        let mut waiting = vec![MountPath::root()];
        while let Some(path) = waiting.pop() {
            for (name, row) in self.upper.rows_at(&path).await? {
                let below = path.child(&name).map_err(|_| Fault::Io)?;
                if matches!(row, Row::Directory { .. }) {
                    waiting.push(below.clone());
                }
                found.extend(self.difference(below, row).await?);
                if found.len() > OVERLAY_CHANGES_MAX {
                    let max = OVERLAY_CHANGES_MAX as u64;
                    return Err(Fault::Limit { what: "changes in an overlay", max });
                }
            }
        }
        found.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(found)
    }

    async fn difference(&self, path: MountPath, row: Row) -> Result<Option<Difference>, Fault> {
        let (kind, base, now, modified) = match row {
            Row::File { base: Some(base), digest, .. } if base == digest => return Ok(None),
            Row::File { digest, base, modified, .. } => {
                let kind = base.map_or(DifferenceKind::Added, |_| DifferenceKind::Modified);
                (kind, base, Some(digest), modified)
            }
            Row::Whiteout { base, modified } => (DifferenceKind::Deleted, base, None, modified),
            Row::Directory { opaque, modified, .. } => {
                let lies_below = match self.below(&path).await {
                    Ok(stat) => stat.is_some_and(|stat| stat.kind == Kind::Directory),
                    Err(Fault::NotDirectory) => false,
                    Err(other) => return Err(other),
                };
                if lies_below && !opaque {
                    return Ok(None);
                }
                (DifferenceKind::Directory, None, None, modified)
            }
        };
        Ok(Some(Difference { path, kind, base, now, modified }))
    }
}
