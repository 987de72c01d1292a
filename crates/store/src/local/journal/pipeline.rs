//! The writing side of a lease: plans wait in a queue, and one job at a time writes them.
//!
//! The stream's lock is released when the lease is gone and no job is running, whichever happens last: an append that
//! has started runs to its end even if its caller and the lease are gone. A caller that has received its answer can
//! rely on the job having ended, unless other plans are waiting.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use piton_core::port::Notice;
use piton_core::{DedupeKey, EventIndex};
use tokio::sync::oneshot;

use super::layout::Layout;
use super::stream_dir::StreamDir;
use super::tail::{self, SharedTail, StreamHead, Tails};
use crate::bounds::{GROUP_BYTES_MAX, QUEUE_PLANS_MAX};
use crate::local::disk::FileLock;
use crate::plan::{EncodedPlan, PlanStatus};
use crate::port::{Appended, Cursor, LeaseHold};
use crate::{Error, PlanProblem, TornTail};

type Answer = Result<Appended, Error>;
type Reply = oneshot::Sender<Answer>;

/// The state behind a lease on a local stream.
pub(super) struct Pipeline<L> {
    pub(super) stream_dir: StreamDir,
    pub(super) tails: Arc<Tails>,
    tail: SharedTail,
    queue: Mutex<AppendQueue>,
    idle: Condvar,
    layout: PhantomData<fn() -> L>,
}

struct AppendQueue {
    waiting: VecDeque<(Arc<EncodedPlan>, Reply)>,
    // True from the moment a job is due until it has found the queue empty.
    running: bool,
    // Set for good by the first failed write and by `finish`; no plan is accepted afterwards.
    spent: bool,
    // The unacknowledged end of the control file. It is set aside before the first write.
    torn: Option<TornTail>,
    /// Set when the lease is gone.
    closed: bool,
    // Held until the lease is gone and the last job is over, so that no other process writes in between.
    lock: Option<Box<dyn FileLock>>,
}

impl AppendQueue {
    fn free_if_over(&mut self) {
        if self.closed && !self.running {
            self.lock = None;
        }
    }
}

/// The handle inside the lease; the job holds its own reference to the pipeline.
pub(super) struct PipelineHold<L: Layout>(pub(super) Arc<Pipeline<L>>);

impl<L: Layout> Drop for PipelineHold<L> {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.closed = true;
        queue.free_if_over();
    }
}

impl<L: Layout> LeaseHold for PipelineHold<L> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn cursor(&self) -> Cursor {
        tail::lock(&self.0.tail).head.cursor()
    }
}

impl<L: Layout> Pipeline<L> {
    pub(super) fn new(
        stream_dir: StreamDir,
        tails: Arc<Tails>,
        tail: SharedTail,
        torn: Option<TornTail>,
        lock: Box<dyn FileLock>,
    ) -> Self {
        let queue = AppendQueue {
            waiting: VecDeque::new(),
            running: false,
            spent: false,
            torn,
            closed: false,
            lock: Some(lock),
        };
        Self {
            stream_dir,
            tails,
            tail,
            queue: Mutex::new(queue),
            idle: Condvar::new(),
            layout: PhantomData,
        }
    }

    fn queue(&self) -> MutexGuard<'_, AppendQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a plan to the queue. Returns a receiver for the outcome, and true if the caller must start the job.
    pub(super) fn enqueue(
        &self,
        plan: EncodedPlan,
    ) -> Result<(oneshot::Receiver<Answer>, bool), Error> {
        let mut queue = self.queue();
        let stream = || self.stream_dir.stream.clone();
        if queue.spent {
            return Err(Error::LeaseSpent { stream: stream() });
        }
        let waiting = queue.waiting.len();
        // The queue is bounded: a caller that outruns the disk gets an error instead of using up memory.
        if waiting >= QUEUE_PLANS_MAX {
            let problem = PlanProblem::QueueFull { waiting };
            return Err(Error::PlanRefused { stream: stream(), problem });
        }
        let (reply, answer) = oneshot::channel();
        queue.waiting.push_back((Arc::new(plan), reply));
        // Claimed under the queue's lock, so of several callers exactly one starts the job.
        let start = !queue.running;
        queue.running = true;
        Ok((answer, start))
    }

