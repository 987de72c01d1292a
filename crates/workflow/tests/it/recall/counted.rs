//! Ports that count how often they are asked.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use piton_core::Digest;
use piton_store::{
    Error,
    port::{BlobEntry, BlobNamespace, BlobReader, Blobs, BoxFuture, Journal},
    testing::WatchedJournal,
};
use piton_workflow::SessionEvent;

/// A shared journal that is watched.
type Watched = WatchedJournal<'static, Arc<dyn Journal<SessionEvent>>>;

/// How often a journal was asked to load or to follow.
#[derive(Default)]
pub(crate) struct Counts {
    loads: AtomicUsize,
    follows: AtomicUsize,
}

impl Counts {
    /// The loads and the follows since the last time.
    pub(crate) fn take(&self) -> (usize, usize) {
        (self.loads.swap(0, Ordering::Relaxed), self.follows.swap(0, Ordering::Relaxed))
    }
}

/// The same journal, and what is counted of it.
pub(crate) fn counted(inner: &Arc<dyn Journal<SessionEvent>>) -> (Arc<Watched>, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let counting = Arc::clone(&counts);
    let watched = WatchedJournal::new(Arc::clone(inner), move |method, _| {
        let count = match method {
            "load" => &counting.loads,
            "follow" => &counting.follows,
            _ => return,
        };
        count.fetch_add(1, Ordering::Relaxed);
    });
    (Arc::new(watched), counts)
}

/// Blobs that count how often each is read.
pub(super) struct CountedBlobs {
    inner: Arc<dyn BlobReader>,
    reads: Mutex<BTreeMap<(BlobNamespace, Digest), usize>>,
}

impl CountedBlobs {
    pub(super) fn new(inner: &Arc<dyn Blobs>) -> Arc<Self> {
        Arc::new(Self { inner: Arc::<dyn Blobs>::clone(inner), reads: Mutex::default() })
    }

    /// How often each blob was read.
    pub(super) fn reads(&self) -> BTreeMap<(BlobNamespace, Digest), usize> {
        self.reads.lock().expect("nobody panics with it").clone()
    }
}

impl BlobReader for CountedBlobs {
    fn get(
        &self,
        namespace: BlobNamespace,
        digest: Digest,
    ) -> BoxFuture<'_, Result<Option<Vec<u8>>, Error>> {
        let mut reads = self.reads.lock().expect("nobody panics with it");
        *reads.entry((namespace, digest)).or_default() += 1;
        self.inner.get(namespace, digest)
    }

    fn list(
        &self,
        namespace: BlobNamespace,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<BlobEntry>, Error>> {
        self.inner.list(namespace, after, limit)
    }
}
