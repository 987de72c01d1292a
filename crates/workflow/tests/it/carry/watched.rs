//! A journal that tells what it is asked, before it does it.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use piton_core::{DedupeKey, EventIndex};
use piton_store::port::{
    Appended, BoxFuture, Cursor, Follow, Journal, JournalReader, Loaded, Pins, Repaired, Salvaged,
    StreamLease, Verified, Writer,
};
use piton_store::record::Record;
use piton_store::{AppendPlan, Error, StreamId};
use piton_workflow::SessionEvent;

/// Is called with the name of the method and the stream.
pub(crate) type Hook<'h> = dyn Fn(&'static str, &StreamId) + Send + Sync + 'h;

/// A journal with somebody who watches it: one that is borrowed, or shared.
pub(crate) struct Watched<'h, J = &'h dyn Journal<SessionEvent>> {
    pub(crate) inner: J,
    pub(crate) hook: Box<Hook<'h>>,
}

/// A shared journal with somebody who watches it.
pub(crate) type WatchedArc = Watched<'static, Arc<dyn Journal<SessionEvent>>>;

impl<J: Deref<Target: Journal<SessionEvent>>> Watched<'_, J> {
    fn tell(&self, method: &'static str, stream: &StreamId) -> &J::Target {
        (self.hook)(method, stream);
        &self.inner
    }
}

impl<J> JournalReader<SessionEvent> for Watched<'_, J>
where
    J: Deref<Target: Journal<SessionEvent>> + Send + Sync,
{
    fn streams(&self) -> BoxFuture<'_, Result<Vec<StreamId>, Error>> {
        self.inner.streams()
    }

    fn load<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Loaded<SessionEvent>, Error>> {
        self.tell("load", stream).load(stream)
    }

    fn load_validated_prefix<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Salvaged<SessionEvent>, Error>> {
        self.tell("load_validated_prefix", stream).load_validated_prefix(stream)
    }

    fn follow<'a>(
        &'a self,
        stream: &'a StreamId,
        cursor: &'a Cursor,
    ) -> BoxFuture<'a, Result<Follow<SessionEvent>, Error>> {
        self.tell("follow", stream).follow(stream, cursor)
    }

    fn lookup<'a>(
        &'a self,
        stream: &'a StreamId,
        key: &'a DedupeKey,
    ) -> BoxFuture<'a, Result<Option<EventIndex>, Error>> {
        self.tell("lookup", stream).lookup(stream, key)
    }

    fn pins<'a>(
        &'a self,
        stream: &'a StreamId,
        since: Option<&'a Cursor>,
    ) -> BoxFuture<'a, Result<Pins, Error>> {
        self.tell("pins", stream).pins(stream, since)
    }

    fn records<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Vec<Record>, Error>> {
        self.tell("records", stream).records(stream)
    }

    fn age<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Duration, Error>> {
        self.tell("age", stream).age(stream)
    }
}

impl<J> Journal<SessionEvent> for Watched<'_, J>
where
    J: Deref<Target: Journal<SessionEvent>> + Send + Sync,
{
    fn lease<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<StreamLease, Error>> {
        self.tell("lease", stream).lease(stream)
    }

    fn append<'a>(
        &'a self,
        writer: &Writer<'_>,
        plan: AppendPlan<SessionEvent>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        self.tell("append", writer.lease().stream()).append(writer, plan)
    }

    fn delete(&self, lease: StreamLease) -> BoxFuture<'_, Result<(), Error>> {
        self.tell("delete", lease.stream()).delete(lease)
    }

    fn verify<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Verified, Error>> {
        self.tell("verify", stream).verify(stream)
    }

    fn repair<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Repaired, Error>> {
        self.tell("repair", stream).repair(stream)
    }
}
