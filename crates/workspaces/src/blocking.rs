//! Blocking work, off the threads that serve calls.
#![expect(clippy::disallowed_methods, reason = "the one place where this crate leaves async code")]

use std::any::Any;

use piton_core::Code;
use piton_store::threads::{blocking_here, may_block};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::bounds::CHANGES_AT_ONCE_MAX;
use crate::error::Error;
use crate::store::StoreFault;

/// Permits for changes that may occupy a thread.
static CHANGES: Semaphore = Semaphore::const_new(CHANGES_AT_ONCE_MAX);

/// Runs blocking work to its end, even if the caller stops waiting. Uses the current thread if it may block.
pub(crate) async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, StoreFault> + Send + 'static,
) -> Result<R, StoreFault> {
    if may_block() {
        return work();
    }
    off(work).await.unwrap_or(Err(StoreFault::Cancelled))
}

/// Runs the steps of a change to their end on one thread that may block, even if the caller stops waiting: a half-made
/// change is never abandoned. Switching threads for each step would cost more than
/// the steps.
pub(crate) async fn as_a_whole<R: Send + 'static>(
    work: impl Future<Output = Result<R, Error>> + Send + 'static,
) -> Result<R, Error> {
    if may_block() {
        return work.await;
    }
    // Changes may wait for the lock of another writer. The limit leaves threads for calls that only read.
    let permit = CHANGES.acquire().await.expect("the semaphore is never closed");
    let executor = Handle::current();
    let done = off(move || {
        // The permit moves into the work: it is held until the work ends, even if the caller stops waiting.
        let _held_to_the_end = permit;
        blocking_here(|| executor.block_on(work))
    })
    .await;
    done.unwrap_or(Err(Error::Data(Code::StoreBusy)))
}

/// Runs work on a thread that may block. `None` if the process is about to end.
async fn off<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Option<R> {
    // Erased, so that the executor's tasks are compiled once and not for each kind of work.
    let work: Box<dyn FnOnce() -> Box<dyn Any + Send> + Send> = Box::new(|| Box::new(work()));
    match spawn_blocking(work).await {
        Ok(result) => {
            Some(*result.downcast().expect("the work returns what it was made to return"))
        }
        Err(ended) => match ended.try_into_panic() {
            // A panic in the work continues in the caller, as if it had run there.
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => None,
        },
    }
}
