//! A Store in which somebody else writes in between.

use std::sync::{Arc, Mutex};

use piton_store::port::BoxFuture;
use piton_workspaces::Files;
use piton_workspaces::path::MountPath;
use piton_workspaces::search::{Search, SearchResult};
use piton_workspaces::store::{
    DirectoryListing, FileChange, FileIdentity, FileStat, LoadedFile, Prepared, Store, StoreFault,
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
    fn stat(&self, path: MountPath, digest: bool) -> BoxFuture<'_, Result<FileStat, StoreFault>> {
        self.under.stat(path, digest)
    }

    fn identity(&self, path: MountPath) -> BoxFuture<'_, Result<FileIdentity, StoreFault>> {
        self.under.identity(path)
    }

    fn fingerprint(&self, path: MountPath) -> BoxFuture<'_, Result<Vec<u8>, StoreFault>> {
        self.under.fingerprint(path)
    }

    fn list(&self, path: MountPath) -> BoxFuture<'_, Result<DirectoryListing, StoreFault>> {
        self.under.list(path)
    }

    fn read(
        &self,
        path: MountPath,
        window: Window,
    ) -> BoxFuture<'_, Result<WindowRead, StoreFault>> {
        self.under.read(path, window)
    }

    fn load(
        &self,
        path: MountPath,
        bytes_max: u64,
    ) -> BoxFuture<'_, Result<LoadedFile, StoreFault>> {
        Box::pin(async move {
            let loaded = self.under.load(path, bytes_max).await;
            self.let_in().await;
            loaded
        })
    }

    fn search(&self, search: Arc<Search>) -> BoxFuture<'_, Result<SearchResult, StoreFault>> {
        self.under.search(search)
    }

    fn resolve(&self, path: MountPath) -> BoxFuture<'_, Result<MountPath, StoreFault>> {
        self.under.resolve(path)
    }

    fn prepare(&self, change: FileChange) -> BoxFuture<'_, Result<Box<dyn Prepared>, StoreFault>> {
        self.under.prepare(change)
    }

    fn has_lost(&self, path: MountPath) -> BoxFuture<'_, Result<bool, StoreFault>> {
        self.under.has_lost(path)
    }

    fn clear(&self, path: MountPath, temp: String) -> BoxFuture<'_, Result<(), StoreFault>> {
        self.under.clear(path, temp)
    }
}
