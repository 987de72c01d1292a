//! Hands commits to the journal in the order in which they were made.
//!
//! The writer is part of the state behind the backpack's lock. A commit joins the plan that is being collected. A task
//! that has to wait for the disk appends that plan and waits until the journal has it on disk. Tasks whose commits are
//! in the same plan share its sync. One plan at a time is on its way, so nothing queues in the journal behind it.
//!
//! *Invariants*: a plan is appended under the backpack's lock, so the order of commits on disk is their order in
//! memory. A task that is dropped while it waits takes nothing with it: its commit is collected or on its way, and the
//! next task that waits, or a flush, meets it there. The first failure is kept, and is what every later task gets.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use piton_core::EventIndex;
use piton_store::bounds::{PLAN_BLOBS_MAX, PLAN_EVENTS_MAX};
use piton_store::port::{Appended, BlobNamespace, Journal, StreamLease};
use piton_store::{AppendPlan, NewBlob};

use super::backpack::Mode;
use super::event::{BackpackEvent, BackpackEventBody};
use crate::access::writing::WriteOutcome;
use crate::backpack_core::BackpackInner;
use crate::bounds::{BUFFERED_COMMITS_MAX, GATHER_TURNS_MAX, PLAN_BYTES, WAITING_READS_MAX};
use crate::error::Error;
use crate::history::commit::Commit;
use crate::names::BackpackId;
use crate::record::{CommitRecord, commit_bytes};

/// The journal side of a backpack.
pub(crate) struct JournalWriter {
    id: BackpackId,
    journal: Arc<dyn Journal<BackpackEvent>>,
    mode: Mode,
    /// Absent once the backpack was closed.
    lease: Option<Arc<StreamLease>>,
    next: EventIndex,
    /// Commits that are in no plan yet, each with its value if that is kept beside the history.
    collected: VecDeque<(Commit, Option<Arc<str>>)>,
    /// The plan on its way to the disk. There is one at a time: what is done meanwhile goes into the next one.
    append: Option<Append>,
    /// Number of commits in the last plan.
    together: usize,
    /// Number of commits in plans, on disk or on their way.
    appended: u64,
    /// Number of commits on disk.
    durable: u64,
    /// The reason that no more commits are accepted.
    ended: Option<Error>,
    /// The reason that nothing more is written.
    failed: Option<Error>,
}

/// A plan on its way to the disk.
#[derive(Clone)]
struct Append {
    /// Number of commits that are on disk once this plan is.
    until: u64,
    outcome: Shared<BoxFuture<'static, Result<Appended, piton_store::Error>>>,
}

impl JournalWriter {
    /// Continues the stream of a backpack after `durable` commits.
    pub(super) fn new(
        id: BackpackId,
        journal: Arc<dyn Journal<BackpackEvent>>,
        (lease, mode): (StreamLease, Mode),
        durable: u64,
    ) -> Self {
        Self {
            id,
            journal,
            mode,
            next: lease.next_event(),
            lease: Some(Arc::new(lease)),
            collected: VecDeque::new(),
            append: None,
            together: 0,
            appended: durable,
            durable,
            ended: None,
            failed: None,
        }
    }

    /// Checks that more commits are accepted. If not, every act on the backpack is refused.
    pub(crate) fn check_open(&self) -> Result<(), Error> {
        self.ended.clone().map_or(Ok(()), Err)
    }

    /// Takes a commit, along with its value if that is too large for the history.
    pub(crate) fn record(&mut self, commit: &Commit, large: Option<Arc<str>>) {
        self.collected.push_back((commit.clone(), large));
    }

    /// Returns the number of commits that are not on disk.
    fn waiting(&self) -> usize {
        let on_the_way = usize::try_from(self.appended - self.durable).unwrap_or(usize::MAX);
        self.collected.len() + on_the_way
    }

    /// Returns the append to wait for next until `commits` commits are on disk. Appends another plan if it has to.
    fn next_append(&mut self, commits: u64) -> Result<Option<Append>, Error> {
        if self.durable >= commits {
            return Ok(None);
        }
        // After a failure the end of the stream is unknown. Nobody may append to it until it is opened again.
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        if self.append.is_none() {
            self.append_collected()?;
        }
        Ok(self.append.clone())
    }

    /// Appends the collected commits, as many as fit into one plan.
    fn append_collected(&mut self) -> Result<(), Error> {
        let lease = self.lease.clone().ok_or_else(|| Error::Closed { id: self.id.clone() })?;
        let plan = self.plan();
        let journal = Arc::clone(&self.journal);
        let outcome = async move { journal.append(&lease.writer(), plan).await }.boxed().shared();
        // The first poll queues the plan. That happens here, under the backpack's lock, and not when somebody waits.
        let _ = outcome.clone().now_or_never();
        self.append = Some(Append { until: self.appended, outcome });
        Ok(())
    }

