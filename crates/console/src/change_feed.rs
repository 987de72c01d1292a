//! The delivery of changes to pages: one watch for all of them, while at least one is open.
//!
//! *Invariants*: without a page nothing is watched. A page that continues after a time in which nothing was watched is
//! told to look at everything. A page hears of a change when the index of runs has it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use piton_core::port::Entropy;
use piton_runtime::{Change, ChangeWatch, Changes, Runtime};
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until};

use crate::bounds::{SOURCE_PAUSE, STREAMS_MAX, WATCH_LINGER};
use crate::change_ring::{ChangeNotice, ChangePacer, ChangeRing, ChangeScope, RingEntry};

/// Bytes that tell one process from another.
const PROCESS_BYTES: usize = 4;

/// The delivery of changes.
pub(crate) struct ChangeFeed {
    inner: Arc<Inner>,
    places: Arc<Semaphore>,
}

struct Inner {
    source: Arc<dyn Changes>,
    runtime: Arc<Runtime>,
    state: Mutex<State>,
    /// The number of the next notice; changes wake the pages.
    news: watch::Sender<u64>,
    /// The number of open streams.
    streams: watch::Sender<usize>,
    /// Held while the index of runs is brought up to date, so that no session is read twice for it.
    catching_up: AsyncMutex<()>,
}

struct State {
    ring: ChangeRing,
    /// Set while a task watches.
    is_watching: bool,
}

/// The changes for one page. Dropping it ends the delivery.
pub(crate) struct ChangeStream {
    inner: Arc<Inner>,
    position: u64,
    news: watch::Receiver<u64>,
    _place: OwnedSemaphorePermit,
}

impl ChangeFeed {
    pub(crate) fn new(
        source: Arc<dyn Changes>,
        runtime: Arc<Runtime>,
        entropy: &dyn Entropy,
    ) -> Self {
        let mut process = [0; PROCESS_BYTES];
        entropy.fill(&mut process);
        let ring = ChangeRing::new(format!("{:08x}", u32::from_be_bytes(process)));
        let inner = Inner {
            source,
            runtime,
            news: watch::Sender::new(ring.next_number()),
            state: Mutex::new(State { ring, is_watching: false }),
            streams: watch::Sender::new(0),
            catching_up: AsyncMutex::default(),
        };
        Self { inner: Arc::new(inner), places: Arc::new(Semaphore::new(STREAMS_MAX)) }
    }

    /// Brings the index of runs up to date in the background, so that the first page finds it so.
    pub(crate) fn catch_up_early(&self) {
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move { inner.catch_up().await });
    }

    /// Brings the index of runs up to date in the background, unless a watch keeps it so. Whoever asks again and again
    /// without following changes sees what happened until the time before.
    pub(crate) fn catch_up_unless_watched(&self) {
        let is_idle = self.inner.catching_up.try_lock().is_ok();
        if is_idle && !self.inner.lock().is_watching {
            self.catch_up_early();
        }
    }

    /// Opens the changes for a page, after the last event that it has seen. `None` if too many pages are open.
    pub(crate) fn open(&self, last_event_id: Option<&str>) -> Option<ChangeStream> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let inner = Arc::clone(&self.inner);
        inner.streams.send_modify(|count| *count += 1);
        let mut state = inner.lock();
        if !state.is_watching {
            state.is_watching = true;
            // Nobody watched until now: ids from before then lead to a reset.
            state.ring.lose();
            tokio::spawn(pump(Arc::clone(&inner)));
        }
        let position = match last_event_id {
            Some(id) => state.ring.position(id),
            None => state.ring.next_number(),
        };
        drop(state);
        let news = inner.news.subscribe();
        Some(ChangeStream { inner, position, news, _place: place })
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change of the state is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the ring and wakes the pages.
    fn change(&self, change: impl FnOnce(&mut ChangeRing)) {
        let mut state = self.lock();
        change(&mut state.ring);
        self.news.send_replace(state.ring.next_number());
    }

    /// Brings the index of runs up to date with every session. True if it was not when this was called.
    async fn catch_up(&self) -> bool {
        let was_caught_up = self.runtime.is_caught_up_with_runs();
        let _turn = self.catching_up.lock().await;
        // An index that cannot be written now is written with the next change; pages say how much it lacks.
        let has_read = self.runtime.catch_up_runs().await.is_ok_and(|done| done.read > 0);
        // The call that this one waited for may have read what changed.
        has_read || !was_caught_up
    }

    /// Brings the index of runs up to date with the session that a notice names.
    async fn catch_up_with(&self, notice: &ChangeNotice) {
        let session = notice.name.as_deref().and_then(|name| name.parse().ok());
        let is_done = match session {
            Some(session) => self.runtime.catch_up_session(session).await,
            None => false,
        };
        if !is_done {
            self.catch_up().await;
        }
    }

    /// Returns when no page has been open for a while.
    async fn unused(&self) {
        let mut streams = self.streams.subscribe();
        loop {
            // The sender is in `self`, so waiting cannot fail.
            let _ = streams.wait_for(|count| *count == 0).await;
            tokio::select! {
                () = sleep(WATCH_LINGER) => return,
                _ = streams.wait_for(|count| *count > 0) => {}
            }
        }
    }
}

