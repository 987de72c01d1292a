//! Brings commits to disk in the order in which they were made.
//!
//! Whoever has to wait for the disk asks for the turn. Who has it writes everything that waits, for itself and for
//! others, with one sync; then all that wait are woken at once, and find their commits on disk or take the next turn.
//!
//! Those who were woken together come back together. Whoever is first would write alone, and the others would wait for
//! two syncs; so it lets them go ahead first, until as many wait as the last time or no more come. A
//! single writer never does.
//!
//! *Invariants*: what waits leaves the queue only when it is on disk. A call that is given up in the middle of an append
//! leaves behind how many commits it was writing; the next turn repeats exactly that plan, which the journal
//! recognises if it did get through.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};

use piton_core::EventIndex;
use piton_store::port::{BlobNamespace, Cursor, Journal, StreamLease};
use piton_store::{AppendPlan, NewBlob};

use super::event::{BackpackEvent, BackpackEventBody};
use super::queue::{CommitQueue, QueuedCommit};
use crate::backpack_id::BackpackId;
use crate::bounds::GATHER_TURNS_MAX;
use crate::commit::Commit;
use crate::error::Error;
use crate::record::CommitRecord;
use crate::recorder::Recorder;

/// The journal's end of a backpack.
pub(super) struct JournalWriter {
    id: BackpackId,
    journal: Arc<dyn Journal<BackpackEvent>>,
    shared: Mutex<WriterState>,
    /// Why no more commits are taken.
    ended: OnceLock<Error>,
    /// Why nothing more is written.
    failed: OnceLock<Error>,
}

/// What everybody who waits looks at.
struct WriterState {
    queue: CommitQueue,
    /// Absent while somebody has the turn.
    writing: Option<Box<ActiveWriter>>,
    waiting: Vec<Waker>,
}

/// What the one whose turn it is has.
struct ActiveWriter {
    /// Gone when the backpack was closed.
    lease: Option<StreamLease>,
    next: EventIndex,
    /// How many commits an append has that was not seen to end.
    attempted: Option<usize>,
    /// How many wrote or waited when the last turn ended.
    together: usize,
}

/// The turn. It is given back when this is dropped, also by a call that is given up.
struct Turn<'a> {
    writer: &'a JournalWriter,
    writing: Option<Box<ActiveWriter>>,
}

