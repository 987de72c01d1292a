//! What an overlay changed.

use piton_core::Digest;

use super::store::OverlayStore;
use crate::{
    bounds::{FILE_BYTES_MAX, OVERLAY_CHANGES_MAX},
    path::MountPath,
    store::{Fault, Kind, Loaded, Store},
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
    /// as it was does not differ. What took the place of something else is told twice: that the one was
    /// deleted, then the other.
    pub async fn diff(&self) -> Result<Vec<Difference>, Fault> {
        let mut found = Vec::new();
        // Each with whether the directory below shines through.
        let mut waiting = vec![(MountPath::root(), true)];
        while let Some((path, shines)) = waiting.pop() {
            for (name, row) in self.upper.rows_at(&path).await? {
                let at = path.child(&name).map_err(|_| Fault::Io)?;
                if let Row::Directory { opaque, .. } = row {
                    waiting.push((at.clone(), shines && !opaque));
                }
                let below = if shines { self.found_below(&at).await? } else { None };
                found.extend(differences(&at, &row, below.map(|stat| stat.kind)));
                if found.len() > OVERLAY_CHANGES_MAX {
                    let max = OVERLAY_CHANGES_MAX as u64;
                    return Err(Fault::Limit { what: "changes in an overlay", max });
                }
            }
        }
        // What was deleted stands before what took its place: the order is kept among equals.
        found.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(found)
    }

    /// The contents of a path that differs: below, and above. A directory has none.
    pub async fn contents(
        &self,
        one: &Difference,
    ) -> Result<(Option<Vec<u8>>, Option<Vec<u8>>), Fault> {
        let load =
            async |store: &dyn Store| match store.load(one.path.clone(), FILE_BYTES_MAX).await {
                Ok(loaded) => Ok(Some(loaded.bytes)),
                Err(Fault::NotFound | Fault::NotDirectory | Fault::IsDirectory) => Ok(None),
                Err(other) => Err(other),
            };
        let is_below = matches!(one.kind, DifferenceKind::Modified | DifferenceKind::Deleted);
        let below = if is_below { load(&*self.lower).await? } else { None };
        let above = if one.now.is_some() { load(&self.upper).await? } else { None };
        Ok((below, above))
    }

    /// A whole file of the lower Store, of at most so many bytes; nothing if there is none that may be shown.
    pub async fn load_below(&self, path: MountPath, bytes_max: u64) -> Option<Loaded> {
        if self.lower_mask.hides(&path).is_some() {
            return None;
        }
        self.lower.load(path, bytes_max).await.ok()
    }
}

/// What a row says that differs from what is below, which is of this kind.
fn differences(path: &MountPath, row: &Row, below: Option<Kind>) -> Vec<Difference> {
    let of =
        |kind, base, now, modified| Difference { path: path.clone(), kind, base, now, modified };
    let deleted = |base, modified| of(DifferenceKind::Deleted, base, None, modified);
    match *row {
        Row::File { base: Some(base), digest, .. } if base == digest => Vec::new(),
        Row::File { digest, base, modified, .. } if below == Some(Kind::Directory) => {
            vec![deleted(base, modified), of(DifferenceKind::Added, None, Some(digest), modified)]
        }
        Row::File { digest, base, modified, .. } => {
            let kind = base.map_or(DifferenceKind::Added, |_| DifferenceKind::Modified);
            vec![of(kind, base, Some(digest), modified)]
        }
        Row::Whiteout { base, modified } => vec![deleted(base, modified)],
        Row::Directory { opaque: false, .. } if below == Some(Kind::Directory) => Vec::new(),
        Row::Directory { base, modified, .. } => {
            let made = of(DifferenceKind::Directory, None, None, modified);
            let gone = below.map(|_| deleted(base, modified));
            gone.into_iter().chain([made]).collect()
        }
    }
}
