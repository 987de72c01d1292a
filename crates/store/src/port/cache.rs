//! The projection cache: results that can always be computed again.

use super::StoreFuture;
use crate::{LeaseName, StreamId};

/// Names a cached result and the version of the code that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheKey {
    /// The stream that the result was computed from.
    pub stream: StreamId,
    pub projection: LeaseName,
    /// Version of the projection; another version never sees this entry.
    pub version: u32,
}

/// A cache of derived results. Never truth: it may lose anything at any time.
///
/// Promise: `get` returns what some `put` under the same key stored, whole, or nothing.
pub trait Cache: Send + Sync {
    /// Returns a cached result.
    fn get<'a>(&'a self, key: &'a CacheKey) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Replaces a result. Not durable.
    fn put<'a>(&'a self, key: &'a CacheKey, bytes: Vec<u8>) -> StoreFuture<'a, ()>;

    /// Forgets every result of a stream.
    fn invalidate<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, ()>;
}
