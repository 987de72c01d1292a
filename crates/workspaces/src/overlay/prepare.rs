//! Changes to an overlay, all of which are made in the upper Store.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::{Digest, DigestBuilder, FileBytes};
use piton_store::port::EntryVersion;

use super::store::OverlayStore;
use super::view::View;
use crate::bounds::{FILE_BYTES_MAX, PATH_DEPTH_MAX, TREE_ENTRIES_MAX};
use crate::mask::Mask;
use crate::path::MountPath;
use crate::store::{
    Before, EntryKind, Expected, FileChange, FileStat, Prepared, Store, StoreFault,
};
use crate::virtual_store::{PendingCommit, Staged};

/// Joins changes that are reported and committed as one: `staged`, the buffer for their writes, reaches the table in one
/// commit.
fn joined(
    steps: Vec<Prepared>,
    staged: Arc<Staged>,
    before: Before,
    after: Option<Digest>,
) -> Prepared {
    let commit = async move || {
        // These commits only fill the buffer; the flush makes all of them durable at once.
        for step in steps {
            step.commit().await?;
        }
        staged.flush().await
    };
    Prepared::new(before, after, move || Box::pin(commit()))
}

fn before(stat: Option<&FileStat>) -> Before {
    match stat {
        None => Before::Nothing,
        Some(stat) if stat.kind == EntryKind::File => Before::File(stat.digest),
        Some(_) => Before::Directory,
    }
}

impl OverlayStore {
    /// Prepares a change in the upper Store.
    pub(super) async fn prepare_above(&self, change: FileChange) -> Result<Prepared, StoreFault> {
        match change {
            FileChange::Write { path, bytes, expected, executable } => {
                self.write(path, &bytes, expected, executable).await
            }
            FileChange::Append { path, bytes } => {
                let (joined, expected) = match self.load(path.clone(), FILE_BYTES_MAX).await {
                    Ok(old) => ([&*old.bytes, &bytes].concat(), Expected::Digest(old.digest)),
                    Err(StoreFault::NotFound) => (bytes.to_vec(), Expected::Nothing),
                    Err(other) => return Err(other),
                };
                let prepared = self.write(path, &joined, expected, None).await;
                // A concurrent change is no reason to refuse an append: report it as a race, which is tried again.
                prepared.map_err(|fault| match fault {
                    StoreFault::Conflict { .. } | StoreFault::Exists => StoreFault::Raced,
                    other => other,
                })
            }
            FileChange::Delete { path, recursive, expected, mask } => {
                self.delete(path, recursive, expected, &mask).await
            }
            FileChange::Move { from, to, mask } => self.relocate(from, to, &mask).await,
            FileChange::MakeDirectory { path } => self.make(path).await,
        }
    }

    async fn write(
        &self,
        path: MountPath,
        bytes: &[u8],
        expected: Expected,
        executable: Option<bool>,
    ) -> Result<Prepared, StoreFault> {
        // The version is read first. Every decision below is about this row or a newer one, and `since` rejects the
        // latter.
        let seen = self.version_above(&path).await?;
        match self.view(&path).await? {
            View::Upper | View::Hidden => {
                let (at, bytes) = (path.clone(), bytes.into());
                let change = FileChange::Write { path, bytes, expected, executable };
                let prepared = self.upper.prepare_change(change).await;
                self.since(&at, seen, prepared).await
            }
            View::Merged { .. } => Err(StoreFault::IsDirectory),
            View::Lower => {
                let stat = self.below(&path).await?;
                if stat.as_ref().is_some_and(|stat| stat.kind == EntryKind::Directory) {
                    return Err(StoreFault::IsDirectory);
                }
                // The digest of the lower file goes into the row, so that an apply can tell whether it changed since.
                let base = stat.as_ref().and_then(|stat| stat.digest);
                expected.check(base.as_ref())?;
                let copied = self.upper.prepare_copy_up(path, bytes, base, executable).await?;
                let step = copied.since(seen)?;
                Ok(Prepared { before: before(stat.as_ref()), ..step })
            }
        }
    }

    async fn delete(
        &self,
        path: MountPath,
        recursive: bool,
        expected: Expected,
        mask: &Arc<Mask>,
    ) -> Result<Prepared, StoreFault> {
        let seen = self.version_above(&path).await?;
        let deleted = self.delete_seen(path.clone(), seen, recursive, expected, mask).await;
        match deleted {
            // The refusal may be about a mixture of two states: try again.
            Err(_) if self.version_above(&path).await? != seen => Err(StoreFault::Raced),
            deleted => deleted,
        }
    }

