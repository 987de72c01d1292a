//! A journal in memory: the promise of the port with nothing behind it.
//!
//! Limitations: nothing is damaged here, so `verify` and `repair` always find a healthy stream. A lease is released
//! when it is dropped; a process that dies takes the journal with it.

use std::{
    any::Any,
    collections::{BTreeMap, HashMap, HashSet},
    future::ready,
    marker::PhantomData,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use piton_core::{DedupeKey, Digest, EventIndex, ManifestIndex, SnapshotRef};

use super::{MemoryBlobs, MemoryLeases};
use crate::{
    AppendPlan, Error, Event, Health, LeaseName, StreamId,
    plan::{EncodedPlan, PlanStatus},
    port::{
        Appended, BlobNamespace, BoxFuture, Cursor, Follow, Journal, JournalReader, Lease,
        LeaseHold, Leases, LoadedStream, Mode, Patience, Pins, SalvagedStream, SetAside,
        StreamLease, StreamRepair, StreamVerification, Writer,
    },
    record::{self, Record},
};

/// A journal in memory. Clones share it, as processes share a data directory.
pub struct MemoryJournal<E> {
    shared: Arc<SharedState>,
    types: PhantomData<fn() -> E>,
}

struct SharedState {
    blobs: MemoryBlobs,
    writers: MemoryLeases,
    state: Mutex<JournalState>,
}

#[derive(Default)]
struct JournalState {
    streams: BTreeMap<StreamId, Stream>,
    incarnations: u128,
}

#[derive(Default)]
struct Stream {
    incarnation: u128,
    plans: u64,
    lines: Vec<Box<[u8]>>,
    keys: HashMap<DedupeKey, EventIndex>,
    records: Vec<Record>,
    written: Duration,
}

impl Stream {
    fn next_event(&self) -> EventIndex {
        index(self.lines.len() as u64)
    }

    fn next_manifest(&self) -> ManifestIndex {
        ManifestIndex::new(self.records.len() as u64).expect("fewer than 2^53 records")
    }

    fn cursor(&self) -> Cursor {
        Cursor {
            incarnation: self.incarnation,
            position: self.records.len() as u64,
            seen: self.records.len() as u64,
            next_manifest: self.next_manifest(),
            next_event: self.next_event(),
        }
    }

    fn events<E: Event>(&self, from: EventIndex) -> Vec<E> {
        let from = usize::try_from(from.get()).unwrap_or(usize::MAX).min(self.lines.len());
        self.lines[from..]
            .iter()
            .map(|line| serde_json::from_slice(line).expect("an event reads what it wrote"))
            .collect()
    }
}

fn pinned(record: &Record) -> Option<SnapshotRef> {
    match record {
        Record::SegmentClosed(_) => None,
        Record::SnapshotPinned(pin) => Some(pin.snapshot_ref),
    }
}

fn index(value: u64) -> EventIndex {
    EventIndex::new(value).expect("fewer than 2^53 events")
}

/// Keeps a stream leased.
struct MemoryHold {
    shared: Arc<SharedState>,
    stream: StreamId,
    _lease: Lease,
}

impl LeaseHold for MemoryHold {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn cursor(&self) -> Cursor {
        let state = self.shared.state();
        state.streams.get(&self.stream).map_or_else(|| Stream::default().cursor(), Stream::cursor)
    }
}

impl SharedState {
    fn state(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append(&self, stream: &StreamId, plan: EncodedPlan) -> Result<Appended, Error> {
        for snapshot in plan.snapshots_elsewhere() {
            let (namespace, digest) = (BlobNamespace::Snapshots, snapshot.digest());
            if !self.blobs.refresh(namespace, digest) {
                return Err(Error::BlobMissing { namespace, digest });
            }
        }
        // One lock over the check and the change makes the append atomic.
        let mut state = self.state();
        let incarnation = state.incarnations + 1;
        let known = state.streams.get(stream);
        let next = known.map_or(EventIndex::ZERO, Stream::next_event);
        let find = |key: &DedupeKey| known.and_then(|known| known.keys.get(key).copied());
        if let PlanStatus::Present(indices) = plan.status(stream, next, find)? {
            return Ok(Appended::AlreadyPresent { indices });
        }
        state.incarnations = incarnation;
        let entry = state.streams.entry(stream.clone());
        let known = entry.or_insert_with(|| Stream { incarnation, ..Stream::default() });
        for blob in &plan.blobs {
            self.blobs.insert(blob.namespace(), blob.digest(), blob.bytes().to_vec());
        }
        let (first, last) = (plan.first, plan.last());
        known.records.extend(record::of_plan(stream, &plan, known.next_manifest()));
        known.written = self.blobs.now();
        let lines = plan.lines.split_inclusive(|&byte| byte == b'\n');
        known.lines.extend(lines.map(Box::from));
        for fact in plan.facts {
            known.keys.insert(fact.key, fact.index);
        }
        known.plans += 1;
        Ok(Appended::Committed { first, last })
    }
}

impl<E> Clone for MemoryJournal<E> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), types: PhantomData }
    }
}

