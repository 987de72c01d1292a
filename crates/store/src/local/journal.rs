//! The journal on this machine's disk, for any layout.
//!
//! Must be used within a Tokio runtime: files are read and written on its blocking threads.

use std::{
    collections::BTreeSet,
    marker::PhantomData,
    sync::{Arc, Mutex},
    time::Duration,
};

use piton_core::{DedupeKey, Digest, EventIndex, port::Trace};

use super::{
    DataDir, LocalBlobs, LocalLeases, aside,
    disk::FileLock,
    layout::Layout,
    log::LogLayout,
    maintenance,
    pipeline::{Pipeline, PipelineHold},
    reading,
    segmented::Segmented,
    stream_dir::{JournalRoot, StreamDir},
    tail::{self, SharedTail, StreamHead, Tails},
};
use crate::{
    AppendPlan, Error, Event, StreamId, TornTail,
    port::{
        Appended, BoxFuture, Cursor, Follow, Journal, JournalReader, LoadedStream, Pins,
        SalvagedStream, SetAside, StreamLease, StreamRepair, StreamVerification, Writer,
    },
    record::Record,
};

/// Sessions: a segment for each plan, and a manifest.
pub type SegmentedJournal<E> = LocalJournal<E, Segmented>;

/// Backpacks: one file of records, with group commit.
pub type LogJournal<E> = LocalJournal<E, LogLayout>;

/// A journal under a data directory.
pub struct LocalJournal<E, L> {
    ground: Arc<JournalRoot>,
    tails: Arc<Tails>,
    types: PhantomData<fn() -> (E, L)>,
}

impl<E, L> Clone for LocalJournal<E, L> {
    fn clone(&self) -> Self {
        let (ground, tails) = (Arc::clone(&self.ground), Arc::clone(&self.tails));
        Self { ground, tails, types: PhantomData }
    }
}

impl<E: Event> SegmentedJournal<E> {
    /// The journal of sessions.
    pub fn sessions(
        dir: DataDir,
        blobs: LocalBlobs,
        leases: LocalLeases,
        trace: Arc<dyn Trace>,
    ) -> Self {
        let streams = dir.sessions();
        Self::new(JournalRoot { dir, streams, blobs, leases, trace, failed: Mutex::default() })
    }
}

impl<E: Event> LogJournal<E> {
    /// The journal of backpacks.
    pub fn backpacks(
        dir: DataDir,
        blobs: LocalBlobs,
        leases: LocalLeases,
        trace: Arc<dyn Trace>,
    ) -> Self {
        let streams = dir.backpacks();
        Self::new(JournalRoot { dir, streams, blobs, leases, trace, failed: Mutex::default() })
    }
}

#[expect(private_bounds, reason = "sealed: the two layouts of this crate are all there are")]
impl<E: Event, L: Layout> LocalJournal<E, L> {
    fn new(ground: JournalRoot) -> Self {
        Self { ground: Arc::new(ground), tails: Arc::default(), types: PhantomData }
    }

    fn stream_dir(&self, stream: &StreamId) -> StreamDir {
        StreamDir::new(&self.ground, stream, L::CONTROL)
    }

    fn streams_blocking(&self) -> Result<Vec<StreamId>, Error> {
        let mut streams = Vec::new();
        for stream in self.places()? {
            // A stream that was leased and never written to does not exist yet; one that lost its control file does.
            match reading::age::<L>(&self.stream_dir(&stream)) {
                Err(Error::NotFound { .. }) => {}
                Ok(_) | Err(Error::NotHealthy { .. }) => streams.push(stream),
                Err(error) => return Err(error),
            }
        }
        streams.sort_unstable();
        Ok(streams)
    }

    /// Every directory that may hold a stream, or what is left of one.
    fn places(&self) -> Result<Vec<StreamId>, Error> {
        let names = self.ground.dir.disk().list(&self.ground.streams);
        let names = names.map_err(Error::io("list the streams"))?;
        Ok(names.into_iter().filter_map(|name| name.parse().ok()).collect())
    }