    async fn delete_seen(
        &self,
        path: MountPath,
        seen: Option<EntryVersion>,
        recursive: bool,
        expected: Expected,
        mask: &Arc<Mask>,
    ) -> Result<Prepared, StoreFault> {
        let stat = self.stat(path.clone(), true).await?;
        if stat.kind == EntryKind::File {
            expected.check(stat.digest.as_ref())?;
        }
        if stat.kind == EntryKind::Directory {
            let inside = self.tree(&path, mask).await?;
            if !recursive && !inside.is_empty() {
                return Err(StoreFault::NotEmpty);
            }
        }
        let below = self.would_shine(&path).await?;
        // An apply in progress may put the entry below at any moment; only a whiteout would hide it then.
        if below.is_none() && !self.upper.is_landing(&path).await? {
            let (at, mask) = (path.clone(), Arc::clone(mask));
            let change = FileChange::Delete { path, recursive, expected, mask };
            let prepared = self.upper.prepare_change(change).await;
            return self.since(&at, seen, prepared).await;
        }
        // The base is that of the first change: a later one keeps it, so the deletion is compared with the same state.
        let base = match (self.upper.row_at(&path).await?.and_then(|row| row.base()), below) {
            (Some(base), _) => Some(base),
            (None, Some(below)) if below.kind == EntryKind::Directory => {
                Some(tree_digest(&*self.lower, &self.lower_mask, &path).await?)
            }
            (None, below) => below.and_then(|below| below.digest),
        };
        let step = self.upper.prepare_whiteout(path, base).await?.since(seen)?;
        Ok(Prepared { before: before(Some(&stat)), after: None, ..step })
    }

    /// Moves a file or a directory: creates everything at the new path and deletes the old one, in one commit.
    async fn relocate(
        &self,
        from: MountPath,
        to: MountPath,
        mask: &Arc<Mask>,
    ) -> Result<Prepared, StoreFault> {
        if self.stat(from.clone(), false).await?.kind == EntryKind::Directory {
            return self.relocate_tree(from, to, mask).await;
        }
        let (own, staged) = self.staged();
        let (written, digest) = own.copy(from.clone(), to).await?;
        let deleted = own.delete(from, false, Expected::Digest(digest), mask).await?;
        let (before, after) = (deleted.before.clone(), written.after);
        Ok(joined(vec![written, deleted], staged, before, after))
    }

    /// Prepares a copy of a file. Also returns the digest of the content that was read.
    async fn copy(&self, from: MountPath, to: MountPath) -> Result<(Prepared, Digest), StoreFault> {
        let loaded = self.load(from, FILE_BYTES_MAX).await?;
        let executable = loaded.executable.then_some(true);
        let written = self.write(to, &loaded.bytes, Expected::Nothing, executable).await?;
        Ok((written, loaded.digest))
    }

    /// Returns the version of the row at a path. It is read before anything that decides about a change: if the row
    /// differs at the commit, the change is decided again.
    async fn version_above(&self, path: &MountPath) -> Result<Option<EntryVersion>, StoreFault> {
        Ok(self.upper.seen(path).await?.map(|seen| seen.version))
    }

    /// Returns a prepared change or its refusal, unless the row changed since it was seen.
    async fn since(
        &self,
        path: &MountPath,
        seen: Option<EntryVersion>,
        prepared: Result<PendingCommit, StoreFault>,
    ) -> Result<Prepared, StoreFault> {
        match prepared {
            Ok(pending) => pending.since(seen),
            Err(_) if self.version_above(path).await? != seen => Err(StoreFault::Raced),
            Err(fault) => Err(fault),
        }
    }

    /// Returns this overlay with its upper writes buffered until they are flushed.
    fn staged(&self) -> (Self, Arc<Staged>) {
        let (upper, staged) = self.upper.staged();
        (Self { upper, ..self.clone() }, staged)
    }

    async fn relocate_tree(
        &self,
        from: MountPath,
        to: MountPath,
        mask: &Arc<Mask>,
    ) -> Result<Prepared, StoreFault> {
        // A directory cannot be moved into itself.
        if to.starts_with(&from) {
            return Err(if to == from { StoreFault::Exists } else { StoreFault::NotDirectory });
        }
        match self.stat(to.clone(), false).await {
            Ok(_) => return Err(StoreFault::Exists),
            Err(StoreFault::NotFound) => {}
            Err(other) => return Err(other),
        }
        let (own, staged) = self.staged();
        let mut steps = vec![own.make(to.clone()).await?];
        for (path, kind) in own.tree(&from, mask).await? {
            let target = fitting(&to.join(&path.below(&from).expect("it lies below")))?;
            steps.push(match kind {
                EntryKind::Directory => own.make(target).await?,
                _ => own.copy(path, target).await?.0,
            });
        }
        steps.push(own.delete(from, true, Expected::Anything, mask).await?);
        Ok(joined(steps, staged, Before::Directory, None))
    }