impl<E: Event> MemoryJournal<E> {
    /// Creates an empty journal that stores the blobs of its plans in `blobs`.
    pub fn new(blobs: MemoryBlobs) -> Self {
        let writers = MemoryLeases::new(blobs.clock());
        let shared = SharedState { blobs, writers, state: Mutex::default() };
        Self { shared: Arc::new(shared), types: PhantomData }
    }

    fn read<'a, R: Send + 'a>(
        &self,
        stream: &StreamId,
        work: impl FnOnce(&Stream) -> R,
    ) -> BoxFuture<'a, Result<R, Error>> {
        let state = self.shared.state();
        let found = state.streams.get(stream).map(work);
        Box::pin(ready(found.ok_or_else(|| Error::NotFound { stream: stream.clone() })))
    }

    /// Returns the stream of a lease that this journal granted.
    fn own<'l>(&self, lease: &'l StreamLease) -> Result<&'l StreamId, Error> {
        let hold = lease.hold.as_any().downcast_ref::<MemoryHold>();
        if hold.is_some_and(|hold| Arc::ptr_eq(&hold.shared, &self.shared)) {
            return Ok(lease.stream());
        }
        Err(Error::ForeignLease { stream: lease.stream().clone() })
    }

    fn try_append(&self, writer: &Writer<'_>, plan: AppendPlan<E>) -> Result<Appended, Error> {
        let stream = self.own(writer.lease())?;
        self.shared.append(stream, plan.encode(stream)?)
    }
}

