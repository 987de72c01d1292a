//! The Virtual Store as a [`Store`].

use std::sync::Arc;

use piton_core::{Clock, Code, Digest, Entropy, FileBytes};
use piton_store::PagedScan;
use piton_store::port::{BlobNamespace, Blobs, Table, TableWrite};

use super::namespace::{DirectoryId, NamespaceKeys, ROOT, VirtualNamespace, name_of};
use super::row::{DirectoryRow, Stored};
use super::staged::Staged;
use crate::bounds::{INLINE_BYTES_MAX, LIST_ENTRIES_HELD_MAX, SCAN_PAGE};
use crate::path::MountPath;
use crate::search::{Search, SearchResult as SearchFound};
use crate::store::{
    DirectoryListing, EntryKind, FileChange, FileIdentity, FileStat, LoadedFile, Prepared, Store,
    StoreFault, StoreFuture, Window, WindowRead, read_window_of,
};
use crate::workspaces::Quota;

/// Ports of a Virtual Store.
#[derive(Clone)]
pub struct VirtualPorts {
    /// Storage of the rows.
    pub table: Arc<dyn Table>,
    /// Storage of the content of larger files.
    pub blobs: Arc<dyn Blobs>,
    /// Source of modification times.
    pub clock: Arc<dyn Clock>,
    /// Source of directory ids.
    pub entropy: Arc<dyn Entropy>,
}

/// A Store whose files are in Piton's own data.
#[derive(Clone)]
pub struct VirtualStore {
    pub(super) ports: VirtualPorts,
    pub(super) keys: NamespaceKeys,
    pub(super) quota: Option<Quota>,
}

impl VirtualStore {
    /// Opens the files of a namespace.
    pub fn new(ports: VirtualPorts, namespace: &VirtualNamespace, quota: Option<Quota>) -> Self {
        Self { ports, keys: NamespaceKeys::of(namespace), quota }
    }

    /// Returns the same Store with its changes buffered until they are flushed as one commit.
    pub(crate) fn staged(&self) -> (Self, Arc<Staged>) {
        let staged = Arc::new(Staged::over(&self.ports.table));
        let table = Arc::clone(&staged) as Arc<dyn Table>;
        let ports = VirtualPorts { table, ..self.ports.clone() };
        (Self { ports, ..self.clone() }, staged)
    }

