//! A Store that counts how often it is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use piton_workspaces::path::MountPath;
use piton_workspaces::search::{Search, SearchResult};
use piton_workspaces::store::{
    DirectoryListing, FileChange, FileIdentity, FileStat, LoadedFile, Prepared, Store, StoreFuture,
    Window, WindowRead,
};

/// How often Stores were asked.
#[derive(Default)]
pub(crate) struct Asked {
    /// Anything.
    pub(crate) all: AtomicU64,
    /// Where links lead.
    pub(crate) resolutions: AtomicU64,
}

impl Asked {
    pub(crate) fn reset(&self) {
        self.all.store(0, Ordering::Relaxed);
        self.resolutions.store(0, Ordering::Relaxed);
    }
}

/// Hands every call on, and counts it.
pub(crate) struct Counting {
    inner: Arc<dyn Store>,
    asked: Arc<Asked>,
}

impl Counting {
    pub(crate) fn new(inner: Arc<dyn Store>, asked: &Arc<Asked>) -> Self {
        Self { inner, asked: Arc::clone(asked) }
    }

    fn counted(&self) -> &dyn Store {
        self.asked.all.fetch_add(1, Ordering::Relaxed);
        &*self.inner
    }
}

impl Store for Counting {
    fn stat(&self, path: MountPath, digest: bool) -> StoreFuture<'_, FileStat> {
        self.counted().stat(path, digest)
    }

    fn identity(&self, path: MountPath) -> StoreFuture<'_, FileIdentity> {
        self.counted().identity(path)
    }

    fn fingerprint(&self, path: MountPath) -> StoreFuture<'_, Vec<u8>> {
        self.counted().fingerprint(path)
    }

    fn list(&self, path: MountPath) -> StoreFuture<'_, DirectoryListing> {
        self.counted().list(path)
    }

    fn read(&self, path: MountPath, window: Window) -> StoreFuture<'_, WindowRead> {
        self.counted().read(path, window)
    }

    fn load(&self, path: MountPath, bytes_max: u64) -> StoreFuture<'_, LoadedFile> {
        self.counted().load(path, bytes_max)
    }

    fn search(&self, search: Arc<Search>) -> StoreFuture<'_, SearchResult> {
        self.counted().search(search)
    }

    fn resolve(&self, path: MountPath) -> StoreFuture<'_, MountPath> {
        self.asked.resolutions.fetch_add(1, Ordering::Relaxed);
        self.counted().resolve(path)
    }

    fn prepare(&self, change: FileChange) -> StoreFuture<'_, Prepared> {
        self.counted().prepare(change)
    }

    fn has_lost(&self, path: MountPath) -> StoreFuture<'_, bool> {
        self.counted().has_lost(path)
    }

    fn clear(&self, path: MountPath, temp: String) -> StoreFuture<'_, ()> {
        self.counted().clear(path, temp)
    }
}
