//! Applying an overlay to the Workspace below it, or dropping it.

use std::sync::Arc;

use super::{
    differ::{Difference, DifferenceKind},
    store::OverlayStore,
    writing::tree_digest,
};
use crate::{
    bounds::FILE_BYTES_MAX,
    error::Error,
    files::Files,
    path::{LogicalPath, MountPath},
    protection::Protected,
    scope::{AccessScope, Right, Tool},
    store::{Change, Expected, Fault, Kind, Store},
    workspace::Definition,
    workspaces::Workspaces,
};

/// What applying an overlay did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The paths that were changed below.
    pub paths: Vec<LogicalPath>,
    /// The changes that stay in the overlay.
    pub left: Vec<LeftAbove>,
}

/// A change that stays in the overlay, because agents only read its path below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftAbove {
    /// The path below.
    pub path: LogicalPath,
    /// Why it is protected.
    pub why: Protected,
}

impl OverlayStore {
    /// What whoever applies the overlay acts on: what lies below, read-write, at `prefix`.
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

    /// Makes the lower Workspace as the overlay shows it, and empties the overlay. `files` are the
    /// operations of whoever applies it, who needs a read-write Workspace at `lower` on the same
    /// Store. If something below changed since it was copied up, nothing is applied and every such
    /// path is named. What agents only read below stays in the overlay.
    pub async fn apply(&self, files: &Files, lower: &LogicalPath) -> Result<Applied, Error> {
        let place = files.workspaces().permit(Tool::Write, Right::Change, lower)?;
        if !Arc::ptr_eq(&place.workspace.store, &self.lower) || !place.at.is_root() {
            return Err(Error::BadArgument(format!("{lower} is not what this overlay lies over")));
        }
        let told = |path: &MountPath| {
            let path = lower.join(path);
            move |fault| Error::File { path, fault }
        };
        let differences = self.diff().await.map_err(told(&MountPath::root()))?;
        let split = self.split(differences).await.map_err(told(&MountPath::root()))?;
        let differences = &split.applied;
        let mut conflicts = Vec::new();
        // What is deleted as a whole leaves room for whatever stands there above.
        let gone = |kind: DifferenceKind, path: &MountPath| {
            kind != DifferenceKind::Deleted
                && differences.iter().any(|other| {
                    other.kind == DifferenceKind::Deleted && path.starts_with(&other.path)
                })
        };
        for one in differences {
            if gone(one.kind, &one.path) {
                continue;
            }
            if !self.fits(one).await.map_err(told(&one.path))? {
                conflicts.push(lower.join(&one.path).to_string());
            }
        }
        if !conflicts.is_empty() {
            return Err(Error::OverlayConflict { paths: conflicts });
        }
        let mut paths = Vec::new();
        for one in differences {
            self.apply_one(files, lower, one).await?;
            paths.push(lower.join(&one.path));
        }
        let forgotten = if split.left.is_empty() {
            self.drop_all().await
        } else {
            self.forget_applied(&split).await
        };
        forgotten.map_err(told(&MountPath::root()))?;
        let left =
            |(one, why): (Difference, Protected)| LeftAbove { path: lower.join(&one.path), why };
        Ok(Applied { paths, left: split.left.into_iter().map(left).collect() })
    }

    /// Makes an overlay that is empty show what this one shows; returns how many entries its upper Store has then.
    /// From there on each goes its own way.
    pub async fn fork_into(&self, target: &Self) -> Result<u64, Fault> {
        self.upper.copy_to(&target.upper).await
    }

    /// Forgets every change: the overlay shows what is below again.
    pub async fn drop_all(&self) -> Result<(), Fault> {
        let mut waiting = self.changed_in(&MountPath::root()).await?;
        while let Some(path) = waiting.pop() {
            match self.upper.forget(path.clone()).await {
                // More than one commit takes: what is in it goes first.
                Err(Fault::Limit { .. }) => {
                    let inside = self.changed_in(&path).await?;
                    waiting.push(path);
                    waiting.extend(inside);
                }
                forgotten => forgotten?,
            }
        }
        Ok(())
    }

    /// The paths in a directory that something above stands at.
    async fn changed_in(&self, directory: &MountPath) -> Result<Vec<MountPath>, Fault> {
        let rows = self.upper.rows_at(directory).await?;
        rows.iter().map(|(name, _)| directory.child(name).map_err(|_| Fault::Io)).collect()
    }

    /// Whether what is below is still what the change was made on, or already as the change left it.
    async fn fits(&self, one: &Difference) -> Result<bool, Fault> {
        let below = self.found_below(&one.path).await?;
        let digest = match &below {
            Some(stat) if stat.kind == Kind::Directory => {
                if one.kind == DifferenceKind::Directory {
                    return Ok(true);
                }
                Some(tree_digest(&*self.lower, &self.lower_mask, &one.path).await?)
            }
            Some(stat) => stat.digest,
            None => None,
        };
        Ok(match one.kind {
            DifferenceKind::Added => below.is_none() || digest == one.now,
            DifferenceKind::Modified => digest == one.base || digest == one.now,
            DifferenceKind::Deleted => below.is_none() || digest == one.base,
            DifferenceKind::Directory => below.is_none(),
        })
    }

    async fn apply_one(
        &self,
        files: &Files,
        lower: &LogicalPath,
        one: &Difference,
    ) -> Result<(), Error> {
        let path = lower.join(&one.path);
        let place = files.workspaces().permit(Tool::Write, Right::Change, &path)?;
        let found = self.found_below(&one.path).await;
        let found = found.map_err(|fault| Error::File { path: path.clone(), fault })?;
        let (tool, change) = match one.kind {
            DifferenceKind::Added | DifferenceKind::Modified => {
                if found.as_ref().is_some_and(|stat| stat.digest == one.now) {
                    return Ok(());
                }
                let loaded = self.upper.load(one.path.clone(), FILE_BYTES_MAX).await;
                let loaded = loaded.map_err(|fault| Error::File { path: path.clone(), fault })?;
                let expected = one.base.map_or(Expected::Nothing, Expected::Digest);
                let bytes = loaded.bytes.into();
                (Tool::Write, Change::Write { path: place.at.clone(), bytes, expected })
            }
            DifferenceKind::Deleted if found.is_none() => return Ok(()),
            DifferenceKind::Deleted => {
                let expected = one.base.map_or(Expected::Anything, Expected::Digest);
                let (path, mask) = (place.at.clone(), Arc::clone(&self.lower_mask));
                (Tool::Delete, Change::Delete { path, recursive: true, expected, mask })
            }
            DifferenceKind::Directory => {
                (Tool::Mkdir, Change::MakeDirectory { path: place.at.clone() })
            }
        };
        files.change(tool, &place, None, change).await.map(drop)
    }
}
