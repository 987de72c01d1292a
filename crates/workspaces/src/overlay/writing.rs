//! Changes of an overlay: all of them happen above.

use std::{collections::BTreeMap, sync::Arc};

use piton_core::{Digest, DigestBuilder, FileBytes};
use piton_store::port::{BoxFuture, Version};

use super::{store::OverlayStore, view::View};
use crate::{
    bounds::{FILE_BYTES_MAX, PATH_DEPTH_MAX, TREE_ENTRIES_MAX},
    mask::Mask,
    path::MountPath,
    store::{Before, Change, Expected, Fault, FileStat, Kind, Prepared, Store},
    virtual_store::{Pending, Staged},
};

/// Changes that are told as one, and happen as one.
struct Told {
    steps: Vec<Box<dyn Prepared>>,
    /// Holds back what the steps do, if there are several.
    staged: Option<Arc<Staged>>,
    before: Before,
    after: Option<Digest>,
}

impl Told {
    fn one(step: Box<dyn Prepared>, before: Before, after: Option<Digest>) -> Self {
        Self { steps: vec![step], staged: None, before, after }
    }
}

impl Prepared for Told {
    fn before(&self) -> Before {
        self.before.clone()
    }

    fn after(&self) -> Option<Digest> {
        self.after
    }

    fn temp(&self) -> Option<&str> {
        None
    }

    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(async move {
            for step in self.steps {
                step.commit().await?;
            }
            match self.staged {
                Some(staged) => staged.flush().await,
                None => Ok(()),
            }
        })
    }
}

fn before(stat: Option<&FileStat>) -> Before {
    match stat {
        None => Before::Nothing,
        Some(stat) if stat.kind == Kind::File => Before::File(stat.digest),
        Some(_) => Before::Directory,
    }
}

impl OverlayStore {
    /// Makes a change ready, above.
    pub(super) async fn prepare_above(&self, change: Change) -> Result<Box<dyn Prepared>, Fault> {
        match change {
            Change::Write { path, bytes, expected, executable } => {
                self.write(path, &bytes, expected, executable).await
            }
            Change::Append { path, bytes } => {
                let (joined, expected) = match self.load(path.clone(), FILE_BYTES_MAX).await {
                    Ok(old) => ([&*old.bytes, &bytes].concat(), Expected::Digest(old.digest)),
                    Err(Fault::NotFound) => (bytes.to_vec(), Expected::Nothing),
                    Err(other) => return Err(other),
                };
                let prepared = self.write(path, &joined, expected, None).await;
                // Somebody who changed or made it in between is no reason to refuse: it is tried again.
                prepared.map_err(|fault| match fault {
                    Fault::Conflict { .. } | Fault::Exists => Fault::Raced,
                    other => other,
                })
            }
            Change::Delete { path, recursive, expected, mask } => {
                self.delete(path, recursive, expected, &mask).await
            }
            Change::Move { from, to, mask } => self.relocate(from, to, &mask).await,
            Change::MakeDirectory { path } => self.make(path).await,
        }
    }

    async fn write(
        &self,
        path: MountPath,
        bytes: &[u8],
        expected: Expected,
        executable: Option<bool>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        let seen = self.version_above(&path).await?;
        match self.view(&path).await? {
            View::Upper | View::Hidden => {
                let (at, bytes) = (path.clone(), bytes.into());
                let change = Change::Write { path, bytes, expected, executable };
                let prepared = self.upper.prepare_change(change).await;
                self.since(&at, seen, prepared).await
            }
            View::Merged { .. } => Err(Fault::IsDirectory),
            View::Lower => {
                let stat = self.below(&path).await?;
                if stat.as_ref().is_some_and(|stat| stat.kind == Kind::Directory) {
                    return Err(Fault::IsDirectory);
                }
                let base = stat.as_ref().and_then(|stat| stat.digest);
                expected.check(base.as_ref())?;
                let copied = self.upper.prepare_copy_up(path, bytes, base, executable).await?;
                let step = copied.since(seen)?;
                let after = step.after();
                Ok(Box::new(Told::one(step, before(stat.as_ref()), after)))
            }
        }
    }

    async fn delete(
        &self,
        path: MountPath,
        recursive: bool,
        expected: Expected,
        mask: &Arc<Mask>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        let seen = self.version_above(&path).await?;
        let deleted = self.delete_seen(path.clone(), seen, recursive, expected, mask).await;
        match deleted {
            Err(_) if self.version_above(&path).await? != seen => Err(Fault::Raced),
            deleted => deleted,
        }
    }

