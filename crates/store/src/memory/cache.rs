//! A projection cache in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bounds::{CACHE_ENTRY_BYTES_MAX, check_size};
use crate::port::{Cache, CacheKey, StoreFuture};
use crate::{LeaseName, StreamId};

/// A projection cache in memory. Clones share it.
#[derive(Clone, Default)]
pub struct MemoryCache {
    streams: Arc<Mutex<BTreeMap<StreamId, Results>>>,
}

type Results = BTreeMap<(LeaseName, u32), Vec<u8>>;

impl MemoryCache {
    /// Creates an empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    fn streams(&self) -> MutexGuard<'_, BTreeMap<StreamId, Results>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache for MemoryCache {
    fn get<'a>(&'a self, key: &'a CacheKey) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let streams = self.streams();
            let results = streams.get(&key.stream);
            let name = (key.projection.clone(), key.version);
            Ok(results.and_then(|results| results.get(&name)).cloned())
        })
    }

    fn put<'a>(&'a self, key: &'a CacheKey, bytes: Vec<u8>) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            check_size("a cached result", bytes.len(), CACHE_ENTRY_BYTES_MAX)?;
            let mut streams = self.streams();
            let results = streams.entry(key.stream.clone()).or_default();
            results.insert((key.projection.clone(), key.version), bytes);
            Ok(())
        })
    }

    fn invalidate<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.streams().remove(stream);
            Ok(())
        })
    }
}
