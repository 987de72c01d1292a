//! Blobs in memory.
//!
//! Limitations: bytes in memory are not checked again when they are read; nothing can have changed them.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use piton_core::{Digest, FileBytes, port::Clock};

use crate::{
    Error,
    bounds::{BLOB_BYTES_MAX, check_size},
    collect,
    port::{BlobEntry, BlobNamespace, BlobReader, Blobs, BoxFuture, Lease},
};

/// Blobs in memory. Clones share them.
#[derive(Clone)]
pub struct MemoryBlobs {
    clock: Arc<dyn Clock>,
    namespaces: Arc<Mutex<BTreeMap<BlobNamespace, BTreeMap<Digest, Blob>>>>,
}

struct Blob {
    bytes: Arc<[u8]>,
    put_at: Duration,
}

impl MemoryBlobs {
    /// Creates an empty store; ages are measured by `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, namespaces: Arc::default() }
    }

    fn namespaces(&self) -> MutexGuard<'_, BTreeMap<BlobNamespace, BTreeMap<Digest, Blob>>> {
        self.namespaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the clock by which ages are measured.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// Returns the time by which ages are measured.
    pub(crate) fn now(&self) -> Duration {
        self.clock.monotonic()
    }

    /// Stores a blob under its digest, or makes it young.
    pub(crate) fn insert(&self, namespace: BlobNamespace, digest: Digest, bytes: Vec<u8>) {
        let blob = Blob { bytes: bytes.into(), put_at: self.clock.monotonic() };
        self.namespaces().entry(namespace).or_default().insert(digest, blob);
    }

    /// Makes a blob young. Returns true if it exists.
    pub(crate) fn refresh(&self, namespace: BlobNamespace, digest: Digest) -> bool {
        let mut namespaces = self.namespaces();
        let blob = namespaces.get_mut(&namespace).and_then(|blobs| blobs.get_mut(&digest));
        blob.is_some_and(|blob| {
            blob.put_at = self.clock.monotonic();
            true
        })
    }

    fn entry(&self, digest: Digest, blob: &Blob) -> BlobEntry {
        BlobEntry {
            digest,
            bytes: blob.bytes.len() as u64,
            age: self.clock.monotonic().saturating_sub(blob.put_at),
        }
    }
}

impl BlobReader for MemoryBlobs {
    fn get(
        &self,
        namespace: BlobNamespace,
        digest: Digest,
    ) -> BoxFuture<'_, Result<Option<Vec<u8>>, Error>> {
        Box::pin(async move {
            let namespaces = self.namespaces();
            let blob = namespaces.get(&namespace).and_then(|blobs| blobs.get(&digest));
            Ok(blob.map(|blob| blob.bytes.to_vec()))
        })
    }

    fn list(
        &self,
        namespace: BlobNamespace,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<BlobEntry>, Error>> {
        Box::pin(async move {
            let namespaces = self.namespaces();
            let Some(blobs) = namespaces.get(&namespace) else {
                return Ok(Vec::new());
            };
            let from = after.map_or(Bound::Unbounded, Bound::Excluded);
            let listed = blobs.range((from, Bound::Unbounded)).take(limit);
            Ok(listed.map(|(digest, blob)| self.entry(*digest, blob)).collect())
        })
    }
}

impl Blobs for MemoryBlobs {
    fn put(
        &self,
        namespace: BlobNamespace,
        bytes: Vec<u8>,
    ) -> BoxFuture<'_, Result<Digest, Error>> {
        Box::pin(async move {
            check_size("a blob", bytes.len(), BLOB_BYTES_MAX)?;
            let digest = Digest::of(&FileBytes(&bytes));
            self.insert(namespace, digest, bytes);
            Ok(digest)
        })
    }

    fn remove<'a>(
        &'a self,
        namespace: BlobNamespace,
        digests: &'a [Digest],
        age_min: Duration,
        lease: &'a Lease,
    ) -> BoxFuture<'a, Result<Vec<BlobEntry>, Error>> {
        Box::pin(async move {
            collect::check_lease(lease)?;
            let mut namespaces = self.namespaces();
            let blobs = namespaces.entry(namespace).or_default();
            let mut removed = Vec::new();
            for digest in digests {
                let Some(entry) = blobs.get(digest).map(|blob| self.entry(*digest, blob)) else {
                    continue;
                };
                if entry.age >= age_min {
                    blobs.remove(digest);
                    removed.push(entry);
                }
            }
            Ok(removed)
        })
    }

    fn set_aside(
        &self,
        _: BlobNamespace,
        _: Digest,
    ) -> BoxFuture<'_, Result<Option<String>, Error>> {
        // Data in memory does not change by itself.
        Box::pin(async { Ok(None) })
    }

    fn tidy(&self, _: BlobNamespace) -> BoxFuture<'_, Result<(), Error>> {
        // A writer that dies takes its memory with it, so nothing is left behind.
        Box::pin(async { Ok(()) })
    }
}