    async fn delete_seen(
        &self,
        path: MountPath,
        seen: Option<Version>,
        recursive: bool,
        expected: Expected,
        mask: &Arc<Mask>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        let stat = self.stat(path.clone(), true).await?;
        if stat.kind == Kind::File {
            expected.check(stat.digest.as_ref())?;
        }
        if stat.kind == Kind::Directory {
            let inside = self.tree(&path, mask).await?;
            if !recursive && !inside.is_empty() {
                return Err(Fault::NotEmpty);
            }
        }
        let below = self.would_shine(&path).await?;
        // What is being applied may be below any moment: only a whiteout hides it then.
        if below.is_none() && !self.upper.is_landing(&path).await? {
            let (at, mask) = (path.clone(), Arc::clone(mask));
            let change = Change::Delete { path, recursive, expected, mask };
            let prepared = self.upper.prepare_change(change).await;
            return self.since(&at, seen, prepared).await;
        }
        let base = match (self.upper.row_at(&path).await?.and_then(|row| row.base()), below) {
            (Some(base), _) => Some(base),
            (None, Some(below)) if below.kind == Kind::Directory => {
                Some(tree_digest(&*self.lower, &self.lower_mask, &path).await?)
            }
            (None, below) => below.and_then(|below| below.digest),
        };
        let step = self.upper.prepare_whiteout(path, base).await?.since(seen)?;
        Ok(Box::new(Told::one(step, before(Some(&stat)), None)))
    }

    /// Moves a file or a directory: everything is made at its new path and the old one is deleted, in one commit.
    async fn relocate(
        &self,
        from: MountPath,
        to: MountPath,
        mask: &Arc<Mask>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        if self.stat(from.clone(), false).await?.kind == Kind::Directory {
            return self.relocate_tree(from, to, mask).await;
        }
        let (own, staged) = self.staged();
        let loaded = own.load(from.clone(), FILE_BYTES_MAX).await?;
        let executable = loaded.executable.then_some(true);
        let written = own.write(to, &loaded.bytes, Expected::Nothing, executable).await?;
        let deleted = own.delete(from, false, Expected::Digest(loaded.digest), mask).await?;
        let (before, after) = (deleted.before(), written.after());
        Ok(Box::new(Told { steps: vec![written, deleted], staged: Some(staged), before, after }))
    }

    /// The commit that the row of a path is from. It is asked for before what decides about a change is looked at: a
    /// change that was decided about another row is decided about again.
    async fn version_above(&self, path: &MountPath) -> Result<Option<Version>, Fault> {
        Ok(self.upper.seen(path).await?.map(|seen| seen.version))
    }

    /// A change above, or why there is none, unless that was decided about another row than the one that was seen.
    async fn since(
        &self,
        path: &MountPath,
        seen: Option<Version>,
        prepared: Result<Pending, Fault>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        match prepared {
            Ok(pending) => pending.since(seen),
            Err(_) if self.version_above(path).await? != seen => Err(Fault::Raced),
            Err(fault) => Err(fault),
        }
    }

    /// The same overlay, with what is changed above kept back until it is flushed.
    fn staged(&self) -> (Self, Arc<Staged>) {
        let (upper, staged) = self.upper.staged();
        (Self { upper, ..self.clone() }, staged)
    }

    async fn relocate_tree(
        &self,
        from: MountPath,
        to: MountPath,
        mask: &Arc<Mask>,
    ) -> Result<Box<dyn Prepared>, Fault> {
        if to.starts_with(&from) {
            return Err(if to == from { Fault::Exists } else { Fault::NotDirectory });
        }
        match self.stat(to.clone(), false).await {
            Ok(_) => return Err(Fault::Exists),
            Err(Fault::NotFound) => {}
            Err(other) => return Err(other),
        }
        let (own, staged) = self.staged();
        let mut steps = vec![own.make(to.clone()).await?];
        for (path, kind) in own.tree(&from, mask).await? {
            let target = fitting(&to.join(&path.below(&from).expect("it lies below")))?;
            let step = if kind == Kind::Directory {
                own.make(target).await?
            } else {
                let loaded = own.load(path, FILE_BYTES_MAX).await?;
                let executable = loaded.executable.then_some(true);
                own.write(target, &loaded.bytes, Expected::Nothing, executable).await?
            };
            steps.push(step);
        }
        steps.push(own.delete(from, true, Expected::Anything, mask).await?);
        Ok(Box::new(Told { steps, staged: Some(staged), before: Before::Directory, after: None }))
    }

