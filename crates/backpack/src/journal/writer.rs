//! Brings commits to disk in the order in which they were made.
//!
//! Whoever has to wait for the disk asks for the turn. Who has it writes everything that waits, for itself and for
//! others, with one sync; the others find their commits on disk when their turn comes.
//!
//! *Invariants*: what waits leaves the queue only when it is on disk. A call that is given up in the middle of an append
//! leaves behind how many commits it was writing; the next turn repeats exactly that plan, which the journal
//! recognises if it did get through.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::lock::Mutex as Turn;
use piton_core::EventIndex;
use piton_store::port::{Journal, Namespace, StreamLease};
use piton_store::{AppendPlan, NewBlob};

use super::event::{BackpackEvent, Body};
use super::queue::{Queue, Waiting};
use crate::backpack_id::BackpackId;
use crate::commit::Commit;
use crate::error::Error;
use crate::record::CommitRecord;
use crate::recorder::Recorder;

/// The journal's end of a backpack.
pub(super) struct JournalWriter {
    id: BackpackId,
    journal: Arc<dyn Journal<BackpackEvent>>,
    queue: Mutex<Queue>,
    turn: Turn<Writing>,
    /// Why no more commits are taken.
    ended: OnceLock<Error>,
    /// Why nothing more is written.
    failed: OnceLock<Error>,
}

/// What the one whose turn it is has.
struct Writing {
    /// Gone when the backpack was closed.
    lease: Option<StreamLease>,
    next: EventIndex,
    /// How many commits an append has that was not seen to end.
    attempted: Option<usize>,
}

impl JournalWriter {
    pub(super) fn new(
        id: BackpackId,
        journal: Arc<dyn Journal<BackpackEvent>>,
        lease: StreamLease,
        durable: u64,
    ) -> Self {
        let next = lease.next_event();
        let writing = Writing { lease: Some(lease), next, attempted: None };
        Self {
            id,
            journal,
            queue: Mutex::new(Queue::new(durable)),
            turn: Turn::new(writing),
            ended: OnceLock::new(),
            failed: OnceLock::new(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many commits wait.
    pub(super) fn waiting(&self) -> usize {
        self.queue().len()
    }

    /// Returns when the commit with this number is on disk.
    pub(super) async fn settle(&self, number: u64) -> Result<(), Error> {
        while !self.queue().is_durable(number) {
            let mut writing = self.turn.lock().await;
            if self.queue().is_durable(number) {
                break;
            }
            self.write(&mut writing).await?;
        }
        Ok(())
    }

    /// Returns when everything that was made before the call is on disk.
    pub(super) async fn flush(&self) -> Result<(), Error> {
        let newest = self.queue().made().checked_sub(1);
        match newest {
            Some(newest) => self.settle(newest).await,
            None => Ok(()),
        }
    }

    /// Takes no more commits. The caller has the lock of the backpack, so none is in the middle of being made.
    pub(super) fn refuse_more(&self) {
        let _ = self.ended.set(Error::Closed { id: self.id.clone() });
    }

    /// Brings what waits to disk, and frees the lease whether that succeeds or not.
    pub(super) async fn end(&self) -> Result<(), Error> {
        let flushed = self.flush().await;
        self.turn.lock().await.lease = None;
        flushed
    }

    async fn write(&self, writing: &mut Writing) -> Result<(), Error> {
        if let Some(failed) = self.failed.get() {
            return Err(failed.clone());
        }
        let lease = writing.lease.as_ref().ok_or_else(|| Error::Closed { id: self.id.clone() })?;
        let batch = self.queue().batch(writing.attempted);
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
        self.queue().settle(count);
        Ok(())
    }

    fn plan(&self, first: EventIndex, batch: &[Waiting]) -> AppendPlan<BackpackEvent> {
        let mut index = first;
        let mut events = Vec::with_capacity(batch.len());
        for Waiting { commit, .. } in batch {
            let body = Body::Committed { commit: CommitRecord::of(commit) };
            events.push(BackpackEvent::new(&self.id, index, commit.id.event_id(), body));
            index = index.next();
        }
        let values = batch.iter().filter_map(|waiting| waiting.large.as_ref());
        values.fold(AppendPlan::new(events), |plan, text| {
            plan.with_blob(NewBlob::new(Namespace::Backpacks, text.as_bytes().to_vec()))
        })
    }
}

impl Recorder for JournalWriter {
    fn is_open(&self) -> Result<(), Error> {
        self.ended.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    fn record(&self, commit: &Commit, large: Option<&Arc<str>>) {
        self.queue().push(commit, large);
    }
}
