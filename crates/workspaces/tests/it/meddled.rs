//! A Store in which somebody else writes in between.

use std::sync::{Arc, Mutex};

use piton_workspaces::Files;
use piton_workspaces::path::MountPath;
use piton_workspaces::search::{Search, SearchResult};
use piton_workspaces::store::{
    DirectoryListing, FileChange, FileIdentity, FileStat, LoadedFile, Prepared, Store, StoreFuture,
    Window, WindowRead,
};
use serde_json::Value;

/// Hands every call on; after the next file that it loads, somebody else writes.
pub(crate) struct Meddled {
    under: Arc<dyn Store>,
    meddle: Mutex<Option<(Files, Value)>>,
}

impl Meddled {
    pub(crate) fn new(under: Arc<dyn Store>) -> Self {
        Self { under, meddle: Mutex::default() }
    }

    /// Who writes what.
    pub(crate) fn lets_in(&self, files: Files, write: Value) {
        *self.meddle.lock().unwrap() = Some((files, write));
    }

    async fn let_in(&self) {
        let meddle = self.meddle.lock().unwrap().take();
        if let Some((files, arguments)) = meddle {
            let reply = files.call("write", arguments).await;
            assert!(!reply.is_error(), "{}", reply.text);
        }
    }
}

impl Store for Meddled {
    fn stat(&self, path: MountPath, digest: bool) -> StoreFuture<'_, FileStat> {
        self.under.stat(path, digest)
    }

    fn identity(&self, path: MountPath) -> StoreFuture<'_, FileIdentity> {
        self.under.identity(path)
    }

    fn fingerprint(&self, path: MountPath) -> StoreFuture<'_, Vec<u8>> {
        self.under.fingerprint(path)
    }

    fn list(&self, path: MountPath) -> StoreFuture<'_, DirectoryListing> {
        self.under.list(path)
    }

    fn read(&self, path: MountPath, window: Window) -> StoreFuture<'_, WindowRead> {
        self.under.read(path, window)
    }

    fn load(&self, path: MountPath, bytes_max: u64) -> StoreFuture<'_, LoadedFile> {
        Box::pin(async move {
            let loaded = self.under.load(path, bytes_max).await;
            self.let_in().await;
            loaded
        })
    }

    fn search(&self, search: Arc<Search>) -> StoreFuture<'_, SearchResult> {
        self.under.search(search)
    }

    fn resolve(&self, path: MountPath) -> StoreFuture<'_, MountPath> {
        self.under.resolve(path)
    }

    fn prepare(&self, change: FileChange) -> StoreFuture<'_, Prepared> {
        self.under.prepare(change)
    }

    fn has_lost(&self, path: MountPath) -> StoreFuture<'_, bool> {
        self.under.has_lost(path)
    }

    fn clear(&self, path: MountPath, temp: String) -> StoreFuture<'_, ()> {
        self.under.clear(path, temp)
    }
}