impl ChangeStream {
    /// Returns the id of the last event that the page has seen.
    pub(crate) fn id(&self) -> String {
        self.inner.lock().ring.id(self.position.max(1))
    }

    /// Waits for what comes next. Nothing is lost if the wait is given up.
    pub(crate) async fn next(&mut self) -> RingEntry {
        loop {
            self.news.borrow_and_update();
            if let Some((entry, position)) = self.inner.lock().ring.at(self.position) {
                self.position = position;
                return entry;
            }
            // The sender is in `inner`, so waiting cannot fail.
            let _ = self.news.changed().await;
        }
    }
}

impl Drop for ChangeStream {
    fn drop(&mut self) {
        self.inner.streams.send_modify(|count| *count -= 1);
    }
}

/// Moves changes from the source into the ring until no page is open.
async fn pump(inner: Arc<Inner>) {
    loop {
        tokio::select! {
            () = watch_source(&inner) => {}
            () = inner.unused() => {}
        }
        let mut state = inner.lock();
        // A page that opens in this very moment counts itself before it takes the lock, so it is seen here, or sees that
        // nobody watches any more.
        if *inner.streams.borrow() == 0 {
            state.is_watching = false;
            return;
        }
        drop(state);
        inner.change(ChangeRing::lose);
    }
}

/// Moves changes into the ring, whatever happens to their source.
async fn watch_source(inner: &Inner) {
    loop {
        if let Ok(mut watch) = inner.source.watch().await {
            // What happened while nobody watched. Later changes are reported.
            if inner.catch_up().await {
                inner.change(ChangeRing::lose);
            }
            follow(inner, &mut *watch).await;
        }
        // The source failed. What it would have reported is unknown.
        inner.change(ChangeRing::lose);
        sleep(SOURCE_PAUSE).await;
    }
}

/// Moves changes until the watch fails.
async fn follow(inner: &Inner, watch: &mut dyn ChangeWatch) {
    let (start, mut pacer) = (Instant::now(), ChangePacer::default());
    loop {
        // Far away if nothing waits.
        let due = start + pacer.next_due().unwrap_or(Duration::from_hours(24) + start.elapsed());
        let ready = tokio::select! {
            change = watch.next() => match change {
                Ok(Change::Hint(hint)) => {
                    for notice in ChangeNotice::of(hint) {
                        pacer.offer(notice, start.elapsed());
                    }
                    continue;
                }
                Ok(Change::Lost) => {
                    pacer.clear();
                    inner.catch_up().await;
                    inner.change(ChangeRing::lose);
                    continue;
                }
                Err(_) => return,
            },
            () = sleep_until(due) => pacer.due(start.elapsed()),
        };
        // Only now, at the pace of the notices: an agent that works fast is not followed at every step.
        for notice in ready.iter().filter(|notice| notice.scope == ChangeScope::Run) {
            inner.catch_up_with(notice).await;
        }
        if !ready.is_empty() {
            inner.change(|ring| ready.into_iter().for_each(|notice| ring.push(notice)));
        }
    }
}
