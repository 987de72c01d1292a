//! Changes that stay in an overlay when it is applied, because agents may only read their paths below.

use super::diff::{ChangedRow, DifferenceKind};
use super::store::OverlayStore;
use crate::bounds::TREE_ENTRIES_MAX;
use crate::path::MountPath;
use crate::protection::Protected;
use crate::store::{EntryKind, StoreFault};

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
                    let max = TREE_ENTRIES_MAX as u64;
                    return Err(StoreFault::Limit { what: "entries at once", max });
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
