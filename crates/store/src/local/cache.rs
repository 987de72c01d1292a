//! Cached projections as files in a session's `cache` directory.
//!
//! An entry is the 32 bytes of its content's SHA-256, then the content. It is renamed into place without a sync: after
//! a power cut an entry may be empty or torn, which its digest reveals.
//!
//! Invariants: nothing here is durable and nothing here is truth; a damaged entry is a miss.
//!
//! Limitations: entries of versions that no program uses any more stay until the session's cache is invalidated, and so
//! does the unfinished file of a process that died.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::DataDir;
use super::disk::Disk;
use super::file_ops::{names_in, read_unsynced, remove, unless_gone, write_unsynced};
use crate::bounds::{CACHE_ENTRY_BYTES_MAX, check_size};
use crate::port::{Cache, CacheKey, StoreFuture};
use crate::{Error, StreamId, threads};

/// The cache of the sessions under a data directory.
///
/// Only a session that exists has a cache: for any other, `put` does nothing.
#[derive(Clone)]
pub struct LocalCache {
    dir: DataDir,
    /// Tells apart the unfinished files of this process.
    counter: Arc<AtomicU64>,
}

impl LocalCache {
    /// Creates the cache under `dir`.
    pub fn new(dir: DataDir) -> Self {
        Self { dir, counter: Arc::default() }
    }

    fn disk(&self) -> &dyn Disk {
        self.dir.disk().as_ref()
    }

    fn path(&self, key: &CacheKey) -> PathBuf {
        self.dir.cache(&key.stream).join(format!("{}-v{}", key.projection, key.version))
    }

    fn get_blocking(&self, key: &CacheKey) -> io::Result<Option<Vec<u8>>> {
        let path = self.path(key);
        match self.disk().stat(&path)? {
            Some(stat) if !stat.is_dir => {}
            _ => return Ok(None),
        }
        read_unsynced(self.disk(), &path, CACHE_ENTRY_BYTES_MAX)
    }

    fn put_blocking(&self, key: &CacheKey, content: &[u8]) -> io::Result<()> {
        let disk = self.disk();
        disk.create_dir(&self.dir.cache(&key.stream))?;
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        write_unsynced(disk, &self.path(key), number, content)
    }

    fn invalidate_blocking(&self, stream: &StreamId) -> io::Result<()> {
        let dir = self.dir.cache(stream);
        for name in names_in(self.disk(), &dir)? {
            remove(self.disk(), &dir.join(name))?;
        }
        Ok(())
    }
}

impl Cache for LocalCache {
    fn get<'a>(&'a self, key: &'a CacheKey) -> StoreFuture<'a, Option<Vec<u8>>> {
        let (own, key) = (self.clone(), key.clone());
        Box::pin(threads::blocking(move || {
            own.get_blocking(&key).map_err(Error::io("read a cached result"))
        }))
    }

    fn put<'a>(&'a self, key: &'a CacheKey, bytes: Vec<u8>) -> StoreFuture<'a, ()> {
        let (own, key) = (self.clone(), key.clone());
        Box::pin(threads::blocking(move || {
            check_size("a cached result", bytes.len(), CACHE_ENTRY_BYTES_MAX)?;
            // A session that was deleted, or never existed, has no cache.
            unless_gone(own.put_blocking(&key, &bytes)).map_err(Error::io("write a cached result"))
        }))
    }

    fn invalidate<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, ()> {
        let (own, stream) = (self.clone(), stream.clone());
        Box::pin(threads::blocking(move || {
            own.invalidate_blocking(&stream).map_err(Error::io("remove cached results"))
        }))
    }
}