    fn plan(&mut self) -> AppendPlan<BackpackEvent> {
        let (mut bytes, mut blobs, mut events) = (0, Vec::new(), Vec::new());
        // Limits are checked before a commit is counted: a plan has room for one commit beyond them.
        while events.len() < PLAN_EVENTS_MAX
            && bytes < PLAN_BYTES
            && blobs.len() < PLAN_BLOBS_MAX
            && let Some((commit, large)) = self.collected.pop_front()
        {
            bytes += commit_bytes(&commit);
            blobs.extend(large);
            let body = BackpackEventBody::Committed { commit: CommitRecord::of(&commit) };
            events.push(BackpackEvent::new(&self.id, self.next, commit.id.event_id(), body));
            self.next = self.next.next();
            self.appended += 1;
        }
        self.together = events.len();
        blobs.into_iter().fold(AppendPlan::new(events), |plan, text| {
            plan.with_blob(NewBlob::new(BlobNamespace::Backpacks, text.as_bytes().to_vec()))
        })
    }

    /// Notes the end of an append.
    fn finish(&mut self, until: u64, outcome: Result<Appended, piton_store::Error>) {
        if let Err(error) = outcome {
            // Also refuse new commits, so that memory does not run further ahead of what the disk holds.
            let failed = self.failed.get_or_insert_with(|| error.into());
            self.ended.get_or_insert_with(|| failed.clone());
            return;
        }
        self.durable = self.durable.max(until);
        self.append.take_if(|append| append.until <= until);
    }
}

impl BackpackInner {
    /// Waits until a write is on disk, if the mode of the backpack asks for that.
    pub(crate) async fn written(&self, outcome: WriteOutcome) -> Result<(), Error> {
        let mode = self.lock().journal.as_ref().map(|writer| writer.mode);
        match (mode, outcome) {
            (None, _) => Ok(()),
            (Some(Mode::Durable), WriteOutcome::Done { commit, .. }) => {
                self.wait_durable(commit.number() + 1).await
            }
            // Refusals and buffered writes do not wait, but the plan must not grow without bound.
            _ => self.flush_beyond(BUFFERED_COMMITS_MAX).await,
        }
    }

    /// Waits for the disk only if very many reads are waiting to be recorded.
    pub(crate) async fn read(&self) -> Result<(), Error> {
        self.flush_beyond(WAITING_READS_MAX).await
    }

    async fn flush_beyond(&self, waiting: usize) -> Result<(), Error> {
        let is_full = self.lock().journal.as_ref().is_some_and(|it| it.waiting() >= waiting);
        if is_full { self.flush().await } else { Ok(()) }
    }

    /// Waits until everything that was done before the call is on disk.
    pub(crate) async fn flush(&self) -> Result<(), Error> {
        let made = self.lock().history.next_number();
        self.wait_durable(made).await
    }

    /// Yields to other tasks as long as that brings more commits for the plan. Tasks that were woken together come back
    /// together: without this, the first of them would write alone, and the others would wait for two syncs.
    async fn gather(&self, commits: u64) {
        let mut before = 0;
        for _ in 0..GATHER_TURNS_MAX {
            let (now, together) = match &self.lock().journal {
                Some(writer) if writer.append.is_none() && writer.durable < commits => {
                    (writer.collected.len(), writer.together)
                }
                _ => return,
            };
            // Everyone is back, and the last yield brought nothing: waiting longer would only add latency.
            if now == before && now >= together {
                return;
            }
            before = now;
            let_others_go_ahead().await;
        }
    }

    /// Waits until the first `commits` commits are on disk.
    async fn wait_durable(&self, commits: u64) -> Result<(), Error> {
        loop {
            self.gather(commits).await;
            // The guard is gone at the end of the statement: no lock is held while the disk works.
            let append = self.lock().journal.as_mut().map(|writer| writer.next_append(commits));
            let Some(Append { until, outcome }) = append.transpose()?.flatten() else {
                return Ok(());
            };
            let outcome = outcome.await;
            if let Some(writer) = &mut self.lock().journal {
                writer.finish(until, outcome);
            }
        }
    }

    /// Refuses further commits, writes everything that waits and returns the lease. If that fails, the lease is released.
    pub(super) async fn end_journal(&self) -> Result<Option<Arc<StreamLease>>, Error> {
        if let Some(writer) = &mut self.lock().journal {
            let closed = Error::Closed { id: self.id.clone() };
            writer.ended.get_or_insert(closed);
        }
        let flushed = self.flush().await;
        let lease = self.lock().journal.as_mut().and_then(|writer| {
            // What is still on its way after a failure keeps the lease until it has ended.
            writer.append = None;
            writer.lease.take()
        });
        flushed?;
        Ok(lease)
    }
}

/// Yields once: asks to be polled again at once, behind all tasks that are already runnable.
async fn let_others_go_ahead() {
    let mut is_first = true;
    poll_fn(|context| {
        if !std::mem::take(&mut is_first) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
