//! A Store that counts how often it is asked.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use piton_store::port::BoxFuture;
use piton_workspaces::{
    path::MountPath,
    search::{Found, Search},
    store::{
        Change, Fault, FileStat, Identity, Listing, Loaded, Prepared, Store, Window, WindowRead,
    },
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
    fn stat(&self, path: MountPath, digest: bool) -> BoxFuture<'_, Result<FileStat, Fault>> {
        self.counted().stat(path, digest)
    }

    fn identity(&self, path: MountPath) -> BoxFuture<'_, Result<Identity, Fault>> {
        self.counted().identity(path)
    }

    fn fingerprint(&self, path: MountPath) -> BoxFuture<'_, Result<Vec<u8>, Fault>> {
        self.counted().fingerprint(path)
    }

    fn list(&self, path: MountPath) -> BoxFuture<'_, Result<Listing, Fault>> {
        self.counted().list(path)
    }

    fn read(&self, path: MountPath, window: Window) -> BoxFuture<'_, Result<WindowRead, Fault>> {
        self.counted().read(path, window)
    }

    fn load(&self, path: MountPath, bytes_max: u64) -> BoxFuture<'_, Result<Loaded, Fault>> {
        self.counted().load(path, bytes_max)
    }

    fn search(&self, search: Arc<Search>) -> BoxFuture<'_, Result<Found, Fault>> {
        self.counted().search(search)
    }

    fn resolve(&self, path: MountPath) -> BoxFuture<'_, Result<MountPath, Fault>> {
        self.asked.resolutions.fetch_add(1, Ordering::Relaxed);
        self.counted().resolve(path)
    }

    fn prepare(&self, change: Change) -> BoxFuture<'_, Result<Box<dyn Prepared>, Fault>> {
        self.counted().prepare(change)
    }

    fn has_lost(&self, path: MountPath) -> BoxFuture<'_, Result<bool, Fault>> {
        self.counted().has_lost(path)
    }

    fn clear(&self, path: MountPath, temp: String) -> BoxFuture<'_, Result<(), Fault>> {
        self.counted().clear(path, temp)
    }
}
