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

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::{ChangeReceiver, change_queue};
    use crate::bounds::CHANGES_WAITING_MAX;
    use crate::port::{Change, ChangeHint, ChangeWatch as _, ChangedPart};

    fn hint(number: usize) -> Change {
        let name = Some(number.to_string());
        Change::Hint(ChangeHint { part: ChangedPart::Session, name, cursor: None })
    }

    /// What waits now.
    fn rest(receiver: &mut ChangeReceiver) -> Vec<Change> {
        let mut context = Context::from_waker(Waker::noop());
        let mut all = Vec::new();
        while let Poll::Ready(change) = pin!(receiver.next()).poll(&mut context) {
            all.push(change.unwrap());
        }
        all
    }

    #[test]
    fn one_change_beyond_the_bound_stands_for_all_of_them() {
        let (sender, mut receiver) = change_queue();
        (0..CHANGES_WAITING_MAX).for_each(|number| assert!(sender.send(hint(number))));
        assert_eq!(rest(&mut receiver).len(), CHANGES_WAITING_MAX);
        (0..=CHANGES_WAITING_MAX).for_each(|number| assert!(sender.send(hint(number))));
        assert_eq!(rest(&mut receiver), [Change::Lost]);
    }

    #[test]
    fn a_change_that_waits_is_not_queued_again_and_a_loss_takes_the_place_of_what_waits() {
        let (sender, mut receiver) = change_queue();
        for number in [1, 1, 2, 2, 1] {
            sender.send(hint(number));
        }
        assert_eq!(rest(&mut receiver), [hint(1), hint(2), hint(1)]);
        sender.send(hint(1));
        sender.send(Change::Lost);
        sender.send(hint(2));
        assert_eq!(rest(&mut receiver), [Change::Lost, hint(2)]);
        drop(receiver);
        assert!(!sender.send(hint(3)));
    }
}