    fn set_aside_blocking(&self, stream: Option<&StreamId>) -> Result<Vec<SetAside>, Error> {
        let mut places = stream.map_or_else(|| self.places(), |stream| Ok(vec![stream.clone()]))?;
        places.sort_unstable();
        let mut kept = Vec::new();
        for stream in places {
            kept.extend(aside::list(&self.stream_dir(&stream))?);
        }
        Ok(kept)
    }

    fn digests_set_aside_blocking(&self) -> Result<Vec<Digest>, Error> {
        let mut found = BTreeSet::new();
        for stream in self.places()? {
            aside::digests(&self.stream_dir(&stream), &mut found)?;
        }
        Ok(found.into_iter().collect())
    }

    /// Takes the lock of a stream that may be written to.
    fn lock(&self, site: &StreamDir, make: bool) -> Result<Box<dyn FileLock>, Error> {
        let Some(lock) = site.lock(make)? else {
            return Err(Error::Locked { stream: site.stream.clone() });
        };
        let mark = site.disk().stat(&site.poison_mark()).map_err(Error::io("look at a stream"))?;
        if mark.is_some() || self.ground.poisoned().contains(&site.stream) {
            return Err(Error::Poisoned { stream: site.stream.clone() });
        }
        Ok(lock)
    }

    fn lease_blocking(&self, site: StreamDir) -> Result<StreamLease, Error> {
        let lock = self.lock(&site, true)?;
        let shared = self.tails.get(&site.stream);
        let mut tail = tail::lock(&shared);
        let ending = reading::catch_up::<E, L>(&site, &mut tail)?;
        let epoch = tail.head.next_manifest.get();
        drop(tail);
        let torn_tail = ending.into_sound(&site.stream)?;
        Ok(self.leased(site, shared, torn_tail, lock, epoch))
    }

    /// A lease that takes a few metadata lookups and no reading: that is cheaper than a change of threads. Nothing if
    /// it takes more.
    fn lease_warm(&self, site: &StreamDir) -> Option<Result<StreamLease, Error>> {
        let shared = self.tails.find(&site.stream)?;
        let lock = match self.lock(site, false) {
            Ok(lock) => lock,
            // Its directory is gone, and may be made anew.
            Err(Error::NotFound { .. }) => return None,
            Err(error) => return Some(Err(error)),
        };
        let head = tail::try_lock(&shared)?.head;
        let is_current = head.position > 0 && head.is_current(site.control_stat().ok()?.as_ref());
        let epoch = head.next_manifest.get();
        is_current.then(|| Ok(self.leased(site.clone(), shared, None, lock, epoch)))
    }

    fn leased(
        &self,
        site: StreamDir,
        tail: SharedTail,
        torn_tail: Option<TornTail>,
        lock: Box<dyn FileLock>,
        epoch: u64,
    ) -> StreamLease {
        let stream = site.stream.clone();
        let commit = (L::commit as _, L::committed as _, L::PLANS_PER_COMMIT);
        let tails = Arc::clone(&self.tails);
        let pipeline = Pipeline::new(site, tails, tail, torn_tail, lock, commit);
        let hold = Arc::new(PipelineHold(Arc::new(pipeline)));
        StreamLease { stream, epoch, torn_tail, hold }
    }

    /// What `lookup` can answer without reading a file: one metadata lookup.
    fn lookup_warm(&self, site: &StreamDir, key: &DedupeKey) -> CachedFact {
        let Some(shared) = self.tails.find(&site.stream) else { return CachedFact::Unknown };
        let Some(tail) = tail::try_lock(&shared) else { return CachedFact::Unknown };
        match site.control_stat() {
            Ok(stat) if tail.head.is_current(stat.as_ref()) => {}
            _ => return CachedFact::Unknown,
        }
        let StreamHead { newest_first, synced, position, .. } = tail.head;
        match tail.keys.get(key) {
            None => CachedFact::Answer(None),
            Some(&index) if index < newest_first || synced >= position => {
                CachedFact::Answer(Some(index))
            }
            Some(_) => CachedFact::Unknown,
        }
    }

