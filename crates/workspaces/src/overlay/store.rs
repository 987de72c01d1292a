//! The overlay as a [`Store`].

use std::collections::BTreeMap;
use std::sync::Arc;

use super::view::View;
use crate::bounds::COMMIT_TRIES_MAX;
use crate::mask::Mask;
use crate::path::MountPath;
use crate::search::{Search, SearchResult};
use crate::store::{
    DirectoryListing, FileChange, FileIdentity, FileStat, LoadedFile, Prepared, Store, StoreFault,
    StoreFuture, Window, WindowRead,
};
use crate::virtual_store::{DirectoryRow, SeenRow, VirtualStore};
use crate::workspaces::Workspace;

/// A Virtual Store in front of another Store, which is only read.
#[derive(Clone)]
pub struct OverlayStore {
    pub(super) upper: VirtualStore,
    pub(super) lower: Arc<dyn Store>,
    pub(super) lower_mask: Arc<Mask>,
}

impl OverlayStore {
    /// Creates an overlay over a Workspace. Paths hidden there are hidden here.
    pub fn new(upper: VirtualStore, lower: &Workspace) -> Self {
        Self { upper, lower: Arc::clone(&lower.store), lower_mask: Arc::clone(&lower.mask) }
    }

    async fn listing(&self, path: MountPath) -> Result<DirectoryListing, StoreFault> {
        let (upper, lower, rows) = loop {
            let (upper, lower) = match self.view(&path).await? {
                View::Upper => return Err(StoreFault::NotDirectory),
                View::Hidden => return Err(StoreFault::NotFound),
                View::Lower => (false, true),
                View::Merged { lower } => (true, lower),
            };
            // The upper rows first: an entry that is applied in between is then found twice rather than not at all.
            let rows = if upper { self.rows_above(&path).await? } else { Vec::new() };
            if lower || self.still_hides(&path).await? {
                break (upper, lower, rows);
            }
        };
        let mut unusable = 0;
        let mut entries = BTreeMap::new();
        if lower && self.lower_mask.hides(&path).is_none() {
            match self.lower.list(path.clone()).await {
                Ok(listing) => {
                    unusable = listing.unusable;
                    for entry in listing.entries {
                        if path.child(&entry.name).is_ok_and(|at| !self.lower_mask.hides_entry(&at))
                        {
                            entries.insert(entry.name.clone(), entry);
                        }
                    }
                }
                Err(StoreFault::NotFound | StoreFault::NotDirectory) if upper => {}
                Err(other) => return Err(other),
            }
        } else if !upper {
            return Err(StoreFault::NotFound);
        }
        // Upper entries replace lower ones of the same name, and whiteouts remove them.
        for (name, row) in rows {
            match row.listed(name.clone()) {
                Some(entry) => drop(entries.insert(name, entry)),
                None => drop(entries.remove(&name)),
            }
        }
        Ok(DirectoryListing { entries: entries.into_values().collect(), unusable })
    }

    /// True if an upper file hides an executable lower one and does not set the executable bit itself.
    async fn is_executable_below(&self, path: &MountPath) -> Result<bool, StoreFault> {
        let row = self.upper.seen(path).await?;
        if !matches!(
            row.as_ref().map(SeenRow::row),
            Some(DirectoryRow::File { base: Some(_), executable: None, .. })
        ) {
            return Ok(false);
        }
        match self.lower.stat(path.clone(), false).await {
            Ok(stat) => Ok(stat.executable),
            Err(StoreFault::NotFound | StoreFault::NotDirectory) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Asks the Store that holds the file at a path. A file that is applied in between is below once it is gone above.
    async fn ask<'a, T>(
        &'a self,
        path: &MountPath,
        question: impl Fn(&'a dyn Store) -> StoreFuture<'a, T>,
    ) -> Result<T, StoreFault> {
        for _ in 0..COMMIT_TRIES_MAX {
            match self.view(path).await? {
                View::Upper => match question(&self.upper).await {
                    // The view is outdated: the row was applied or replaced since. Look again.
                    Err(
                        StoreFault::NotFound | StoreFault::NotDirectory | StoreFault::IsDirectory,
                    ) => {}
                    answer => return answer,
                },
                View::Merged { .. } => return Err(StoreFault::IsDirectory),
                View::Lower if self.lower_mask.hides(path).is_none() => {
                    return question(&*self.lower).await;
                }
                View::Lower | View::Hidden => return Err(StoreFault::NotFound),
            }
        }
        Err(StoreFault::Busy)
    }
}

impl Store for OverlayStore {
    fn stat(&self, path: MountPath, digest: bool) -> StoreFuture<'_, FileStat> {
        Box::pin(async move {
            match self.ask(&path, |store| store.stat(path.clone(), digest)).await {
                Ok(mut stat) => {
                    stat.executable |= self.is_executable_below(&path).await?;
                    Ok(stat)
                }
                // The upper directory may only lead to deeper changes, and is below once it is gone above.
                Err(StoreFault::IsDirectory) => match self.upper.stat(path.clone(), digest).await {
                    Err(StoreFault::NotFound) => self.lower.stat(path, digest).await,
                    stat => stat,
                },
                Err(other) => Err(other),
            }
        })
    }

    /// Returns the identity in the upper Store. The lower file shows here but is a different one: a change made here
    /// does not reach it.
    fn identity(&self, path: MountPath) -> StoreFuture<'_, FileIdentity> {
        self.upper.identity(path)
    }

    fn fingerprint(&self, path: MountPath) -> StoreFuture<'_, Vec<u8>> {
        Box::pin(async move { self.ask(&path, |store| store.fingerprint(path.clone())).await })
    }

    fn list(&self, path: MountPath) -> StoreFuture<'_, DirectoryListing> {
        Box::pin(self.listing(path))
    }

    fn read(&self, path: MountPath, window: Window) -> StoreFuture<'_, WindowRead> {
        Box::pin(async move { self.ask(&path, |store| store.read(path.clone(), window)).await })
    }

    fn load(&self, path: MountPath, bytes_max: u64) -> StoreFuture<'_, LoadedFile> {
        Box::pin(async move {
            let mut loaded = self.ask(&path, |store| store.load(path.clone(), bytes_max)).await?;
            loaded.executable |= self.is_executable_below(&path).await?;
            Ok(loaded)
        })
    }

    fn search(&self, search: Arc<Search>) -> StoreFuture<'_, SearchResult> {
        Box::pin(async move { self.search_both(&search).await })
    }

    fn resolve(&self, path: MountPath) -> StoreFuture<'_, MountPath> {
        Box::pin(async move { Ok(path) })
    }

    fn prepare(&self, change: FileChange) -> StoreFuture<'_, Prepared> {
        Box::pin(async move { self.prepare_above(change).await })
    }

    fn clear(&self, _: MountPath, _: String) -> StoreFuture<'_, ()> {
        Box::pin(async move { Ok(()) })
    }

    fn has_lost(&self, path: MountPath) -> StoreFuture<'_, bool> {
        Store::has_lost(&self.upper, path)
    }
}
