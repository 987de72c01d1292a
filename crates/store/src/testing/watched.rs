//! A journal and a table that report each call before making it.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use piton_core::{DedupeKey, Digest, EventIndex};

use crate::port::{
    Appended, Batch, Cursor, EntryVersion, Follow, Journal, JournalReader, Key, LoadedStream, Page,
    Patience, Pins, SalvagedStream, SetAside, StoreFuture, StreamLease, StreamRepair,
    StreamVerification, Table, TableEntry, TableWrite, TakenOut, Writer,
};
use crate::record::Record;
use crate::{AppendPlan, Event, StreamId};

type JournalHook<'h> = dyn Fn(&'static str, &StreamId) + Send + Sync + 'h;

/// A journal, borrowed or shared, with a hook that watches it.
pub struct WatchedJournal<'h, J> {
    inner: J,
    hook: Box<JournalHook<'h>>,
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
    fn streams(&self) -> StoreFuture<'_, Vec<StreamId>> {
        self.inner.streams()
    }

    fn load<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, LoadedStream<E>> {
        self.watched("load", stream).load(stream)
    }

    fn load_validated_prefix<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> StoreFuture<'a, SalvagedStream<E>> {
        self.watched("load_validated_prefix", stream).load_validated_prefix(stream)
    }

    fn follow<'a>(
        &'a self,
        stream: &'a StreamId,
        cursor: &'a Cursor,
    ) -> StoreFuture<'a, Follow<E>> {
        self.watched("follow", stream).follow(stream, cursor)
    }

    fn lookup<'a>(
        &'a self,
        stream: &'a StreamId,
        key: &'a DedupeKey,
    ) -> StoreFuture<'a, Option<EventIndex>> {
        self.watched("lookup", stream).lookup(stream, key)
    }

    fn pins<'a>(
        &'a self,
        stream: &'a StreamId,
        since: Option<&'a Cursor>,
    ) -> StoreFuture<'a, Pins> {
        self.watched("pins", stream).pins(stream, since)
    }

    fn records<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, Vec<Record>> {
        self.watched("records", stream).records(stream)
    }

    fn age<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, Duration> {
        self.watched("age", stream).age(stream)
    }

    fn set_aside<'a>(&'a self, stream: Option<&'a StreamId>) -> StoreFuture<'a, Vec<SetAside>> {
        self.inner.set_aside(stream)
    }

    fn digests_set_aside(&self) -> StoreFuture<'_, Vec<Digest>> {
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
    ) -> StoreFuture<'a, StreamLease> {
        self.watched("lease", stream).lease_with(stream, patience)
    }

    fn append<'a>(&'a self, writer: &Writer<'_>, plan: AppendPlan<E>) -> StoreFuture<'a, Appended> {
        self.watched("append", writer.lease().stream()).append(writer, plan)
    }

    fn delete(&self, lease: StreamLease) -> StoreFuture<'_, ()> {
        self.watched("delete", lease.stream()).delete(lease)
    }

    fn verify<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, StreamVerification> {
        self.watched("verify", stream).verify(stream)
    }

    fn repair<'a>(&'a self, stream: &'a StreamId) -> StoreFuture<'a, StreamRepair> {
        self.watched("repair", stream).repair(stream)
    }
}

/// A call to a table.
#[derive(Debug, Clone, Copy)]
pub enum TableCall<'a> {
    Get(&'a [u8]),
    GetAll(&'a [Key]),
    /// A page of the keys with a prefix.
    Scan(&'a [u8]),
    Commit(&'a [TableWrite]),
    TakenOut,
    /// A snapshot of the table. Calls to the snapshot itself are not reported.
    Snapshot,
}

impl TableCall<'_> {
    /// Returns the keys that the call reads, or their prefix.
    pub fn keys_read(&self) -> Vec<&[u8]> {
        match self {
            Self::Get(key) | Self::Scan(key) => vec![key],
            Self::GetAll(keys) => keys.iter().map(|key| &**key).collect(),
            Self::Commit(_) | Self::TakenOut | Self::Snapshot => Vec::new(),
        }
    }
}

type TableHook = dyn Fn(TableCall<'_>) + Send + Sync;

/// A table with a hook that watches it. Clones share both.
#[derive(Clone)]
pub struct WatchedTable {
    inner: Arc<dyn Table>,
    hook: Arc<TableHook>,
}

impl WatchedTable {
    /// Wraps a table; `hook` gets each call before it is made.
    pub fn new(
        inner: Arc<dyn Table>,
        hook: impl Fn(TableCall<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self { inner, hook: Arc::new(hook) }
    }

    fn watched(&self, call: TableCall<'_>) -> &dyn Table {
        (self.hook)(call);
        &*self.inner
    }
}

impl Table for WatchedTable {
    fn get<'a>(&'a self, key: &'a [u8]) -> StoreFuture<'a, Option<TableEntry>> {
        self.watched(TableCall::Get(key)).get(key)
    }

    fn get_all(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<TableEntry>>> {
        self.watched(TableCall::GetAll(&keys)).get_all(keys)
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> StoreFuture<'a, Page> {
        self.watched(TableCall::Scan(prefix)).scan(prefix, after, limit)
    }

    fn commit(&self, batch: Batch) -> StoreFuture<'_, EntryVersion> {
        self.watched(TableCall::Commit(&batch)).commit(batch)
    }

    fn snapshot(&self) -> StoreFuture<'_, Arc<dyn Table>> {
        self.watched(TableCall::Snapshot).snapshot()
    }

    fn taken_out<'a>(&'a self, visit: &'a mut (dyn FnMut(TakenOut) + Send)) -> StoreFuture<'a, ()> {
        self.watched(TableCall::TakenOut).taken_out(visit)
    }
}