    fn lookup_blocking(
        &self,
        site: &StreamDir,
        key: &DedupeKey,
    ) -> Result<Option<EventIndex>, Error> {
        let shared = self.tails.get(&site.stream);
        let mut tail = tail::lock(&shared);
        // What is wrong behind the valid part does not matter to what is found in it.
        reading::catch_up::<E, L>(site, &mut tail)?;
        let Some(&index) = tail.keys.get(key) else { return Ok(None) };
        if index >= tail.head.newest_first && tail.head.synced < tail.head.position {
            site.confirm_newest_unlocked(tail.head)?;
            tail.head.synced = tail.head.position;
        }
        Ok(Some(index))
    }

    fn follow_blocking(site: &StreamDir, cursor: &Cursor) -> Result<Follow<E>, Error> {
        let head = StreamHead::from_cursor(cursor);
        let stat = site.control_stat()?;
        if head.is_replaced(stat.as_ref()) {
            return Ok(Follow::Replaced);
        }
        if head.is_current(stat.as_ref()) {
            return Ok(Follow::Unchanged);
        }
        let reading = reading::resolve_tail::<E, L>(site, head)?;
        reading.ending.into_sound(&site.stream)?;
        if reading.events.is_empty() {
            return Ok(Follow::Unchanged);
        }
        Ok(Follow::Appended { events: reading.events, cursor: reading.tail.head.cursor() })
    }

    /// Runs `work` on a blocking thread, with this journal and a stream's place.
    fn run<'a, R: Send + 'static>(
        &self,
        stream: &StreamId,
        work: impl FnOnce(&Self, StreamDir) -> Result<R, Error> + Send + 'static,
    ) -> BoxFuture<'a, Result<R, Error>> {
        let (own, site) = (self.clone(), self.stream_dir(stream));
        Box::pin(super::blocking(move || work(&own, site)))
    }

    fn enqueue(&self, writer: &Writer<'_>, plan: AppendPlan<E>) -> Result<Answer, Error> {
        let lease = writer.lease();
        let foreign = || Error::ForeignLease { stream: lease.stream.clone() };
        let hold = lease.hold.as_any().downcast_ref::<PipelineHold>().ok_or_else(foreign)?;
        if !Arc::ptr_eq(&hold.0.site.ground, &self.ground) {
            return Err(foreign());
        }
        let (answer, start) = hold.0.enqueue(plan.encode(&lease.stream)?)?;
        if start {
            let pipeline = Arc::clone(&hold.0);
            super::detach(move || pipeline.drain());
        }
        Ok(answer)
    }
}

/// What is known of a key without reading a file.
enum CachedFact {
    Answer(Option<EventIndex>),
    Unknown,
}

type Answer = tokio::sync::oneshot::Receiver<Result<Appended, Error>>;