    async fn make(&self, path: MountPath) -> Result<Prepared, StoreFault> {
        match self.stat(path.clone(), false).await {
            Ok(stat) if stat.kind == EntryKind::Directory => {
                Ok(Prepared::new(Before::Directory, None, || Box::pin(async { Ok(()) })))
            }
            Ok(_) => Err(StoreFault::Exists),
            Err(StoreFault::NotFound) => {
                self.upper.prepare(FileChange::MakeDirectory { path }).await
            }
            Err(other) => Err(other),
        }
    }

    /// Returns everything under a directory, parents first. Refused if the mask hides any of it.
    async fn tree(
        &self,
        path: &MountPath,
        mask: &Mask,
    ) -> Result<Vec<(MountPath, EntryKind)>, StoreFault> {
        let mut found = Vec::new();
        let mut waiting = vec![path.clone()];
        while let Some(directory) = waiting.pop() {
            for entry in self.list(directory.clone()).await?.entries {
                let below = directory.child(&entry.name).map_err(|_| StoreFault::HoldsHidden)?;
                mask.check_entry(&below)?;
                if entry.kind == EntryKind::Directory {
                    waiting.push(below.clone());
                }
                found.push((below, entry.kind));
                if found.len() > TREE_ENTRIES_MAX {
                    return Err(StoreFault::limit("entries at once", TREE_ENTRIES_MAX));
                }
            }
        }
        Ok(found)
    }
}

/// Returns the path, unless it is too deep or too long to be addressed.
fn fitting(path: &MountPath) -> Result<MountPath, StoreFault> {
    let too_deep = StoreFault::limit("nested directories", PATH_DEPTH_MAX);
    path.as_str().parse().map_err(|_| too_deep)
}

/// Returns the digest of an empty directory.
pub(super) fn empty_tree() -> Digest {
    DigestBuilder::new().finish()
}

/// Returns a digest of everything under a directory that deleting it would lose: names, the content and the executable
/// bit of files, and the targets of links. For a file whose content is not read it covers the fingerprint. Refused if
/// the mask hides any of it, or if a name is unusable here.
pub(crate) async fn tree_digest(
    store: &dyn Store,
    mask: &Mask,
    path: &MountPath,
) -> Result<Digest, StoreFault> {
    tree_digest_with(store, mask, path, None).await
}

/// Like [`tree_digest`], as if one file had the given content and executable bit, or did not exist.
pub(super) async fn tree_digest_with(
    store: &dyn Store,
    mask: &Mask,
    path: &MountPath,
    other: Option<(&MountPath, Option<(Digest, bool)>)>,
) -> Result<Digest, StoreFault> {
    let mut digest = DigestBuilder::new();
    let mut waiting = vec![path.clone()];
    let mut count = 0;
    while let Some(directory) = waiting.pop() {
        let listing = store.list(directory.clone()).await?;
        if listing.unusable > 0 {
            return Err(StoreFault::HoldsUnusable);
        }
        // The order of names has to be independent of the Store, or equal trees would have different digests.
        let mut entries: BTreeMap<String, EntryKind> =
            listing.entries.into_iter().map(|one| (one.name, one.kind)).collect();
        if let Some((place, content)) = other
            && let Some((parent, name)) = place.split()
            && parent == directory
        {
            match content {
                Some(_) => entries.insert(name.to_owned(), EntryKind::File),
                None => entries.remove(name),
            };
        }
        for (name, kind) in entries {
            count += 1;
            if count > TREE_ENTRIES_MAX {
                return Err(StoreFault::limit("entries at once", TREE_ENTRIES_MAX));
            }
            let below = directory.child(&name).map_err(|_| StoreFault::HoldsHidden)?;
            if mask.hides_entry(&below) {
                return Err(StoreFault::HoldsHidden);
            }
            digest.update(below.as_str().as_bytes());
            digest.update(&[0]);
            match kind {
                EntryKind::Directory => waiting.push(below),
                EntryKind::File => {
                    let (found, executable) = match other {
                        Some((place, Some((content, executable)))) if *place == below => {
                            (Some(content), executable)
                        }
                        _ => {
                            let stat = store.stat(below.clone(), true).await?;
                            (stat.digest, stat.executable)
                        }
                    };
                    let fingerprint = match found {
                        Some(_) => None,
                        None => Some(store.fingerprint(below).await?),
                    };
                    digest.update(found.map_or([0; 32], |found| *found.as_bytes()).as_slice());
                    if let Some(fingerprint) = fingerprint {
                        digest.update(Digest::of(&FileBytes(&fingerprint)).as_bytes());
                    }
                    if executable {
                        // No name begins with this byte, so it cannot be taken for the next entry.
                        digest.update(&[1]);
                    }
                }
                EntryKind::Link => {
                    let target = store.fingerprint(below).await?;
                    digest.update(Digest::of(&FileBytes(&target)).as_bytes());
                }
                EntryKind::Other => {}
            }
        }
    }
    Ok(digest.finish())
}
