//! Work that blocks, off the threads that serve calls.
#![expect(clippy::disallowed_methods, reason = "the one place where this crate leaves async code")]

use piton_core::Code;
use piton_store::threads::{blocking_here, may_block};
use tokio::{runtime::Handle, sync::Semaphore, task::spawn_blocking};

use crate::{bounds::CHANGES_AT_ONCE_MAX, error::Error, store::StoreFault};

/// The changes that may take a thread now.
static CHANGES: Semaphore = Semaphore::const_new(CHANGES_AT_ONCE_MAX);

/// Runs blocking work to its end, also if nobody waits for it any more: on this thread, if it may block.
pub(crate) async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, StoreFault> + Send + 'static,
) -> Result<R, StoreFault> {
    if may_block() {
        return work();
    }
    off(work).await.unwrap_or(Err(StoreFault::Cancelled))
}

/// Does something of several steps to its end on one thread that may block: to change threads for each step costs
/// more than the steps.
pub(crate) async fn as_a_whole<R: Send + 'static>(
    work: impl Future<Output = Result<R, Error>> + Send + 'static,
) -> Result<R, Error> {
    if may_block() {
        return work.await;
    }
    // Changes may wait for a lock of somebody else. Some threads are left for whoever only reads.
    let permit = CHANGES.acquire().await.expect("the semaphore is never closed");
    let executor = Handle::current();
    let done = off(move || {
        let _held_to_the_end = permit;
        blocking_here(|| executor.block_on(work))
    })
    .await;
    done.unwrap_or(Err(Error::Data(Code::StoreBusy)))
}

/// Does work on a thread that may block; nothing comes of it if the process is about to end.
async fn off<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Option<R> {
    match spawn_blocking(work).await {
        Ok(result) => Some(result),
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => None,
        },
    }
}