    /// Commits a batch. Returns false if another writer changed something that it depends on.
    pub(super) async fn commit(&self, batch: Vec<TableWrite>) -> Result<bool, StoreFault> {
        match self.ports.table.commit(batch).await {
            Ok(_) => Ok(true),
            Err(piton_store::Error::Conflict { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// True if there is a row with a key that starts with `prefix`.
    pub(super) async fn has_rows(&self, prefix: &[u8]) -> Result<bool, StoreFault> {
        Ok(!self.ports.table.scan(prefix, None, 1).await?.entries.is_empty())
    }

    pub(super) fn now(&self) -> u64 {
        self.ports.clock.now_ms().get() / 1_000 // tidy: number of milliseconds in a second
    }

    pub(super) fn new_id(&self) -> DirectoryId {
        let mut id = ROOT;
        self.ports.entropy.fill(&mut id);
        id
    }

    /// Returns the row of a path, for an overlay.
    pub(crate) async fn row_at(
        &self,
        path: &MountPath,
    ) -> Result<Option<DirectoryRow>, StoreFault> {
        if path.is_root() {
            return Ok(Some(DirectoryRow::Directory {
                id: ROOT,
                modified: 0,
                opaque: false,
                base: None,
                landing: None,
            }));
        }
        Ok(self.lookup(path).await?.entry.map(|found| found.stored.row))
    }

    /// Returns the id of a directory.
    pub(super) async fn directory(&self, path: &MountPath) -> Result<DirectoryId, StoreFault> {
        match self.row_at(path).await? {
            Some(DirectoryRow::Directory { id, .. }) => Ok(id),
            Some(DirectoryRow::File { .. }) => Err(StoreFault::NotDirectory),
            Some(DirectoryRow::Whiteout { .. }) | None => Err(StoreFault::NotFound),
        }
    }

    /// Returns the entries of a directory in byte order.
    pub(super) async fn rows(&self, id: DirectoryId) -> Result<Vec<(String, Stored)>, StoreFault> {
        let prefix = self.keys.entries(id);
        let mut rows = Vec::new();
        let mut scan = PagedScan::new(&*self.ports.table, &prefix, SCAN_PAGE);
        while let Some(entries) = scan.next().await? {
            for entry in &entries {
                let name =
                    name_of(&entry.key).ok_or(StoreFault::Data(Code::StoreInvariantViolation))?;
                rows.push((name.to_owned(), Stored::decode(&entry.value)?));
            }
            if rows.len() > LIST_ENTRIES_HELD_MAX {
                return Err(StoreFault::limit("entries in one directory", LIST_ENTRIES_HELD_MAX));
            }
        }
        Ok(rows)
    }

    /// Returns the entries of a directory with their rows, for an overlay.
    pub(crate) async fn rows_at(
        &self,
        path: &MountPath,
    ) -> Result<Vec<(String, DirectoryRow)>, StoreFault> {
        let rows = self.rows(self.directory(path).await?).await?;
        Ok(rows.into_iter().map(|(name, stored)| (name, stored.row)).collect())
    }

    /// Returns the content of a file.
    pub(super) async fn content(&self, stored: Stored) -> Result<LoadedFile, StoreFault> {
        let DirectoryRow::File { digest, executable, .. } = stored.row else {
            return Err(StoreFault::IsDirectory);
        };
        let bytes = if let Some(bytes) = stored.inline {
            bytes
        } else {
            let blob = self.ports.blobs.get(BlobNamespace::Virtual, digest).await?;
            blob.ok_or(StoreFault::Data(Code::StoreNotFound))?
        };
        // Checked for inline content as well as for blobs, so a damaged file is never returned.
        if Digest::of(&FileBytes(&bytes)) != digest {
            return Err(StoreFault::Data(Code::StoreCorruptBlob));
        }
        Ok(LoadedFile { bytes, digest, executable: executable == Some(true) })
    }

    /// Decides where the content of a file is kept. Returns it if it belongs into the row; otherwise stores it as a
    /// blob.
    pub(super) async fn keep(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, StoreFault> {
        if bytes.len() <= INLINE_BYTES_MAX {
            return Ok(Some(bytes.to_vec()));
        }
        self.ports.blobs.put(BlobNamespace::Virtual, bytes.to_vec()).await?;
        Ok(None)
    }

    async fn file(&self, path: &MountPath) -> Result<Stored, StoreFault> {
        if path.is_root() {
            return Err(StoreFault::IsDirectory);
        }
        let found = self.lookup(path).await?.entry.ok_or(StoreFault::NotFound)?;
        match found.stored.row {
            DirectoryRow::File { .. } => Ok(found.stored),
            DirectoryRow::Directory { .. } => Err(StoreFault::IsDirectory),
            DirectoryRow::Whiteout { .. } => Err(StoreFault::NotFound),
        }
    }
}

impl Store for VirtualStore {
    fn stat(&self, path: MountPath, _: bool) -> StoreFuture<'_, FileStat> {
        Box::pin(async move {
            match self.row_at(&path).await? {
                Some(DirectoryRow::Directory { modified, .. }) => Ok(FileStat {
                    kind: EntryKind::Directory,
                    bytes: 0,
                    modified: Some(modified).filter(|_| !path.is_root()),
                    digest: None,
                    executable: false,
                }),
                Some(DirectoryRow::File { digest, bytes, modified, executable, .. }) => {
                    Ok(FileStat {
                        kind: EntryKind::File,
                        bytes,
                        modified: Some(modified),
                        digest: Some(digest),
                        executable: executable == Some(true),
                    })
                }
                Some(DirectoryRow::Whiteout { .. }) | None => Err(StoreFault::NotFound),
            }
        })
    }

    fn identity(&self, path: MountPath) -> StoreFuture<'_, FileIdentity> {
        // Two Stores on one namespace of one table have the same files. The address of the table identifies it.
        let table = Arc::as_ptr(&self.ports.table).cast::<()>().addr();
        let (table, files) = (format!("virtual {table} "), self.keys.all_entries());
        let identity = [table.as_bytes(), &files, path.as_str().as_bytes()].concat();
        let identity = FileIdentity::new(identity);
        Box::pin(async move { Ok(identity) })
    }

    fn fingerprint(&self, path: MountPath) -> StoreFuture<'_, Vec<u8>> {
        Box::pin(async move {
            let stat = self.stat(path, true).await?;
            Ok(format!("{:?}", (stat.bytes, stat.modified, stat.digest)).into_bytes())
        })
    }

    fn list(&self, path: MountPath) -> StoreFuture<'_, DirectoryListing> {
        Box::pin(async move {
            let rows = self.rows_at(&path).await?.into_iter();
            let entries = rows.filter_map(|(name, row)| row.listed(name)).collect();
            Ok(DirectoryListing { entries, unusable: 0 })
        })
    }

    fn read(&self, path: MountPath, window: Window) -> StoreFuture<'_, WindowRead> {
        Box::pin(async move {
            let loaded = self.content(self.file(&path).await?).await?;
            read_window_of(&loaded.bytes, window)
        })
    }

    fn load(&self, path: MountPath, bytes_max: u64) -> StoreFuture<'_, LoadedFile> {
        Box::pin(async move {
            let stored = self.file(&path).await?;
            if let DirectoryRow::File { bytes, .. } = stored.row
                && bytes > bytes_max
            {
                return Err(StoreFault::TooLarge { bytes, max: bytes_max });
            }
            self.content(stored).await
        })
    }

    fn search(&self, search: Arc<Search>) -> StoreFuture<'_, SearchFound> {
        Box::pin(async move { self.search_rows(&search).await })
    }

    fn resolve(&self, path: MountPath) -> StoreFuture<'_, MountPath> {
        Box::pin(async move { Ok(path) })
    }

    fn prepare(&self, change: FileChange) -> StoreFuture<'_, Prepared> {
        Box::pin(async move { Ok(self.prepare_change(change).await?.into()) })
    }

    fn clear(&self, _: MountPath, _: String) -> StoreFuture<'_, ()> {
        Box::pin(async move { Ok(()) })
    }

    fn has_lost(&self, path: MountPath) -> StoreFuture<'_, bool> {
        Box::pin(async move { self.lost_entry(&path).await })
    }
}
