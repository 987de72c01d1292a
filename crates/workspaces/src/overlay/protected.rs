//! Changes that an overlay keeps when it is applied, because agents only read their paths below.

use super::{
    differ::{Difference, DifferenceKind},
    store::OverlayStore,
};
use crate::{
    bounds::TREE_ENTRIES_MAX,
    path::MountPath,
    protection::Protected,
    store::{Fault, Kind},
};

/// The changes of an overlay, by whether they may be applied.
pub(super) struct Split {
    pub(super) applied: Vec<Difference>,
    pub(super) left: Vec<(Difference, Protected)>,
}

impl OverlayStore {
    /// Splits changes into those that may be applied and those that stay above. A directory that is deleted or replaced
    /// stays as a whole if anything protected is in it, below or above.
    pub(super) async fn split(&self, differences: Vec<Difference>) -> Result<Split, Fault> {
        let mut kept: Vec<(MountPath, Protected)> = Vec::new();
        for one in differences.iter().filter(|one| one.kind == DifferenceKind::Deleted) {
            let above = differences.iter().filter(|other| other.path.starts_with(&one.path));
            let above = above.filter_map(|other| self.lower_mask.protects(&other.path)).next();
            let why = match above {
                Some(why) => Some(why),
                None => self.protected_below(&one.path).await?,
            };
            kept.extend(why.map(|why| (one.path.clone(), why)));
        }
        let mut split = Split { applied: Vec::new(), left: Vec::new() };
        for one in differences {
            let whole = kept.iter().find(|(path, _)| one.path.starts_with(path));
            let why = self.lower_mask.protects(&one.path).or(whole.map(|(_, why)| *why));
            match why {
                Some(why) => split.left.push((one, why)),
                None => split.applied.push(one),
            }
        }
        Ok(split)
    }

    /// Forgets the changes that were applied, and keeps those that are left.
    pub(super) async fn forget_applied(&self, split: &Split) -> Result<(), Fault> {
        // What is in a directory goes before it.
        for one in split.applied.iter().rev() {
            let holds = split.left.iter().any(|(left, _)| left.path.starts_with(&one.path));
            if !holds && self.upper.row_at(&one.path).await?.is_some() {
                self.upper.forget(one.path.clone()).await?;
            }
        }
        Ok(())
    }

    /// What is protected somewhere in a directory of the lower Store, if it is one and something is.
    async fn protected_below(&self, path: &MountPath) -> Result<Option<Protected>, Fault> {
        let is_directory = |kind| kind == Kind::Directory;
        if !self.found_below(path).await?.is_some_and(|stat| is_directory(stat.kind)) {
            return Ok(None);
        }
        let mut waiting = vec![path.clone()];
        let mut count = 0;
        while let Some(directory) = waiting.pop() {
            for entry in self.lower.list(directory.clone()).await?.entries {
                count += 1;
                if count > TREE_ENTRIES_MAX {
                    let max = TREE_ENTRIES_MAX as u64;
                    return Err(Fault::Limit { what: "entries at once", max });
                }
                let below = directory.child(&entry.name).map_err(|_| Fault::HoldsHidden)?;
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
