//! Writes commits to disk in the order in which they were made.
//!
//! A task that has to wait for the disk asks for the turn. The task that has the turn writes everything that waits, for
//! itself and for others, with one sync. Then all waiting tasks are woken at once, and find their commits on disk or
//! take the next turn.
//!
//! Tasks that were woken together come back together. The first of them would write alone, and the others would wait
//! for two syncs. So it yields to them first, until as many wait as the last time or no more arrive. A single writer
//! never yields.
//!
//! *Invariants*: a commit leaves the queue only when it is on disk. A call that is dropped in the middle of an append
//! leaves behind the number of commits that it was writing. The next turn repeats exactly that plan, which the journal
//! recognizes if it did get through.

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

/// The journal side of a backpack.
pub(super) struct JournalWriter {
    id: BackpackId,
    journal: Arc<dyn Journal<BackpackEvent>>,
    shared: Mutex<WriterState>,
    /// The reason that no more commits are accepted.
    ended: OnceLock<Error>,
    /// The reason that nothing more is written.
    failed: OnceLock<Error>,
}

/// State shared by all waiting tasks.
struct WriterState {
    queue: CommitQueue,
    /// Absent while a task has the turn.
    writing: Option<Box<ActiveWriter>>,
    waiting: Vec<Waker>,
}

/// State owned by the task that has the turn.
struct ActiveWriter {
    /// Absent once the backpack was closed.
    lease: Option<StreamLease>,
    next: EventIndex,
    /// Number of commits in an append that was not seen to end.
    attempted: Option<usize>,
    /// Number of tasks that wrote or waited when the last turn ended.
    together: usize,
}

/// The turn. Dropping it gives the turn back, which also covers calls that are dropped midway.
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
        // Runs even if the future that had the turn is dropped during an append, so no turn is ever lost.
        let mut shared = self.writer.shared();
        let waiting = std::mem::take(&mut shared.waiting);
        self.writing().together = waiting.len() + 1;
        shared.writing = self.writing.take();
        // Wake outside of the lock: a woken task may run at once and look at the shared state.
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

    /// Returns the number of commits that wait.
    pub(super) fn waiting(&self) -> usize {
        self.shared().queue.len()
    }

    /// Waits for the turn. Returns `None` if commit `number` is on disk before that.
    async fn turn(&self, number: Option<u64>) -> Option<Turn<'_>> {
        // Checks and registers under one lock, so that no wake-up between the two can be missed.
        let look = |context: &mut Context<'_>| {
            let mut shared = self.shared();
            // Another task wrote this commit along with its own.
            if number.is_some_and(|number| shared.queue.is_durable(number)) {
                return Poll::Ready(None);
            }
            if let Some(writing) = shared.writing.take() {
                return Poll::Ready(Some(writing));
            }
            // A task that is polled again must not register twice, or `together` would count it twice.
            if !shared.waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                shared.waiting.push(context.waker().clone());
            }
            Poll::Pending
        };
        let writing = poll_fn(look).await?;
        Some(Turn { writer: self, writing: Some(writing) })
    }

    /// Waits until the commit with this number is on disk.
    pub(super) async fn wait_durable(&self, number: u64) -> Result<(), Error> {
        // One turn may not be enough: a plan has limits, and earlier commits go first.
        while let Some(mut turn) = self.turn(Some(number)).await {
            let writing = turn.writing();
            // A repeated plan is fixed, so there is nothing to gather for it.
            if writing.attempted.is_none() {
                self.gather(writing.together).await;
            }
            self.write(writing).await?;
        }
        Ok(())
    }

    /// Yields to other tasks as long as that brings back some of those that waited the last time.
    async fn gather(&self, together: usize) {
        let gathered = || self.shared().waiting.len() + 1;
        let mut before = 0;
        for _ in 0..GATHER_TURNS_MAX {
            let now = gathered();
            // Everyone is back, or the last yield brought nobody: waiting longer would only add latency.
            if now >= together || now == before {
                return;
            }
            before = now;
            let_others_go_ahead().await;
        }
    }

    /// Waits until everything that was done before the call is on disk.
    pub(super) async fn flush(&self) -> Result<(), Error> {
        let newest = self.shared().queue.last_number().checked_sub(1);
        match newest {
            Some(newest) => self.wait_durable(newest).await,
            None => Ok(()),
        }
    }

    /// Refuses further commits. The caller holds the lock of the backpack, so no commit is being made right now.
    pub(super) fn refuse_more(&self) {
        let _ = self.ended.set(Error::Closed { id: self.id.clone() });
    }

    /// Writes everything that waits and releases the lease even if that fails. Returns the end of the stream.
    pub(super) async fn end(&self) -> Result<Option<Cursor>, Error> {
        let flushed = self.flush().await;
        let mut lease = None;
        // Take the turn without writing, so that no append is in progress when the lease is released.
        if let Some(mut turn) = self.turn(None).await {
            lease = turn.writing().lease.take();
        }
        flushed?;
        Ok(lease.map(|lease| lease.cursor()))
    }

    async fn write(&self, writing: &mut ActiveWriter) -> Result<(), Error> {
        // After a failure the end of the stream is unknown. Nobody may append to it until it is opened again.
        if let Some(failed) = self.failed.get() {
            return Err(failed.clone());
        }
        let lease = writing.lease.as_ref().ok_or_else(|| Error::Closed { id: self.id.clone() })?;
        // The batch is copied and stays in the queue until it is on disk.
        let batch = self.shared().queue.batch(writing.attempted);
        let count = batch.len();
        let plan = self.plan(writing.next, &batch);
        // Noted before the append: if this future is dropped in it, the next turn repeats exactly these commits.
        writing.attempted = Some(count);
        if let Err(error) = self.journal.append(&lease.writer(), plan).await {
            // Also refuse new commits, so that memory does not run further ahead of what the disk holds.
            let error = self.failed.get_or_init(|| error.into()).clone();
            let _ = self.ended.set(error.clone());
            return Err(error);
        }
        // No await from here on: the queue, the next index and `attempted` change together.
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
            // The commit id is the event id, so a repeated plan is identical to the first.
            events.push(BackpackEvent::new(&self.id, index, commit.id.event_id(), body));
            index = index.next();
        }
        let values = batch.iter().filter_map(|waiting| waiting.large.as_ref());
        values.fold(AppendPlan::new(events), |plan, text| {
            plan.with_blob(NewBlob::new(BlobNamespace::Backpacks, text.as_bytes().to_vec()))
        })
    }
}

/// Yields once: asks to be polled again at once, behind all tasks that are already runnable.
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