impl<E: Event> JournalReader<E> for MemoryJournal<E> {
    fn streams(&self) -> BoxFuture<'_, Result<Vec<StreamId>, Error>> {
        let streams = self.shared.state().streams.keys().cloned().collect();
        Box::pin(ready(Ok(streams)))
    }

    fn load<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<LoadedStream<E>, Error>> {
        self.read(stream, |stream| LoadedStream {
            events: stream.events(EventIndex::ZERO),
            cursor: stream.cursor(),
            torn_tail: None,
        })
    }

    fn load_validated_prefix<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<SalvagedStream<E>, Error>> {
        self.read(stream, |stream| SalvagedStream {
            events: stream.events(EventIndex::ZERO),
            health: Health::Healthy,
            torn_tail: None,
        })
    }

    fn follow<'a>(
        &'a self,
        stream: &'a StreamId,
        cursor: &'a Cursor,
    ) -> BoxFuture<'a, Result<Follow<E>, Error>> {
        let state = self.shared.state();
        let follow = match state.streams.get(stream) {
            Some(known) if known.incarnation == cursor.incarnation => {
                if known.next_event() == cursor.next_event {
                    Follow::Unchanged
                } else {
                    let events = known.events(cursor.next_event);
                    Follow::Appended { events, cursor: known.cursor() }
                }
            }
            _ => Follow::Replaced,
        };
        Box::pin(ready(Ok(follow)))
    }

    fn lookup<'a>(
        &'a self,
        stream: &'a StreamId,
        key: &'a DedupeKey,
    ) -> BoxFuture<'a, Result<Option<EventIndex>, Error>> {
        let state = self.shared.state();
        let found = state.streams.get(stream).and_then(|stream| stream.keys.get(key).copied());
        Box::pin(ready(Ok(found)))
    }

    fn pins<'a>(
        &'a self,
        stream: &'a StreamId,
        since: Option<&'a Cursor>,
    ) -> BoxFuture<'a, Result<Pins, Error>> {
        self.read(stream, |stream| {
            let same = since.filter(|cursor| cursor.incarnation == stream.incarnation);
            let from = same.map_or(0, |cursor| usize::try_from(cursor.position).unwrap_or(0));
            let mut seen = HashSet::new();
            let records = &stream.records[from.min(stream.records.len())..];
            let snapshots = records.iter().filter_map(pinned);
            let snapshots = snapshots.filter(|snapshot| seen.insert(*snapshot)).collect();
            Pins { snapshots, cursor: stream.cursor() }
        })
    }

    fn records<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Vec<Record>, Error>> {
        self.read(stream, |stream| stream.records.clone())
    }

    fn age<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Duration, Error>> {
        let now = self.shared.blobs.now();
        self.read(stream, |stream| now.saturating_sub(stream.written))
    }

    fn set_aside<'a>(
        &'a self,
        _: Option<&'a StreamId>,
    ) -> BoxFuture<'a, Result<Vec<SetAside>, Error>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    fn digests_set_aside(&self) -> BoxFuture<'_, Result<Vec<Digest>, Error>> {
        Box::pin(ready(Ok(Vec::new())))
    }
}

impl<E: Event> Journal<E> for MemoryJournal<E> {
    fn lease_with<'a>(
        &'a self,
        stream: &'a StreamId,
        patience: Patience,
    ) -> BoxFuture<'a, Result<StreamLease, Error>> {
        Box::pin(async move {
            let name = LeaseName::from(stream);
            let lease = self.shared.writers.acquire(&name, Mode::Exclusive, patience).await;
            let lease = lease.map_err(|error| match (error, patience) {
                (Error::Busy { .. }, Patience::FailFast) => {
                    Error::Locked { stream: stream.clone() }
                }
                (Error::Busy { waited_ms, .. }, _) => {
                    Error::Busy { what: stream.phrase(), waited_ms }
                }
                (error, _) => error,
            })?;
            let epoch = self.shared.state().streams.get(stream).map_or(0, |stream| stream.plans);
            let (shared, name) = (Arc::clone(&self.shared), stream.clone());
            let hold = Arc::new(MemoryHold { shared, stream: name, _lease: lease });
            Ok(StreamLease { stream: stream.clone(), epoch, torn_tail: None, hold })
        })
    }

    fn append<'a>(
        &'a self,
        writer: &Writer<'_>,
        plan: AppendPlan<E>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        Box::pin(ready(self.try_append(writer, plan)))
    }

    fn delete(&self, lease: StreamLease) -> BoxFuture<'_, Result<(), Error>> {
        let deleted = self.own(&lease).map(|stream| {
            self.shared.state().streams.remove(stream);
        });
        Box::pin(ready(deleted))
    }

    fn verify<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<StreamVerification, Error>> {
        self.read(stream, |stream| StreamVerification {
            health: Health::Healthy,
            events: stream.next_event().get(),
            repairable: stream.next_event().get(),
            torn_tail: None,
            unfinished: 0,
            mark_lifted: false,
        })
    }

    fn repair<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<StreamRepair, Error>> {
        self.read(stream, |stream| StreamRepair {
            was: Health::Healthy,
            next_event: stream.next_event(),
            rewritten: 0,
            lost: 0,
            backup: None,
        })
    }
}
