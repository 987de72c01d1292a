//! Ports that count how often they are asked.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use piton_core::{DedupeKey, Digest, EventIndex};
use piton_store::{
    Error, StreamId,
    port::{
        BlobEntry, BlobReader, Blobs, BoxFuture, Cursor, Follow, Journal, JournalReader, Loaded,
        Namespace, Pins, Salvaged,
    },
    record::Record,
};
use piton_workflow::SessionEvent;

/// A journal that counts loads and follows.
pub(crate) struct CountedJournal {
    inner: Arc<dyn Journal<SessionEvent>>,
    loads: AtomicUsize,
    follows: AtomicUsize,
}

impl CountedJournal {
    pub(crate) fn new(inner: &Arc<dyn Journal<SessionEvent>>) -> Arc<Self> {
        let (loads, follows) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { inner: Arc::clone(inner), loads, follows })
    }

    /// The loads and the follows since the last time.
    pub(crate) fn take(&self) -> (usize, usize) {
        (self.loads.swap(0, Ordering::Relaxed), self.follows.swap(0, Ordering::Relaxed))
    }
}

impl JournalReader<SessionEvent> for CountedJournal {
    fn streams(&self) -> BoxFuture<'_, Result<Vec<StreamId>, Error>> {
        self.inner.streams()
    }

    fn load<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Loaded<SessionEvent>, Error>> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        self.inner.load(stream)
    }

    fn load_validated_prefix<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Salvaged<SessionEvent>, Error>> {
        self.inner.load_validated_prefix(stream)
    }

    fn follow<'a>(
        &'a self,
        stream: &'a StreamId,
        cursor: &'a Cursor,
    ) -> BoxFuture<'a, Result<Follow<SessionEvent>, Error>> {
        self.follows.fetch_add(1, Ordering::Relaxed);
        self.inner.follow(stream, cursor)
    }

    fn lookup<'a>(
        &'a self,
        stream: &'a StreamId,
        key: &'a DedupeKey,
    ) -> BoxFuture<'a, Result<Option<EventIndex>, Error>> {
        self.inner.lookup(stream, key)
    }

    fn records<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Vec<Record>, Error>> {
        self.inner.records(stream)
    }

    fn age<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Duration, Error>> {
        self.inner.age(stream)
    }

    fn pins<'a>(
        &'a self,
        stream: &'a StreamId,
        since: Option<&'a Cursor>,
    ) -> BoxFuture<'a, Result<Pins, Error>> {
        self.inner.pins(stream, since)
    }
}

/// Blobs that count how often each is read.
pub(super) struct CountedBlobs {
    inner: Arc<dyn BlobReader>,
    reads: Mutex<BTreeMap<(Namespace, Digest), usize>>,
}

impl CountedBlobs {
    pub(super) fn new(inner: &Arc<dyn Blobs>) -> Arc<Self> {
        Arc::new(Self { inner: Arc::<dyn Blobs>::clone(inner), reads: Mutex::default() })
    }

    /// How often each blob was read.
    pub(super) fn reads(&self) -> BTreeMap<(Namespace, Digest), usize> {
        self.reads.lock().expect("nobody panics with it").clone()
    }
}

impl BlobReader for CountedBlobs {
    fn get(
        &self,
        namespace: Namespace,
        digest: Digest,
    ) -> BoxFuture<'_, Result<Option<Vec<u8>>, Error>> {
        let mut reads = self.reads.lock().expect("nobody panics with it");
        *reads.entry((namespace, digest)).or_default() += 1;
        self.inner.get(namespace, digest)
    }

    fn list(
        &self,
        namespace: Namespace,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<BlobEntry>, Error>> {
        self.inner.list(namespace, after, limit)
    }
}