impl<E: Event, L: Layout> JournalReader<E> for LocalJournal<E, L> {
    fn streams(&self) -> BoxFuture<'_, Result<Vec<StreamId>, Error>> {
        let own = self.clone();
        Box::pin(super::blocking(move || own.streams_blocking()))
    }

    fn load<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<LoadedStream<E>, Error>> {
        self.run(stream, |own, site| {
            let reading = reading::resolve_tail::<E, L>(&site, StreamHead::default())?;
            let torn_tail = reading.ending.into_sound(&site.stream)?;
            if reading.events.is_empty() && torn_tail.is_none() {
                return Err(Error::NotFound { stream: site.stream });
            }
            let cursor = reading.tail.head.cursor();
            reading::remember(&own.tails, &site.stream, reading.tail);
            Ok(LoadedStream { events: reading.events, cursor, torn_tail })
        })
    }

    fn load_validated_prefix<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<SalvagedStream<E>, Error>> {
        self.run(stream, |_, site| reading::salvage::<E, L>(&site))
    }

    fn follow<'a>(
        &'a self,
        stream: &'a StreamId,
        cursor: &'a Cursor,
    ) -> BoxFuture<'a, Result<Follow<E>, Error>> {
        let cursor = *cursor;
        let site = self.stream_dir(stream);
        // One metadata lookup is cheaper than a change of threads.
        if let Ok(stat) = site.control_stat()
            && StreamHead::from_cursor(&cursor).is_current(stat.as_ref())
        {
            return Box::pin(std::future::ready(Ok(Follow::Unchanged)));
        }
        self.run(stream, move |_, site| Self::follow_blocking(&site, &cursor))
    }

    fn lookup<'a>(
        &'a self,
        stream: &'a StreamId,
        key: &'a DedupeKey,
    ) -> BoxFuture<'a, Result<Option<EventIndex>, Error>> {
        if let CachedFact::Answer(found) = self.lookup_warm(&self.stream_dir(stream), key) {
            return Box::pin(std::future::ready(Ok(found)));
        }
        let key = key.clone();
        self.run(stream, move |own, site| own.lookup_blocking(&site, &key))
    }

    fn pins<'a>(
        &'a self,
        stream: &'a StreamId,
        since: Option<&'a Cursor>,
    ) -> BoxFuture<'a, Result<Pins, Error>> {
        let since = since.copied();
        if let Some(cursor) = since
            && reading::has_no_new_pins(&self.stream_dir(stream), &cursor)
        {
            return Box::pin(std::future::ready(Ok(Pins { snapshots: Vec::new(), cursor })));
        }
        self.run(stream, move |_, site| reading::pins::<E, L>(&site, since.as_ref()))
    }

    fn records<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Vec<Record>, Error>> {
        self.run(stream, |_, site| reading::records::<E, L>(&site))
    }

    fn age<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Duration, Error>> {
        Box::pin(std::future::ready(reading::age::<L>(&self.stream_dir(stream))))
    }

    fn set_aside<'a>(
        &'a self,
        stream: Option<&'a StreamId>,
    ) -> BoxFuture<'a, Result<Vec<SetAside>, Error>> {
        let (own, stream) = (self.clone(), stream.cloned());
        Box::pin(super::blocking(move || own.set_aside_blocking(stream.as_ref())))
    }

    fn digests_set_aside(&self) -> BoxFuture<'_, Result<Vec<Digest>, Error>> {
        let own = self.clone();
        Box::pin(super::blocking(move || own.digests_set_aside_blocking()))
    }
}

impl<E: Event, L: Layout> Journal<E> for LocalJournal<E, L> {
    fn lease<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<StreamLease, Error>> {
        Box::pin(async move {
            match self.lease_warm(&self.stream_dir(stream)) {
                Some(lease) => lease,
                None => self.run(stream, Self::lease_blocking).await,
            }
        })
    }

    fn append<'a>(
        &'a self,
        writer: &Writer<'_>,
        plan: AppendPlan<E>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        let queued = self.enqueue(writer, plan);
        Box::pin(async move { queued?.await.unwrap_or(Err(Error::ShuttingDown)) })
    }

    fn delete(&self, lease: StreamLease) -> BoxFuture<'_, Result<(), Error>> {
        let own = self.clone();
        Box::pin(super::blocking(move || {
            let hold = lease.hold.as_any().downcast_ref::<PipelineHold>();
            let Some(hold) = hold.filter(|hold| Arc::ptr_eq(&hold.0.site.ground, &own.ground))
            else {
                return Err(Error::ForeignLease { stream: lease.stream.clone() });
            };
            hold.0.finish();
            own.tails.forget(&lease.stream);
            maintenance::delete(&hold.0.site)
        }))
    }

    fn verify<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<StreamVerification, Error>> {
        self.run(stream, |own, site| {
            own.tails.forget(&site.stream);
            maintenance::verify::<E, L>(&site)
        })
    }

    fn repair<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<StreamRepair, Error>> {
        self.run(stream, |own, site| {
            own.tails.forget(&site.stream);
            maintenance::repair::<E, L>(&site)
        })
    }
}
