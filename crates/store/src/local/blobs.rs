//! Blobs as files: `<namespace>/<first two hex digits>/<the other 62>`.
//!
//! The 256 directories of a namespace are created once, so that storing a blob never has to make a directory durable
//! first. A blob is written to a temporary file, synced, and renamed to its name; then its directory is synced. A blob
//! that exists already is checked and made young, and its directory is synced too, because the process that stored it
//! may have died before doing so.
//!
//! Limitations: a temporary file that a dead process left behind stays until the next sweep of its namespace.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use std::{io, process};

use piton_core::{Digest, FileBytes};

use super::DataDir;
use super::disk::{Disk, DiskFile};
use super::file_ops::{free_name, names_in, read_if_fits, remove, write_new};
use crate::bounds::{BLOB_BYTES_MAX, SWEEP_AGE_MIN, check_size};
use crate::port::{BlobEntry, BlobNamespace, BlobReader, Blobs, Lease, StoreFuture};
use crate::{Error, collect, threads};

/// Prefix of temporary files; a digest never starts with it.
const TEMPORARY: &str = "tmp-";

/// Blobs under a data directory.
#[derive(Clone)]
pub struct LocalBlobs {
    dir: DataDir,
    shared: Arc<BlobsInner>,
}

#[derive(Default)]
struct BlobsInner {
    // One flag for each namespace: its directories are known to be durable.
    ready: [AtomicBool; BlobNamespace::ALL.len()],
    counter: AtomicU64,
}

/// A blob or another new file whose bytes are durable, but which may still need its name, and whose directory is not
/// synced yet.
pub(super) struct Staged {
    // None if the file exists under its name already.
    temporary: Option<PathBuf>,
    path: PathBuf,
}

impl Staged {
    /// Describes a file that will be written under another name first.
    pub(super) fn new(temporary: PathBuf, path: PathBuf) -> Self {
        Self { temporary: Some(temporary), path }
    }

    /// Writes and syncs the bytes. Leaves nothing behind if that fails.
    pub(super) fn write(self, disk: &dyn Disk, bytes: &[u8]) -> io::Result<Self> {
        let written = self.temporary.as_ref().map_or(Ok(()), |path| write_new(disk, path, bytes));
        if written.is_err() {
            self.abandon(disk);
        }
        written.map(|()| self)
    }

    /// The directory to sync after [`publish`](Self::publish).
    pub(super) fn dir(&self) -> PathBuf {
        self.path.parent().map(Path::to_path_buf).unwrap_or_default()
    }

    /// Gives the file its name.
    pub(super) fn publish(&self, disk: &dyn Disk) -> io::Result<()> {
        match &self.temporary {
            Some(temporary) => disk.rename(temporary, &self.path),
            None => Ok(()),
        }
    }

    /// Removes the temporary file, as far as that is possible.
    pub(super) fn abandon(&self, disk: &dyn Disk) {
        if let Some(temporary) = &self.temporary {
            let _ = disk.remove_file(temporary);
        }
    }
}

impl LocalBlobs {
    /// Creates a store for blobs under `dir`.
    pub fn new(dir: DataDir) -> Self {
        Self { dir, shared: Arc::default() }
    }

    fn disk(&self) -> &dyn Disk {
        self.dir.disk().as_ref()
    }

    fn path(&self, namespace: BlobNamespace, digest: Digest) -> PathBuf {
        let hex = digest.hex();
        self.dir.blobs(namespace).join(&hex[..2]).join(&hex[2..])
    }

