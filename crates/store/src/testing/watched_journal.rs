//! A journal that reports each call before making it.

use std::{ops::Deref, time::Duration};

use piton_core::{DedupeKey, Digest, EventIndex};

use crate::{
    AppendPlan, Error, Event, StreamId,
    port::{
        Appended, BoxFuture, Cursor, Follow, Journal, JournalReader, LoadedStream, Patience, Pins,
        SalvagedStream, SetAside, StreamLease, StreamRepair, StreamVerification, Writer,
    },
    record::Record,
};

type Hook<'h> = dyn Fn(&'static str, &StreamId) + Send + Sync + 'h;

/// A journal, borrowed or shared, with a hook that watches it.
pub struct WatchedJournal<'h, J> {
    inner: J,
    hook: Box<Hook<'h>>,
}

impl<'h, J> WatchedJournal<'h, J> {
    /// Wraps a journal; `hook` gets the method and the stream of each call before it is made.
    pub fn new(inner: J, hook: impl Fn(&'static str, &StreamId) + Send + Sync + 'h) -> Self {
        Self { inner, hook: Box::new(hook) }
    }

    fn watched(&self, method: &'static str, stream: &StreamId) -> &J {
        (self.hook)(method, stream);
        &self.inner
    }
}

impl<E, J> JournalReader<E> for WatchedJournal<'_, J>
where
    E: Event,
    J: Deref<Target: Journal<E>> + Send + Sync,
{
    fn streams(&self) -> BoxFuture<'_, Result<Vec<StreamId>, Error>> {
        self.inner.streams()
    }

    fn load<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<LoadedStream<E>, Error>> {
        self.watched("load", stream).load(stream)
    }

    fn load_validated_prefix<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<SalvagedStream<E>, Error>> {
        self.watched("load_validated_prefix", stream).load_validated_prefix(stream)
    }

    fn follow<'a>(
        &'a self,
        stream: &'a StreamId,
        cursor: &'a Cursor,
    ) -> BoxFuture<'a, Result<Follow<E>, Error>> {
        self.watched("follow", stream).follow(stream, cursor)
    }

    fn lookup<'a>(
        &'a self,
        stream: &'a StreamId,
        key: &'a DedupeKey,
    ) -> BoxFuture<'a, Result<Option<EventIndex>, Error>> {
        self.watched("lookup", stream).lookup(stream, key)
    }

    fn pins<'a>(
        &'a self,
        stream: &'a StreamId,
        since: Option<&'a Cursor>,
    ) -> BoxFuture<'a, Result<Pins, Error>> {
        self.watched("pins", stream).pins(stream, since)
    }

    fn records<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Vec<Record>, Error>> {
        self.watched("records", stream).records(stream)
    }

    fn age<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Duration, Error>> {
        self.watched("age", stream).age(stream)
    }

    fn set_aside<'a>(
        &'a self,
        stream: Option<&'a StreamId>,
    ) -> BoxFuture<'a, Result<Vec<SetAside>, Error>> {
        self.inner.set_aside(stream)
    }

    fn digests_set_aside(&self) -> BoxFuture<'_, Result<Vec<Digest>, Error>> {
        self.inner.digests_set_aside()
    }
}

impl<E, J> Journal<E> for WatchedJournal<'_, J>
where
    E: Event,
    J: Deref<Target: Journal<E>> + Send + Sync,
{
    fn lease_with<'a>(
        &'a self,
        stream: &'a StreamId,
        patience: Patience,
    ) -> BoxFuture<'a, Result<StreamLease, Error>> {
        self.watched("lease", stream).lease_with(stream, patience)
    }

    fn append<'a>(
        &'a self,
        writer: &Writer<'_>,
        plan: AppendPlan<E>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        self.watched("append", writer.lease().stream()).append(writer, plan)
    }

    fn delete(&self, lease: StreamLease) -> BoxFuture<'_, Result<(), Error>> {
        self.watched("delete", lease.stream()).delete(lease)
    }

    fn verify<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<StreamVerification, Error>> {
        self.watched("verify", stream).verify(stream)
    }

    fn repair<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<StreamRepair, Error>> {
        self.watched("repair", stream).repair(stream)
    }
}
