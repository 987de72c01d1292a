//! Stopping a run from outside.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Stops a run. Clones stop the same one.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<CancelRequest>>);

#[derive(Debug, Default)]
struct CancelRequest {
    done: bool,
    wakers: Vec<Waker>,
}

impl Cancel {
    /// Nothing is stopped yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the run at its next wait, between two nodes or inside one.
    pub fn cancel(&self) {
        let mut asked = self.lock();
        asked.done = true;
        let wakers = std::mem::take(&mut asked.wakers);
        drop(asked);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Whether somebody asked.
    pub fn is_cancelled(&self) -> bool {
        self.lock().done
    }

    /// Is done when somebody asks.
    pub(crate) async fn requested(&self) {
        std::future::poll_fn(|context| {
            let mut asked = self.lock();
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
