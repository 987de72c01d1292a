//! Blobs: immutable content under its own digest.

use std::time::Duration;

use piton_core::Digest;

use super::StoreFuture;
use crate::Error;
use crate::port::Lease;

piton_core::closed_set! {
    /// Who owns a blob. Each owner has a namespace and its own roots; content is not shared
    /// between namespaces, so that sweeping one can never take from another.
    pub enum BlobNamespace {
        /// Execution snapshots of runs.
        Snapshots => "snapshots",
        /// Artifacts of step outputs.
        Artifacts => "artifacts",
        /// Compiled workflows that runs are pinned to.
        PinnedWorkflows => "pinned_workflows",
        /// Large values of backpacks.
        Backpacks => "backpacks",
        /// Files of Virtual Stores.
        Virtual => "virtual",
        /// Context frames and trees.
        Context => "context",
    }
}

/// The reading half of content-addressed storage.
pub trait BlobReader: Send + Sync {
    /// Returns the bytes under `digest` after checking them, or `None` if there is no such blob.
    fn get(&self, namespace: BlobNamespace, digest: Digest) -> StoreFuture<'_, Option<Vec<u8>>>;

    /// Returns the bytes under `digest`, which something refers to: a missing blob is an error.
    fn fetch(&self, namespace: BlobNamespace, digest: Digest) -> StoreFuture<'_, Vec<u8>> {
        let found = self.get(namespace, digest);
        Box::pin(async move { found.await?.ok_or(Error::BlobMissing { namespace, digest }) })
    }

    /// Lists up to `limit` blobs in digest order, starting after `after`.
    fn list(
        &self,
        namespace: BlobNamespace,
        after: Option<Digest>,
        limit: usize, // tidy: port: a count
    ) -> StoreFuture<'_, Vec<BlobEntry>>;
}

/// Content-addressed storage.
///
/// Promise:
/// - `put` is durable when it returns, and harmless to repeat; a repetition makes the blob young.
/// - `get` returns exactly what was put under that digest, or an error; never altered bytes.
/// - A blob changes only by being removed.
pub trait Blobs: BlobReader {
    /// Stores `bytes` and returns their digest.
    fn put(&self, namespace: BlobNamespace, bytes: Vec<u8>) -> StoreFuture<'_, Digest>;

    /// Removes those of `digests` that are at least `age_min` old, and returns what it removed.
    ///
    /// The age is read at the moment of removal. `lease` is the exclusive collection lease: while it is held, no writer
    /// is between its first blob and the end of its append.
    fn remove<'a>(
        &'a self,
        namespace: BlobNamespace,
        digests: &'a [Digest],
        age_min: Duration,
        lease: &'a Lease,
    ) -> StoreFuture<'a, Vec<BlobEntry>>;

    /// Takes a blob whose bytes do not match its digest out of its namespace, and keeps the bytes elsewhere. Returns
    /// their location, or `None` if there is no such blob or it is intact. Storing the right bytes again restores the
    /// blob.
    fn set_aside(
        &self,
        namespace: BlobNamespace,
        digest: Digest,
    ) -> StoreFuture<'_, Option<String>>;

    /// Cleans up what dead writers left behind in a namespace.
    fn tidy(&self, namespace: BlobNamespace) -> StoreFuture<'_, ()>;
}

/// A stored blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobEntry {
    pub digest: Digest,
    pub bytes: u64,
    /// Time since the blob was last put.
    pub age: Duration,
}

/// The references that keep the blobs of one namespace alive. Each owner registers one.
pub trait Roots: Send + Sync {
    /// Returns the namespace that these roots speak for.
    fn namespace(&self) -> BlobNamespace;

    /// Returns every root, or with a cursor at least those added since. Fails if any source of roots is not valid: then
    /// nothing of the namespace may be swept.
    fn roots<'a>(
        &'a self,
        since: Option<&'a RootsCursor>,
    ) -> StoreFuture<'a, (Vec<Digest>, RootsCursor)>;
}

/// End of a reading of roots, by stream.
pub type RootsCursor = std::collections::BTreeMap<crate::StreamId, super::Cursor>;
