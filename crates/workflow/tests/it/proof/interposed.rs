//! A journal that lets something happen in the moment before a lease is taken.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton_core::{DedupeKey, EventIndex};
use piton_store::port::{
    Appended, BoxFuture, Cursor, Follow, Journal, JournalReader, Loaded, Pins, Repaired, Salvaged,
    StreamLease, Verified, Writer,
};
use piton_store::record::Record;
use piton_store::{AppendPlan, Error, StreamId};
use piton_workflow::SessionEvent;

/// What happens, once.
type Moment = BoxFuture<'static, ()>;

/// A journal over another one.
pub(super) struct Interposed {
    inner: Arc<dyn Journal<SessionEvent>>,
    before: Mutex<Option<Moment>>,
}

impl Interposed {
    pub(super) fn new(inner: &Arc<dyn Journal<SessionEvent>>, before: Moment) -> Arc<Self> {
        Arc::new(Self { inner: Arc::clone(inner), before: Mutex::new(Some(before)) })
    }

    /// Whether it has happened.
    pub(super) fn has_happened(&self) -> bool {
        self.before.lock().expect("nobody panics with it").is_none()
    }
}

impl JournalReader<SessionEvent> for Interposed {
    fn streams(&self) -> BoxFuture<'_, Result<Vec<StreamId>, Error>> {
        self.inner.streams()
    }

    fn load<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Loaded<SessionEvent>, Error>> {
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
        self.inner.follow(stream, cursor)
    }

    fn lookup<'a>(
        &'a self,
        stream: &'a StreamId,
        key: &'a DedupeKey,
    ) -> BoxFuture<'a, Result<Option<EventIndex>, Error>> {
        self.inner.lookup(stream, key)
    }

    fn pins<'a>(
        &'a self,
        stream: &'a StreamId,
        since: Option<&'a Cursor>,
    ) -> BoxFuture<'a, Result<Pins, Error>> {
        self.inner.pins(stream, since)
    }

    fn records<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Vec<Record>, Error>> {
        self.inner.records(stream)
    }

    fn age<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Duration, Error>> {
        self.inner.age(stream)
    }
}

impl Journal<SessionEvent> for Interposed {
    fn lease<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<StreamLease, Error>> {
        let before = self.before.lock().expect("nobody panics with it").take();
        Box::pin(async move {
            if let Some(before) = before {
                before.await;
            }
            self.inner.lease(stream).await
        })
    }

    fn append<'a>(
        &'a self,
        writer: &Writer<'_>,
        plan: AppendPlan<SessionEvent>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        self.inner.append(writer, plan)
    }

    fn delete(&self, lease: StreamLease) -> BoxFuture<'_, Result<(), Error>> {
        self.inner.delete(lease)
    }

    fn verify<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Verified, Error>> {
        self.inner.verify(stream)
    }

    fn repair<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Repaired, Error>> {
        self.inner.repair(stream)
    }
}