    async fn make(&self, path: MountPath) -> Result<Box<dyn Prepared>, Fault> {
        match self.stat(path.clone(), false).await {
            Ok(stat) if stat.kind == Kind::Directory => Ok(Box::new(Told {
                steps: Vec::new(),
                staged: None,
                before: Before::Directory,
                after: None,
            })),
            Ok(_) => Err(Fault::Exists),
            Err(Fault::NotFound) => self.upper.prepare(Change::MakeDirectory { path }).await,
            Err(other) => Err(other),
        }
    }

    /// Everything below a directory, those above first; refused if the mask hides some of it.
    async fn tree(&self, path: &MountPath, mask: &Mask) -> Result<Vec<(MountPath, Kind)>, Fault> {
        let mut found = Vec::new();
        let mut waiting = vec![path.clone()];
        while let Some(directory) = waiting.pop() {
            for entry in self.list(directory.clone()).await?.entries {
                let below = directory.child(&entry.name).map_err(|_| Fault::HoldsHidden)?;
                mask.check_entry(&below)?;
                if entry.kind == Kind::Directory {
                    waiting.push(below.clone());
                }
                found.push((below, entry.kind));
                if found.len() > TREE_ENTRIES_MAX {
                    let max = TREE_ENTRIES_MAX as u64;
                    return Err(Fault::Limit { what: "entries at once", max });
                }
            }
        }
        Ok(found)
    }
}

/// The path, unless nobody could name it: it is too deep or too long.
fn fitting(path: &MountPath) -> Result<MountPath, Fault> {
    let too_deep = Fault::Limit { what: "nested directories", max: PATH_DEPTH_MAX as u64 };
    path.as_str().parse().map_err(|_| too_deep)
}

/// The digest of a directory that nothing is in.
pub(super) fn empty_tree() -> Digest {
    DigestBuilder::new().finish()
}

/// A digest over everything below a directory that deleting it would lose: names, the content of files and whether they
/// are programs, and where links lead. Of a file whose content is not read it covers the fingerprint. Refused if the
/// mask hides some of it, or a name cannot be used here.
pub(crate) async fn tree_digest(
    store: &dyn Store,
    mask: &Mask,
    path: &MountPath,
) -> Result<Digest, Fault> {
    tree_digest_with(store, mask, path, None).await
}

/// The same, as if a file had this content and was a program or none, or was not there.
pub(super) async fn tree_digest_with(
    store: &dyn Store,
    mask: &Mask,
    path: &MountPath,
    other: Option<(&MountPath, Option<(Digest, bool)>)>,
) -> Result<Digest, Fault> {
    let mut digest = DigestBuilder::new();
    let mut waiting = vec![path.clone()];
    let mut count = 0;
    while let Some(directory) = waiting.pop() {
        let listing = store.list(directory.clone()).await?;
        if listing.unusable > 0 {
            return Err(Fault::HoldsUnusable);
        }
        let mut entries: BTreeMap<String, Kind> =
            listing.entries.into_iter().map(|one| (one.name, one.kind)).collect();
        if let Some((place, content)) = other
            && let Some((parent, name)) = place.split()
            && parent == directory
        {
            match content {
                Some(_) => entries.insert(name.to_owned(), Kind::File),
                None => entries.remove(name),
            };
        }
        for (name, kind) in entries {
            count += 1;
            if count > TREE_ENTRIES_MAX {
                let max = TREE_ENTRIES_MAX as u64;
                return Err(Fault::Limit { what: "entries at once", max });
            }
            let below = directory.child(&name).map_err(|_| Fault::HoldsHidden)?;
            if mask.hides_entry(&below) {
                return Err(Fault::HoldsHidden);
            }
            digest.update(below.as_str().as_bytes());
            digest.update(&[0]);
            match kind {
                Kind::Directory => waiting.push(below),
                Kind::File => {
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
                        // No name begins with this byte.
                        digest.update(&[1]);
                    }
                }
                Kind::Link => {
                    let target = store.fingerprint(below).await?;
                    digest.update(Digest::of(&FileBytes(&target)).as_bytes());
                }
                Kind::Other => {}
            }
        }
    }
    Ok(digest.finish())
}
