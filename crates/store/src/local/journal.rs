//! The journal on this machine's disk, for any layout.
//!
//! Must be used within a Tokio runtime: files are read and written on its blocking threads.

use std::{
    collections::BTreeSet,
    marker::PhantomData,
    path::PathBuf,
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
        Appended, BoxFuture, Cursor, Follow, Journal, JournalReader, LoadedStream, Mode, Patience,
        Pins, SalvagedStream, SetAside, StreamLease, StreamRepair, StreamVerification, Writer,
    },
    record::Record,
};

/// Journal of sessions: a segment for each plan, and a manifest.
pub type SegmentedJournal<E> = LocalJournal<E, Segmented>;

/// Journal of backpacks: one file of records, with group commit.
pub type LogJournal<E> = LocalJournal<E, LogLayout>;

/// A journal under a data directory.
pub struct LocalJournal<E, L> {
    root: Arc<JournalRoot>,
    tails: Arc<Tails>,
    types: PhantomData<fn() -> (E, L)>,
}

impl<E, L> Clone for LocalJournal<E, L> {
    fn clone(&self) -> Self {
        let (root, tails) = (Arc::clone(&self.root), Arc::clone(&self.tails));
        Self { root, tails, types: PhantomData }
    }
}

impl<E: Event> SegmentedJournal<E> {
    /// Creates the journal of sessions.
    pub fn sessions(
        dir: DataDir,
        blobs: LocalBlobs,
        leases: LocalLeases,
        trace: Arc<dyn Trace>,
    ) -> Self {
        let streams = dir.sessions();
        Self::new(dir, streams, blobs, leases, trace)
    }
}

impl<E: Event> LogJournal<E> {
    /// Creates the journal of backpacks.
    pub fn backpacks(
        dir: DataDir,
        blobs: LocalBlobs,
        leases: LocalLeases,
        trace: Arc<dyn Trace>,
    ) -> Self {
        let streams = dir.backpacks();
        Self::new(dir, streams, blobs, leases, trace)
    }
}

#[expect(private_bounds, reason = "sealed: the two layouts of this crate are all there are")]
impl<E: Event, L: Layout> LocalJournal<E, L> {
    fn new(
        dir: DataDir,
        streams: PathBuf,
        blobs: LocalBlobs,
        leases: LocalLeases,
        trace: Arc<dyn Trace>,
    ) -> Self {
        let writers = leases.with_own_queue();
        let failed = Mutex::default();
        let root = JournalRoot { dir, streams, blobs, leases, writers, trace, failed };
        Self { root: Arc::new(root), tails: Arc::default(), types: PhantomData }
    }