impl Turn<'_> {
    fn writing(&mut self) -> &mut ActiveWriter {
        self.writing.as_mut().expect("it is there until the turn is given back")
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut shared = self.writer.shared();
        let waiting = std::mem::take(&mut shared.waiting);
        self.writing().together = waiting.len() + 1;
        shared.writing = self.writing.take();
        drop(shared);
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl JournalWriter {
    pub(super) fn new(
        id: BackpackId,
        journal: Arc<dyn Journal<BackpackEvent>>,
        lease: StreamLease,
        durable: u64,
    ) -> Self {
        let next = lease.next_event();
        let writing = ActiveWriter { lease: Some(lease), next, attempted: None, together: 0 };
        let writing = Some(Box::new(writing));
        let shared = WriterState { queue: CommitQueue::new(durable), writing, waiting: Vec::new() };
        Self {
            id,
            journal,
            shared: Mutex::new(shared),
            ended: OnceLock::new(),
            failed: OnceLock::new(),
        }
    }

    fn shared(&self) -> MutexGuard<'_, WriterState> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many commits wait.
    pub(super) fn waiting(&self) -> usize {
        self.shared().queue.len()
    }

    /// The turn, as soon as nobody else has it; nothing if `number` is on disk before that.
    async fn turn(&self, number: Option<u64>) -> Option<Turn<'_>> {
        let look = |context: &mut Context<'_>| {
            let mut shared = self.shared();
            if number.is_some_and(|number| shared.queue.is_durable(number)) {
                return Poll::Ready(None);
            }
            if let Some(writing) = shared.writing.take() {
                return Poll::Ready(Some(writing));
            }
            if !shared.waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                shared.waiting.push(context.waker().clone());
            }
            Poll::Pending
        };
        let writing = poll_fn(look).await?;
        Some(Turn { writer: self, writing: Some(writing) })
    }

    /// Returns when the commit with this number is on disk.
    pub(super) async fn wait_durable(&self, number: u64) -> Result<(), Error> {
        while let Some(mut turn) = self.turn(Some(number)).await {
            let writing = turn.writing();
            if writing.attempted.is_none() {
                self.gather(writing.together).await;
            }
            self.write(writing).await?;
        }
        Ok(())
    }

    /// Lets others go ahead for as long as that brings some of those who waited the last time.
    async fn gather(&self, together: usize) {
        let gathered = || self.shared().waiting.len() + 1;
        let mut before = 0;
        for _ in 0..GATHER_TURNS_MAX {
            let now = gathered();
            if now >= together || now == before {
                return;
            }
            before = now;
            let_others_go_ahead().await;
        }
    }

    /// Returns when everything that was made before the call is on disk.
    pub(super) async fn flush(&self) -> Result<(), Error> {
        let newest = self.shared().queue.last_number().checked_sub(1);
        match newest {
            Some(newest) => self.wait_durable(newest).await,
            None => Ok(()),
        }
    }

    /// Takes no more commits. The caller has the lock of the backpack, so none is in the middle of being made.
    pub(super) fn refuse_more(&self) {
        let _ = self.ended.set(Error::Closed { id: self.id.clone() });
    }

    /// Brings what waits to disk, and frees the lease whether that succeeds or not. Gives where the stream ends.
    pub(super) async fn end(&self) -> Result<Option<Cursor>, Error> {
        let flushed = self.flush().await;
        let mut lease = None;
        if let Some(mut turn) = self.turn(None).await {
            lease = turn.writing().lease.take();
        }
        flushed?;
        Ok(lease.map(|lease| lease.cursor()))
    }

    async fn write(&self, writing: &mut ActiveWriter) -> Result<(), Error> {
        if let Some(failed) = self.failed.get() {
            return Err(failed.clone());
        }
        let lease = writing.lease.as_ref().ok_or_else(|| Error::Closed { id: self.id.clone() })?;
        let batch = self.shared().queue.batch(writing.attempted);
        let count = batch.len();
        let plan = self.plan(writing.next, &batch);
        writing.attempted = Some(count);
        if let Err(error) = self.journal.append(&lease.writer(), plan).await {
            let error = self.failed.get_or_init(|| error.into()).clone();
            let _ = self.ended.set(error.clone());
            return Err(error);
        }
        writing.attempted = None;
        for _ in 0..count {
            writing.next = writing.next.next();
        }
        self.shared().queue.remove_front(count);
        Ok(())
    }

    fn plan(&self, first: EventIndex, batch: &[QueuedCommit]) -> AppendPlan<BackpackEvent> {
        let mut index = first;
        let mut events = Vec::with_capacity(batch.len());
        for QueuedCommit { commit, .. } in batch {
            let body = BackpackEventBody::Committed { commit: CommitRecord::of(commit) };
            events.push(BackpackEvent::new(&self.id, index, commit.id.event_id(), body));
            index = index.next();
        }
        let values = batch.iter().filter_map(|waiting| waiting.large.as_ref());
        values.fold(AppendPlan::new(events), |plan, text| {
            plan.with_blob(NewBlob::new(BlobNamespace::Backpacks, text.as_bytes().to_vec()))
        })
    }
}

/// Ready when it is looked at for the second time, for which it asks at once: behind everything that can go on already.
async fn let_others_go_ahead() {
    let mut is_first = true;
    poll_fn(|context: &mut Context<'_>| {
        if !std::mem::take(&mut is_first) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

impl Recorder for JournalWriter {
    fn is_open(&self) -> Result<(), Error> {
        self.ended.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    fn record(&self, commit: &Commit, large: Option<&Arc<str>>) {
        self.shared().queue.push(commit, large);
    }
}
