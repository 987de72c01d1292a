//! The Physical Store as a [`Store`]: blocking work runs off the threads that serve calls.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use piton_core::{Digest, Entropy, FileBytes};
use rustix::fs::{Mode, Stat};

use super::list::{kind_of, listing, size};
use super::lock::lock;
use super::open::{Root, stat_in};
use super::read::{CachedFile, read_all};
use super::search::search;
use super::write::{WriteBody, discard};
use crate::blocking::blocking;
use crate::bounds::FILE_BYTES_MAX;
use crate::path::{MountPath, is_temp_name};
use crate::search::{Search, SearchResult};
use crate::store::{
    Before, DirectoryListing, EntryKind, Expected, FileChange, FileIdentity, FileStat, LoadedFile,
    Prepared, Store, StoreFault, StoreFuture, Window, WindowRead, read_window, read_window_of,
};
use crate::workspaces::Quota;

/// Options of a Physical Store.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct PhysicalOptions {
    /// Follows links that stay inside the Mount.
    pub links: bool,
    /// Refuses files that have more than one hard link.
    pub deny_hard_links: bool,
    /// Follows file systems mounted inside the Mount.
    pub mounts: bool,
    /// Limit on the contents of the Mount.
    pub quota: Option<Quota>,
    /// Opens paths name by name even if the kernel could open them beneath the Mount.
    pub by_name: bool,
}

/// A Store over the files of a directory of this machine.
pub struct PhysicalStore {
    inner: Arc<PhysicalInner>,
}

struct PhysicalInner {
    root: Root,
    entropy: Arc<dyn Entropy>,
    options: PhysicalOptions,
}

impl PhysicalStore {
    /// Opens a directory and holds it. Later changes to its path have no effect.
    pub fn open(
        directory: &Path,
        options: PhysicalOptions,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, StoreFault> {
        let root = Root::hold(directory, options)?;
        Ok(Self { inner: Arc::new(PhysicalInner { root, entropy, options }) })
    }

    fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce(&PhysicalInner) -> Result<R, StoreFault> + Send + 'static,
    ) -> StoreFuture<'static, R> {
        let inner = Arc::clone(&self.inner);
        Box::pin(blocking(move || work(&inner)))
    }
}

impl Store for PhysicalStore {
    fn stat(&self, path: MountPath, digest: bool) -> StoreFuture<'_, FileStat> {
        // The answer is often in the cache of the kernel; then no other thread is needed.
        if let Some(stat) = self.inner.known_stat(&path, digest) {
            return Box::pin(async move { Ok(stat) });
        }
        self.run(move |inner| inner.stat(&path, digest))
    }

    fn identity(&self, path: MountPath) -> StoreFuture<'_, FileIdentity> {
        self.run(move |inner| {
            let stat = inner.entry(&path)?;
            Ok(FileIdentity::new(format!("physical {} {}", stat.st_dev, stat.st_ino)))
        })
    }

    fn fingerprint(&self, path: MountPath) -> StoreFuture<'_, Vec<u8>> {
        self.run(move |inner| {
            let (directory, name) = inner.root.parent(&path)?;
            let stat = stat_in(&directory, name)?;
            if kind_of(&stat) == EntryKind::Link {
                let target = rustix::fs::readlinkat(&directory, name, Vec::new())?;
                return Ok(target.into_bytes());
            }
            Ok(format!("{:?}", (stat.st_size, stat.st_mtime, stat.st_mtime_nsec)).into_bytes())
        })
    }

    fn list(&self, path: MountPath) -> StoreFuture<'_, DirectoryListing> {
        self.run(move |inner| listing(inner.root.directory(&path)?))
    }

    fn read(&self, path: MountPath, window: Window) -> StoreFuture<'_, WindowRead> {
        if let Some(CachedFile { bytes, .. }) = self.inner.root.at_hand(&path) {
            return Box::pin(async move { read_window_of(&bytes, window) });
        }
        self.run(move |inner| {
            let (file, stat) = inner.root.file(&path)?;
            read_window(file, size(&stat), window)
        })
    }

    fn load(&self, path: MountPath, bytes_max: u64) -> StoreFuture<'_, LoadedFile> {
        if let Some(CachedFile { bytes, stat }) = self.inner.root.at_hand(&path)
            && bytes.len() as u64 <= bytes_max
        {
            return Box::pin(async move { Ok(loaded(bytes, &stat)) });
        }
        self.run(move |inner| {
            let (file, stat) = inner.root.file(&path)?;
            Ok(loaded(read_all(file, &stat, bytes_max)?, &stat))
        })
    }

    fn search(&self, query: Arc<Search>) -> StoreFuture<'_, SearchResult> {
        self.run(move |inner| search(&inner.root, &query))
    }

    fn resolve(&self, path: MountPath) -> StoreFuture<'_, MountPath> {
        if !self.inner.options.links {
            return Box::pin(async move { Ok(path) });
        }
        self.run(move |inner| inner.root.resolve(&path))
    }

    fn prepare(&self, change: FileChange) -> StoreFuture<'_, Prepared> {
        self.run(move |inner| inner.prepare(&change))
    }

    fn has_lost(&self, _: MountPath) -> StoreFuture<'_, bool> {
        // A file missing from a directory of the machine was removed by someone; the Store itself loses nothing.
        Box::pin(async { Ok(false) })
    }

    fn clear(&self, path: MountPath, temp: String) -> StoreFuture<'_, ()> {
        self.run(move |inner| {
            // The name comes from a record: never let a damaged record remove an ordinary file.
            if !is_temp_name(&temp) {
                return Ok(());
            }
            match inner.root.parent(&path) {
                Ok((directory, _)) => {
                    // A writer that is still alive holds one of these locks until it is done.
                    let held = inner.quota_lock()?;
                    if held.is_none() {
                        lock(&directory)?;
                    }
                    discard(&directory, &temp);
                    Ok(())
                }
                Err(StoreFault::NotFound | StoreFault::IsDirectory) => Ok(()),
                Err(other) => Err(other),
            }
        })
    }
}

