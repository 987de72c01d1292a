//! A Store that counts how often it is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use piton_store::port::BoxFuture;
use piton_workspaces::path::MountPath;
use piton_workspaces::search::{Search, SearchResult};
use piton_workspaces::store::{
    DirectoryListing, FileChange, FileIdentity, FileStat, LoadedFile, Prepared, Store, StoreFault,
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
    fn stat(&self, path: MountPath, digest: bool) -> BoxFuture<'_, Result<FileStat, StoreFault>> {
        self.counted().stat(path, digest)
    }

    fn identity(&self, path: MountPath) -> BoxFuture<'_, Result<FileIdentity, StoreFault>> {
        self.counted().identity(path)
    }

    fn fingerprint(&self, path: MountPath) -> BoxFuture<'_, Result<Vec<u8>, StoreFault>> {
        self.counted().fingerprint(path)
    }

    fn list(&self, path: MountPath) -> BoxFuture<'_, Result<DirectoryListing, StoreFault>> {
        self.counted().list(path)
    }

    fn read(
        &self,
        path: MountPath,
        window: Window,
    ) -> BoxFuture<'_, Result<WindowRead, StoreFault>> {
        self.counted().read(path, window)
    }

    fn load(
        &self,
        path: MountPath,
        bytes_max: u64,
    ) -> BoxFuture<'_, Result<LoadedFile, StoreFault>> {
        self.counted().load(path, bytes_max)
    }

    fn search(&self, search: Arc<Search>) -> BoxFuture<'_, Result<SearchResult, StoreFault>> {
        self.counted().search(search)
    }

    fn resolve(&self, path: MountPath) -> BoxFuture<'_, Result<MountPath, StoreFault>> {
        self.asked.resolutions.fetch_add(1, Ordering::Relaxed);
        self.counted().resolve(path)
    }

    fn prepare(&self, change: FileChange) -> BoxFuture<'_, Result<Box<dyn Prepared>, StoreFault>> {
        self.counted().prepare(change)
    }

    fn has_lost(&self, path: MountPath) -> BoxFuture<'_, Result<bool, StoreFault>> {
        self.counted().has_lost(path)
    }

    fn clear(&self, path: MountPath, temp: String) -> BoxFuture<'_, Result<(), StoreFault>> {
        self.counted().clear(path, temp)
    }
}
