//! The queue between a source of changes and the reader of a watch.
//!
//! *Invariants*: at most [`CHANGES_WAITING_MAX`] changes wait. Beyond that, one mark of the loss takes the place of all
//! of them.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Poll, Waker};

use crate::bounds::CHANGES_WAITING_MAX;
use crate::port::{Change, ChangeWatch, StoreFuture};

/// The end that a source reports to.
#[derive(Clone)]
pub(crate) struct ChangeSender(Weak<Mutex<Waiting>>);

/// The end that is read.
pub(crate) struct ChangeReceiver(Arc<Mutex<Waiting>>);

/// The changes that were not read yet.
#[derive(Default)]
struct Waiting {
    changes: VecDeque<Change>,
    reader: Option<Waker>,
}

/// Creates a queue.
pub(crate) fn change_queue() -> (ChangeSender, ChangeReceiver) {
    let waiting = Arc::default();
    (ChangeSender(Arc::downgrade(&waiting)), ChangeReceiver(waiting))
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ChangeSender {
    /// Reports a change. Returns false if nobody reads any more.
    pub(crate) fn send(&self, change: Change) -> bool {
        let Some(waiting) = self.0.upgrade() else { return false };
        let mut waiting = lock(&waiting);
        // A change that waits already says the same: whoever reads it looks at the newest state.
        if waiting.changes.back() != Some(&change) {
            if change == Change::Lost || waiting.changes.len() >= CHANGES_WAITING_MAX {
                waiting.changes.clear();
                waiting.changes.push_back(Change::Lost);
            } else {
                waiting.changes.push_back(change);
            }
        }
        waiting.reader.take().into_iter().for_each(Waker::wake);
        true
    }

    /// True if somebody may still read.
    #[cfg(feature = "local")]
    pub(crate) fn is_read(&self) -> bool {
        self.0.strong_count() > 0
    }
}

impl ChangeWatch for ChangeReceiver {
    fn next(&mut self) -> StoreFuture<'_, Change> {
        Box::pin(poll_fn(|context| {
            let mut waiting = lock(&self.0);
            if let Some(change) = waiting.changes.pop_front() {
                return Poll::Ready(Ok(change));
            }
            waiting.reader = Some(context.waker().clone());
            Poll::Pending
        }))
    }
}