    fn stream_dir(&self, stream: &StreamId) -> StreamDir {
        StreamDir::new(&self.root, stream, L::CONTROL)
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

    /// Returns every directory that may hold a stream, or what is left of one.
    fn places(&self) -> Result<Vec<StreamId>, Error> {
        let names = self.root.dir.disk().list(&self.root.streams);
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

    /// Refuses a stream that a failed sync left in doubt. The caller holds the lock: a writer that is still at work
    /// could leave the mark right after.
    fn refuse_poisoned(&self, stream_dir: &StreamDir) -> Result<(), Error> {
        let mark = stream_dir.disk().stat(&stream_dir.poison_mark());
        let mark = mark.map_err(Error::io("look at a stream"))?;
        if mark.is_some() || self.root.poisoned().contains(&stream_dir.stream) {
            return Err(Error::Poisoned { stream: stream_dir.stream.clone() });
        }
        Ok(())
    }

    /// Reads what is new in a locked stream, and leases it.
    fn lease_locked(
        &self,
        stream_dir: StreamDir,
        lock: Box<dyn FileLock>,
    ) -> Result<StreamLease, Error> {
        let shared = self.tails.get(&stream_dir.stream);
        // The stream's lock is held, so nothing is written while the tail catches up.
        let mut tail = tail::lock(&shared);
        let ending = reading::catch_up::<E, L>(&stream_dir, &mut tail)?;
        let epoch = tail.head.next_manifest.get();
        drop(tail);
        // A damaged stream gets no lease, and `lock` is released on return.
        let torn_tail = ending.into_sound(&stream_dir.stream)?;
        Ok(self.leased(stream_dir, shared, torn_tail, lock, epoch))
    }

    /// Returns the cached tail of a locked stream and its epoch, if one metadata lookup shows that there is nothing new
    /// to read.
    fn current_tail(&self, stream_dir: &StreamDir) -> Option<(SharedTail, u64)> {
        let shared = self.tails.find(&stream_dir.stream)?;
        let head = tail::try_lock(&shared)?.head;
        let is_current =
            head.position > 0 && head.is_current(stream_dir.control_stat().ok()?.as_ref());
        is_current.then(|| (shared, head.next_manifest.get()))
    }

    fn leased(
        &self,
        stream_dir: StreamDir,
        tail: SharedTail,
        torn_tail: Option<TornTail>,
        lock: Box<dyn FileLock>,
        epoch: u64,
    ) -> StreamLease {
        let stream = stream_dir.stream.clone();
        let commit = (L::commit as _, L::committed as _, L::PLANS_PER_COMMIT);
        let tails = Arc::clone(&self.tails);
        let pipeline = Pipeline::new(stream_dir, tails, tail, torn_tail, lock, commit);
        let hold = Arc::new(PipelineHold(Arc::new(pipeline)));
        StreamLease { stream, epoch, torn_tail, hold }
    }

    /// Answers `lookup` with one metadata lookup and without reading a file, if possible.
    fn lookup_warm(&self, stream_dir: &StreamDir, key: &DedupeKey) -> CachedFact {
        let Some(shared) = self.tails.find(&stream_dir.stream) else { return CachedFact::Unknown };
        let Some(tail) = tail::try_lock(&shared) else { return CachedFact::Unknown };
        match stream_dir.control_stat() {
            Ok(stat) if tail.head.is_current(stat.as_ref()) => {}
            _ => return CachedFact::Unknown,
        }
        let StreamHead { newest_first, synced, position, .. } = tail.head;
        // A key is reported only if its event is known to be durable. All commits before the newest one are; the newest
        // needs a sync that this process knows of.
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
        stream_dir: &StreamDir,
        key: &DedupeKey,
    ) -> Result<Option<EventIndex>, Error> {
        let shared = self.tails.get(&stream_dir.stream);
        let mut tail = tail::lock(&shared);
        // A flaw behind the valid part does not matter for keys found in the valid part.
        reading::catch_up::<E, L>(stream_dir, &mut tail)?;
        let Some(&index) = tail.keys.get(key) else { return Ok(None) };
        // The event may have come from the page cache, left by a writer that died before its sync.
        if index >= tail.head.newest_first && tail.head.synced < tail.head.position {
            stream_dir.confirm_newest_unlocked(tail.head)?;
            tail.head.synced = tail.head.position;
        }
        Ok(Some(index))
    }

    fn follow_blocking(stream_dir: &StreamDir, cursor: &Cursor) -> Result<Follow<E>, Error> {
        let head = StreamHead::from_cursor(cursor);
        let stat = stream_dir.control_stat()?;
        if head.is_replaced(stat.as_ref()) {
            return Ok(Follow::Replaced);
        }
        if head.is_current(stat.as_ref()) {
            return Ok(Follow::Unchanged);
        }
        let reading = reading::resolve_tail::<E, L>(stream_dir, head)?;
        reading.ending.into_sound(&stream_dir.stream)?;
        if reading.events.is_empty() {
            return Ok(Follow::Unchanged);
        }
        Ok(Follow::Appended { events: reading.events, cursor: reading.tail.head.cursor() })
    }

    /// Runs `work` on a blocking thread with this journal and a stream's directory.
    fn run<'a, R: Send + 'static>(
        &self,
        stream: &StreamId,
        work: impl FnOnce(&Self, StreamDir) -> Result<R, Error> + Send + 'static,
    ) -> BoxFuture<'a, Result<R, Error>> {
        let (own, stream_dir) = (self.clone(), self.stream_dir(stream));
        Box::pin(super::blocking(move || work(&own, stream_dir)))
    }

    fn enqueue(&self, writer: &Writer<'_>, plan: AppendPlan<E>) -> Result<Answer, Error> {
        let lease = writer.lease();
        let foreign = || Error::ForeignLease { stream: lease.stream.clone() };
        let hold = lease.hold.as_any().downcast_ref::<PipelineHold>().ok_or_else(foreign)?;
        // A lease of another journal holds a lock in another directory, which protects nothing here.
        if !Arc::ptr_eq(&hold.0.stream_dir.root, &self.root) {
            return Err(foreign());
        }
        let (answer, start) = hold.0.enqueue(plan.encode(&lease.stream)?)?;
        // Detached: the job finishes even if the caller stops waiting for its answer.
        if start {
            let pipeline = Arc::clone(&hold.0);
            super::detach(move || pipeline.drain());
        }
        Ok(answer)
    }
}

/// Cached knowledge about a key.
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
        self.run(stream, |own, stream_dir| {
            let reading = reading::resolve_tail::<E, L>(&stream_dir, StreamHead::default())?;
            let torn_tail = reading.ending.into_sound(&stream_dir.stream)?;
            if reading.events.is_empty() && torn_tail.is_none() {
                return Err(Error::NotFound { stream: stream_dir.stream });
            }
            let cursor = reading.tail.head.cursor();
            // Remembered, so that a lease or a lookup right after this needs no second reading.
            reading::remember(&own.tails, &stream_dir.stream, reading.tail);
            Ok(LoadedStream { events: reading.events, cursor, torn_tail })
        })
    }

    fn load_validated_prefix<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<SalvagedStream<E>, Error>> {
        self.run(stream, |_, stream_dir| reading::salvage::<E, L>(&stream_dir))
    }

    fn follow<'a>(
        &'a self,
        stream: &'a StreamId,
        cursor: &'a Cursor,
    ) -> BoxFuture<'a, Result<Follow<E>, Error>> {
        let cursor = *cursor;
        let stream_dir = self.stream_dir(stream);
        // One metadata lookup is cheaper than switching threads.
        if let Ok(stat) = stream_dir.control_stat()
            && StreamHead::from_cursor(&cursor).is_current(stat.as_ref())
        {
            return Box::pin(std::future::ready(Ok(Follow::Unchanged)));
        }
        self.run(stream, move |_, stream_dir| Self::follow_blocking(&stream_dir, &cursor))
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
        self.run(stream, move |own, stream_dir| own.lookup_blocking(&stream_dir, &key))
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
        self.run(stream, move |_, stream_dir| reading::pins::<E, L>(&stream_dir, since.as_ref()))
    }

    fn records<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<Vec<Record>, Error>> {
        self.run(stream, |_, stream_dir| reading::records::<E, L>(&stream_dir))
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
    fn lease_with<'a>(
        &'a self,
        stream: &'a StreamId,
        patience: Patience,
    ) -> BoxFuture<'a, Result<StreamLease, Error>> {
        Box::pin(async move {
            let stream_dir = self.stream_dir(stream);
            let files = stream_dir.clone();
            let lock = self.root.writers.lock(files, Mode::Exclusive, patience).await?;
            let lock: Box<dyn FileLock> = Box::new(lock);
            self.refuse_poisoned(&stream_dir)?;
            // A few metadata lookups are cheaper than switching threads; reading is not.
            match self.current_tail(&stream_dir) {
                Some((tail, epoch)) => Ok(self.leased(stream_dir, tail, None, lock, epoch)),
                None => {
                    self.run(stream, move |own, stream_dir| own.lease_locked(stream_dir, lock))
                        .await
                }
            }
        })
    }

    fn append<'a>(
        &'a self,
        writer: &Writer<'_>,
        plan: AppendPlan<E>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        // Queued now, not when the future is first polled: that keeps plans in the order of the calls.
        let queued = self.enqueue(writer, plan);
        // The sender goes away without an answer if the job never ran, because the runtime is shutting down.
        Box::pin(async move { queued?.await.unwrap_or(Err(Error::ShuttingDown)) })
    }

    fn delete(&self, lease: StreamLease) -> BoxFuture<'_, Result<(), Error>> {
        let own = self.clone();
        Box::pin(super::blocking(move || {
            let hold = lease.hold.as_any().downcast_ref::<PipelineHold>();
            let Some(hold) = hold.filter(|hold| Arc::ptr_eq(&hold.0.stream_dir.root, &own.root))
            else {
                return Err(Error::ForeignLease { stream: lease.stream.clone() });
            };
            // No append may be in flight while the files go. The stream's lock stays held until `lease` is dropped at
            // the end.
            hold.0.finish();
            own.tails.forget(&lease.stream);
            maintenance::delete(&hold.0.stream_dir)
        }))
    }

    fn verify<'a>(
        &'a self,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<StreamVerification, Error>> {
        self.run(stream, |own, stream_dir| {
            // What is remembered came from the page cache; the check is about the medium.
            own.tails.forget(&stream_dir.stream);
            maintenance::verify::<E, L>(&stream_dir)
        })
    }

    fn repair<'a>(&'a self, stream: &'a StreamId) -> BoxFuture<'a, Result<StreamRepair, Error>> {
        self.run(stream, |own, stream_dir| {
            own.tails.forget(&stream_dir.stream);
            maintenance::repair::<E, L>(&stream_dir)
        })
    }
}