    /// Keeps any further job from starting, and blocks until none is running.
    pub(super) fn finish(&self) {
        let mut queue = self.queue();
        queue.spent = true;
        while queue.running {
            queue = self.idle.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The job: writes waiting plans until there are none left. Blocks.
    pub(super) fn drain(&self) {
        loop {
            let batch = Self::take_batch(&mut self.queue());
            let (plans, replies): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
            // A panic must not leave the queue running, or a deletion would wait for this job forever and the stream
            // would stay locked. How far the write came is not known, just as after a failure.
            let written = catch_unwind(AssertUnwindSafe(|| self.write(&plans)));
            let (answers, is_spent) =
                written.unwrap_or_else(|_| (vec![self.spent(); plans.len()], true));
            let mut answers: Vec<(Reply, Answer)> = replies.into_iter().zip(answers).collect();
            if is_spent {
                answers.extend(self.spend());
            }
            // "Nothing waits" and "not running" change under one lock: a plan queued before sees this job, a plan
            // queued after starts its own.
            let mut queue = self.queue();
            let is_over = queue.waiting.is_empty();
            if is_over {
                queue.running = false;
                queue.free_if_over();
                self.idle.notify_all();
            }
            // Answers go out after `running` was cleared: a caller that has its answer finds the job ended and the lock
            // free.
            drop(queue);
            for (reply, answer) in answers {
                // The caller may have stopped waiting.
                let _ = reply.send(answer);
            }
            if is_over {
                return;
            }
        }
    }

    fn take_batch(queue: &mut AppendQueue) -> Vec<(Arc<EncodedPlan>, Reply)> {
        // The size is checked before a plan is taken, so even the largest plan goes out in some batch.
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < L::PLANS_PER_COMMIT
            && bytes < GROUP_BYTES_MAX
            && let Some(entry) = queue.waiting.pop_front()
        {
            bytes += entry.0.lines.len();
            batch.push(entry);
        }
        batch
    }

    /// Marks the lease as spent after a failure, and returns the refusals for the plans that still wait.
    fn spend(&self) -> impl Iterator<Item = (Reply, Answer)> + use<'_, L> {
        let mut queue = self.queue();
        queue.spent = true;
        let waiting = std::mem::take(&mut queue.waiting);
        drop(queue);
        // The control file may no longer match the cached tail, so the next lease reads the stream again.
        self.tails.forget(&self.stream_dir.stream);
        waiting.into_iter().map(|(_, reply)| (reply, self.spent()))
    }

    fn spent(&self) -> Answer {
        Err(Error::LeaseSpent { stream: self.stream_dir.stream.clone() })
    }

    /// Writes one batch. Returns the answer to each of its plans, and true if the lease is spent.
    fn write(&self, plans: &[Arc<EncodedPlan>]) -> (Vec<Answer>, bool) {
        let (mut answers, accepted, head) = self.sort_out(plans);
        let result = self.make_durable(head, &accepted, &answers);
        // The batch becomes durable as a whole or not at all. A failure replaces every success, replays included; a
        // plan that was refused on its own account keeps its own error.
        if let Err(error) = &result {
            for answer in answers.iter_mut().filter(|answer| answer.is_ok()) {
                *answer = Err(error.clone());
            }
        }
        (answers, result.is_err())
    }

    /// Decides which plans are new and must be written. Returns an outcome for each plan, the new plans and the current
    /// head.
    fn sort_out(
        &self,
        plans: &[Arc<EncodedPlan>],
    ) -> (Vec<Answer>, Vec<Arc<EncodedPlan>>, StreamHead) {
        let tail = tail::lock(&self.tail);
        // Plans of one batch are not in the tail yet, but a later one may repeat the key of an earlier one.
        let mut pending: HashMap<&DedupeKey, EventIndex> = HashMap::new();
        let mut next = tail.head.next_event;
        let mut accepted = Vec::new();
        let mut outcomes = Vec::with_capacity(plans.len());
        for plan in plans {
            let find = |key: &DedupeKey| tail.keys.get(key).or_else(|| pending.get(key)).copied();
            outcomes.push(plan.status(&self.stream_dir.stream, next, find).map(|standing| {
                match standing {
                    PlanStatus::Present(indices) => {
                        self.report_replay(plan);
                        Appended::AlreadyPresent { indices }
                    }
                    PlanStatus::New => {
                        pending.extend(plan.facts.iter().map(|fact| (&fact.key, fact.index)));
                        next = plan.last().next();
                        accepted.push(Arc::clone(plan));
                        Appended::Committed { first: plan.first, last: plan.last() }
                    }
                }
            }));
        }
        (outcomes, accepted, tail.head)
    }

    fn report_replay(&self, plan: &EncodedPlan) {
        if let Some(fact) = plan.facts.first() {
            let (stream, key) = (self.stream_dir.stream.to_string(), fact.key.clone());
            self.stream_dir.root.trace.notice(&Notice::DedupeReplay { stream, key });
        }
    }

    fn make_durable(
        &self,
        head: StreamHead,
        accepted: &[Arc<EncodedPlan>],
        outcomes: &[Answer],
    ) -> Result<(), Error> {
        if accepted.is_empty() {
            // A replayed plan is reported as durable, so it must be. Its bytes may have come from the page cache, left
            // by a writer that died before its sync.
            let replayed = outcomes.iter().any(Result::is_ok);
            if replayed && head.synced < head.position {
                self.stream_dir.confirm_newest(head)?;
                tail::lock(&self.tail).head.synced = head.position;
            }
            return Ok(());
        }
        let written = (|| {
            // From the first blob to the end of the commit no sweep may run: it would remove blobs that nothing refers
            // to yet.
            let _writing = self.stream_dir.enter_writing(accepted)?;
            if self.queue().torn.is_some() {
                // The torn bytes go before anything is written: the commit overwrites their place, and its group may be
                // shorter than they are.
                self.stream_dir.set_aside_torn(head)?;
                self.queue().torn = None;
            }
            let mut head = head;
            if head.synced < head.position {
                // A process that died may have left the newest group unsynced. The next group must never become durable
                // without it: after a power cut, the stream would look as if its middle were lost.
                self.stream_dir.confirm_newest(head)?;
                head.synced = head.position;
            }
            let mut head = L::commit(&self.stream_dir, head, accepted)?;
            // The first commit creates the control file, so only now does its incarnation exist.
            if head.incarnation == 0
                && let Some(stat) = self.stream_dir.control_stat()?
            {
                head.incarnation = stat.incarnation;
            }
            Ok(head)
        })();
        match written {
            Ok(durable) => {
                // Neither note is needed for durability. Both are written after the sync, so neither can claim too
                // much.
                if head.position == 0 {
                    self.stream_dir.mark_begun();
                }
                L::committed(&self.stream_dir, durable);
                // The tail changes last: it never shows an event that is not durable.
                tail::lock(&self.tail).learn(durable, accepted);
                Ok(())
            }
            Err(error) => {
                // The commit may have reached the medium in part, or whole with its sync failed. It must not reappear
                // after the caller got an error.
                self.stream_dir.undo(head);
                Err(error)
            }
        }
    }
}