fn loaded(bytes: Vec<u8>, stat: &Stat) -> LoadedFile {
    let digest = Digest::of(&FileBytes(&bytes));
    LoadedFile { bytes, digest, executable: is_executable(stat) }
}

/// True if the owner of a file may run it.
fn is_executable(stat: &Stat) -> bool {
    kind_of(stat) == EntryKind::File && Mode::from_raw_mode(stat.st_mode).contains(Mode::XUSR)
}

/// Builds the public metadata of a path that is not a link.
fn file_stat(stat: &Stat, digest: Option<Digest>) -> FileStat {
    let kind = kind_of(stat);
    FileStat {
        kind,
        bytes: if kind == EntryKind::File { size(stat) } else { 0 },
        modified: u64::try_from(stat.st_mtime).ok(),
        digest,
        executable: is_executable(stat),
    }
}

impl PhysicalInner {
    /// Returns the metadata of a path if the kernel has everything that is asked for in memory.
    fn known_stat(&self, path: &MountPath, digest: bool) -> Option<FileStat> {
        let stat = self.root.known(path)?;
        match kind_of(&stat) {
            EntryKind::Link => None,
            EntryKind::File if digest => {
                // The size and the digest have to describe the same file, so both come from one descriptor.
                let CachedFile { stat, bytes } = self.root.at_hand(path)?;
                Some(file_stat(&stat, Some(Digest::of(&FileBytes(&bytes)))))
            }
            _ => Some(file_stat(&stat, None)),
        }
    }

    /// Returns the metadata of a path without following a link.
    fn entry(&self, path: &MountPath) -> Result<Stat, StoreFault> {
        if path.is_root() {
            return Ok(rustix::fs::fstat(self.root.directory(path)?)?);
        }
        let (directory, name) = self.root.parent(path)?;
        Ok(stat_in(&directory, name)?)
    }

    fn stat(&self, path: &MountPath, digest: bool) -> Result<FileStat, StoreFault> {
        let stat = self.entry(path)?;
        let kind = kind_of(&stat);
        if kind == EntryKind::Link {
            return Err(StoreFault::Link);
        }
        let wanted = digest && kind == EntryKind::File;
        let digest = wanted
            .then(|| {
                self.root.file(path).and_then(|(file, stat)| read_all(file, &stat, FILE_BYTES_MAX))
            })
            .and_then(Result::ok)
            .map(|bytes| Digest::of(&FileBytes(&bytes)));
        Ok(file_stat(&stat, digest))
    }

    /// Takes the lock of the Mount if there is a quota, so that the count stays valid until the commit. A writer that
    /// holds it takes no lock of a directory.
    fn quota_lock(&self) -> Result<Option<OwnedFd>, StoreFault> {
        if self.options.quota.is_none() {
            return Ok(None);
        }
        let mount = self.root.directory(&MountPath::root())?;
        lock(&mount)?;
        Ok(Some(mount))
    }

    fn prepare(&self, change: &FileChange) -> Result<Prepared, StoreFault> {
        let (root, entropy) = (&self.root, &*self.entropy);
        let held = self.quota_lock()?;
        let check = |path: &MountPath, bytes: &[u8], added: bool| match self.options.quota {
            Some(quota) => root.check_quota(quota, path, bytes.len() as u64, added),
            None => Ok(()),
        };
        match change {
            FileChange::Write { path, bytes, expected, executable } => {
                check(path, bytes, false)?;
                let body = WriteBody::Whole(bytes, *executable);
                root.prepare_write(path, &body, expected, held, entropy)
            }
            FileChange::Append { path, bytes } => {
                check(path, bytes, true)?;
                let body = WriteBody::Added(bytes);
                root.prepare_write(path, &body, &Expected::Anything, held, entropy)
            }
            FileChange::Delete { path, recursive, expected, mask } => {
                root.prepare_removal(path, *recursive, expected, mask, held, entropy)
            }
            FileChange::Move { from, to, mask } => root.prepare_move(from, to, mask, held),
            FileChange::MakeDirectory { path } => {
                // The directory exists from here on, and is removed again unless the change is committed.
                let (directory, mut made) = root.make(path)?;
                Ok(prepare_blocking(Before::Directory, None, move || {
                    made.keep()?;
                    Ok(rustix::fs::fsync(&directory)?)
                }))
            }
        }
    }
}

/// Creates a prepared change whose commit blocks.
pub(super) fn prepare_blocking(
    before: Before,
    after: Option<Digest>,
    commit: impl FnOnce() -> Result<(), StoreFault> + Send + 'static,
) -> Prepared {
    Prepared::new(before, after, || Box::pin(blocking(commit)))
}
