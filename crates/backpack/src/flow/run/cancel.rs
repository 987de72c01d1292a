//! Cancelling a run from outside.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Cancels a run. Clones cancel the same run.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<CancelRequest>>);

#[derive(Debug, Default)]
struct CancelRequest {
    done: bool,
    wakers: Vec<Waker>,
}

impl Cancel {
    /// Creates a handle that has not cancelled anything yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the run at its next await point, between two nodes or inside one.
    pub fn cancel(&self) {
        let mut asked = self.lock();
        asked.done = true;
        let wakers = std::mem::take(&mut asked.wakers);
        // Wake outside of the lock, since woken tasks check the flag at once.
        drop(asked);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// True if the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.lock().done
    }

    /// Waits until the run is cancelled.
    pub(crate) async fn requested(&self) {
        std::future::poll_fn(|context| {
            let mut asked = self.lock();
            // The flag is checked and the waker stored under one lock, so that no cancellation is missed.
            if asked.done {
                return Poll::Ready(());
            }
            asked.wakers.retain(|waker| !waker.will_wake(context.waker()));
            asked.wakers.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn lock(&self) -> MutexGuard<'_, CancelRequest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