    /// Creates the directories of a namespace, once.
    pub(super) fn prepare(&self, namespace: BlobNamespace) -> io::Result<()> {
        let ready = &self.shared.ready[namespace as usize];
        if ready.load(Ordering::Acquire) {
            return Ok(());
        }
        let (disk, base) = (self.disk(), self.dir.blobs(namespace));
        if disk.stat(&base.join("complete"))?.is_none() {
            // Every level from the namespace up to the data directory may be missing.
            let mut above = vec![base.as_path()];
            while let Some(parent) = above[above.len() - 1].parent()
                && parent != self.dir.root()
            {
                above.push(parent);
            }
            // Created from the top down, and all levels synced before `complete` is written.
            for dir in above.iter().rev() {
                disk.create_dir(dir)?;
            }
            for byte in 0..=u8::MAX {
                disk.create_dir(&base.join(format!("{byte:02x}")))?;
            }
            for dir in above.iter().rev().copied().chain([self.dir.root()]) {
                disk.sync_dir(dir)?;
            }
            // The presence of this file says that the directories above are durable.
            match disk.create(&base.join("complete")) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => disk.sync_dir(&base)?,
            }
        }
        ready.store(true, Ordering::Release);
        Ok(())
    }

    /// Writes and syncs a blob under a temporary name, unless it exists already.
    pub(super) fn stage(
        &self,
        namespace: BlobNamespace,
        digest: Digest,
        bytes: &[u8],
    ) -> io::Result<Staged> {
        let (disk, path) = (self.disk(), self.path(namespace, digest));
        if self.refresh(&path, digest)? {
            return Ok(Staged { temporary: None, path });
        }
        let dir = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let (temporary, mut file) = match self.create_temporary(&dir) {
            // A copy of a data directory may lack the directories that were empty.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                disk.create_dir(&dir)?;
                disk.sync_dir(&self.dir.blobs(namespace))?;
                self.create_temporary(&dir)?
            }
            made => made?,
        };
        // Without a sync before the rename, a power cut could leave the blob's name on an empty file.
        let staged = Staged { temporary: Some(temporary), path };
        match file.write_all_at(0, bytes).and_then(|()| file.sync()) {
            Ok(()) => Ok(staged),
            Err(error) => {
                staged.abandon(disk);
                Err(error)
            }
        }
    }

    /// Makes a blob that must exist already young, for a plan that refers to it.
    pub(super) fn stage_existing(
        &self,
        namespace: BlobNamespace,
        digest: Digest,
    ) -> Result<Staged, Error> {
        let path = self.path(namespace, digest);
        if self.refresh(&path, digest).map_err(Error::io("check a blob"))? {
            return Ok(Staged { temporary: None, path });
        }
        Err(Error::BlobMissing { namespace, digest })
    }

    /// Checks whether the blob exists and is intact. If so, it is young from now on.
    fn refresh(&self, path: &Path, digest: Digest) -> io::Result<bool> {
        let disk = self.disk();
        if disk.stat(path)?.is_none() {
            return Ok(false);
        }
        // The digest is checked, not only the name: a plan must not come to depend on a damaged blob.
        // A damaged blob is written again.
        match read_if_fits(disk, path, BLOB_BYTES_MAX as u64)? {
            Some(bytes) if Digest::of(&FileBytes(&bytes)) == digest => {}
            _ => return Ok(false),
        }
        // A sweep removes only old blobs, so a touched one is safe until the plan that refers to it is durable.
        match disk.touch(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn create_temporary(&self, dir: &Path) -> io::Result<(PathBuf, Box<dyn DiskFile>)> {
        loop {
            // Process id and counter make the name unique among living processes; the loop skips names that dead ones
            // left.
            let number = self.shared.counter.fetch_add(1, Ordering::Relaxed);
            let path = dir.join(format!("{TEMPORARY}{}-{number}", process::id()));
            match self.disk().create(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn put_blocking(&self, namespace: BlobNamespace, bytes: &[u8]) -> Result<Digest, Error> {
        check_size("a blob", bytes.len(), BLOB_BYTES_MAX)?;
        let digest = Digest::of(&FileBytes(bytes));
        self.prepare(namespace)
            .and_then(|()| self.stage(namespace, digest, bytes))
            .and_then(|staged| {
                // Done for an existing blob too: its name may not be durable yet.
                staged.publish(self.disk())?;
                self.disk().sync_dir(&staged.dir())
            })
            .map_err(Error::io("store a blob"))?;
        Ok(digest)
    }

    pub(super) fn get_blocking(
        &self,
        namespace: BlobNamespace,
        digest: Digest,
    ) -> Result<Option<Vec<u8>>, Error> {
        let corrupt = Error::BlobCorrupt { namespace, digest };
        match self.disk().read(&self.path(namespace, digest), BLOB_BYTES_MAX as u64) {
            Ok(bytes) if Digest::of(&FileBytes(&bytes)) == digest => Ok(Some(bytes)),
            Ok(_) => Err(corrupt),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(corrupt),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read a blob")(error)),
        }
    }

    fn entry(&self, namespace: BlobNamespace, digest: Digest) -> io::Result<Option<BlobEntry>> {
        let stat = self.disk().stat(&self.path(namespace, digest))?;
        Ok(stat.map(|stat| BlobEntry { digest, bytes: stat.len, age: stat.age }))
    }

    fn list_blocking(
        &self,
        namespace: BlobNamespace,
        after: Option<Digest>,
        limit: usize,
    ) -> io::Result<Vec<BlobEntry>> {
        let base = self.dir.blobs(namespace);
        let mut entries = Vec::new();
        // Directories before the one that holds `after` have nothing left to list.
        let first = after.map_or(0, |digest| digest.as_bytes()[0]);
        for byte in first..=u8::MAX {
            let prefix = format!("{byte:02x}");
            let mut digests: Vec<Digest> = names_in(self.disk(), &base.join(&prefix))?
                .iter()
                .filter_map(|name| format!("sha256:{prefix}{name}").parse().ok())
                .filter(|digest| after.is_none_or(|after| *digest > after))
                .collect();
            digests.sort_unstable();
            for digest in digests {
                if entries.len() == limit {
                    return Ok(entries);
                }
                entries.extend(self.entry(namespace, digest)?);
            }
        }
        Ok(entries)
    }

    fn remove_blocking(
        &self,
        namespace: BlobNamespace,
        digests: &[Digest],
        age_min: Duration,
    ) -> io::Result<Vec<BlobEntry>> {
        let mut removed = Vec::new();
        for &digest in digests {
            match self.entry(namespace, digest)? {
                // Looked at again right before it goes: a writer may have made the blob young since the caller decided.
                Some(entry) if entry.age >= age_min => {
                    self.disk().remove_file(&self.path(namespace, digest))?;
                    removed.push(entry);
                }
                _ => {}
            }
        }
        Ok(removed)
    }

    fn set_aside_blocking(
        &self,
        namespace: BlobNamespace,
        digest: Digest,
    ) -> Result<Option<String>, Error> {
        match self.get_blocking(namespace, digest) {
            Err(Error::BlobCorrupt { .. }) => {}
            found => return found.map(|_| None),
        }
        let (disk, from) = (self.disk(), self.path(namespace, digest));
        let dir = self.dir.damaged().join(namespace.as_str());
        let take = || -> io::Result<String> {
            for made in [&self.dir.damaged(), &dir] {
                disk.create_dir(made)?;
            }
            // Copied rather than renamed: after a power cut, a rename between two directories may survive only in the
            // directory that loses the file.
            let name = free_name(disk, &dir, &digest.hex())?;
            write_new(disk, &dir.join(&name), &disk.read(&from, u64::MAX)?)?;
            for synced in [&dir, &self.dir.damaged(), self.dir.root()] {
                disk.sync_dir(synced)?;
            }
            // The copy is durable under its name now, so the damaged file can go.
            remove(disk, &from)?;
            disk.sync_dir(from.parent().expect("a blob lies in a directory"))?;
            Ok(format!("damaged/{namespace}/{name}"))
        };
        take().map(Some).map_err(Error::io("take a damaged blob out of use"))
    }

    /// Removes temporary files that no living writer can still need.
    fn remove_temporaries(&self, namespace: BlobNamespace) -> io::Result<()> {
        let base = self.dir.blobs(namespace);
        for byte in 0..=u8::MAX {
            let dir = base.join(format!("{byte:02x}"));
            let names = names_in(self.disk(), &dir)?;
            for name in names.iter().filter(|name| name.starts_with(TEMPORARY)) {
                let path = dir.join(name);
                if self.disk().stat(&path)?.is_some_and(|stat| stat.age >= SWEEP_AGE_MIN) {
                    remove(self.disk(), &path)?;
                }
            }
        }
        Ok(())
    }
}

impl BlobReader for LocalBlobs {
    fn get(&self, namespace: BlobNamespace, digest: Digest) -> StoreFuture<'_, Option<Vec<u8>>> {
        let own = self.clone();
        Box::pin(threads::blocking(move || own.get_blocking(namespace, digest)))
    }

    fn list(
        &self,
        namespace: BlobNamespace,
        after: Option<Digest>,
        limit: usize,
    ) -> StoreFuture<'_, Vec<BlobEntry>> {
        let own = self.clone();
        Box::pin(threads::blocking(move || {
            own.list_blocking(namespace, after, limit).map_err(Error::io("list the blobs"))
        }))
    }
}

impl Blobs for LocalBlobs {
    fn put(&self, namespace: BlobNamespace, bytes: Vec<u8>) -> StoreFuture<'_, Digest> {
        let own = self.clone();
        Box::pin(threads::blocking(move || own.put_blocking(namespace, &bytes)))
    }

    fn remove<'a>(
        &'a self,
        namespace: BlobNamespace,
        digests: &'a [Digest],
        age_min: Duration,
        lease: &'a Lease,
    ) -> StoreFuture<'a, Vec<BlobEntry>> {
        let (own, digests) = (self.clone(), digests.to_vec());
        let allowed = collect::check_lease(lease);
        Box::pin(threads::blocking(move || {
            allowed?;
            own.remove_blocking(namespace, &digests, age_min).map_err(Error::io("remove blobs"))
        }))
    }

    fn set_aside(
        &self,
        namespace: BlobNamespace,
        digest: Digest,
    ) -> StoreFuture<'_, Option<String>> {
        let own = self.clone();
        Box::pin(threads::blocking(move || own.set_aside_blocking(namespace, digest)))
    }

    fn tidy(&self, namespace: BlobNamespace) -> StoreFuture<'_, ()> {
        let own = self.clone();
        Box::pin(threads::blocking(move || {
            own.remove_temporaries(namespace).map_err(Error::io("remove unfinished blobs"))
        }))
    }
}
