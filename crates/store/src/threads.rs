//! Threads that may block, and work that stays on one.
//!
//! Adapters that block hand each step to a thread that may. Going there and back costs more than most steps, so a use
//! case of several steps can be moved there as a whole: its steps find that they may block where they are.
//!
//! *Invariants*: a thread is marked as one that may block only by the code that keeps it from serving anything else in
//! the meantime.

#[cfg(feature = "local")]
use std::any::Any;
use std::cell::Cell;

#[cfg(feature = "local")]
use crate::Error;

thread_local! {
    static MAY_BLOCK: Cell<bool> = const { Cell::new(false) };
}

/// True if code that runs on this thread may block it.
pub fn may_block() -> bool {
    MAY_BLOCK.get()
}

/// Runs `work` on this thread, which may block until it is done.
pub fn blocking_here<R>(work: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            MAY_BLOCK.set(self.0);
        }
    }
    // Restored on drop, so that a panic in `work` does not leave the mark behind.
    let _back = Back(MAY_BLOCK.replace(true));
    work()
}

/// Starts blocking work whose result nobody waits for.
#[cfg(feature = "local")]
#[expect(clippy::disallowed_methods, reason = "the one place where adapters leave async code")]
pub(crate) fn detach(work: impl FnOnce() + Send + 'static) {
    drop(tokio::task::spawn_blocking(work));
}

/// Runs blocking work on a thread that may block: this one if it may, another one otherwise. The work runs to its end
/// even if nobody waits for it.
#[cfg(feature = "local")]
#[expect(clippy::disallowed_methods, reason = "the one place where adapters leave async code")]
pub(crate) async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, Error> + Send + 'static,
) -> Result<R, Error> {
    if may_block() {
        return work();
    }
    // Erased, so that the executor's tasks are compiled once and not for each kind of work.
    let work: Box<dyn FnOnce() -> Box<dyn Any + Send> + Send> = Box::new(|| Box::new(work()));
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => *result.downcast().expect("the work returns what it was made to return"),
        Err(ended) => match ended.try_into_panic() {
            // A panic surfaces in the caller, as if it had run the work itself.
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Error::ShuttingDown),
        },
    }
}

/// Runs short blocking work on the calling thread if the runtime lets other tasks continue meanwhile, and like
/// [`blocking`] otherwise. Switching to another thread and back takes longer than most table operations.
#[cfg(feature = "local")]
#[expect(clippy::disallowed_methods, reason = "the one place where adapters leave async code")]
pub(crate) async fn nearby<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, Error> + Send + 'static,
) -> Result<R, Error> {
    let flavor = tokio::runtime::Handle::try_current().map(|handle| handle.runtime_flavor());
    if matches!(flavor, Ok(tokio::runtime::RuntimeFlavor::MultiThread)) {
        return tokio::task::block_in_place(work);
    }
    blocking(work).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_may_block_for_as_long_as_it_is_said_also_after_a_panic() {
        assert!(!may_block());
        blocking_here(|| {
            blocking_here(|| assert!(may_block()));
            assert!(may_block());
        });
        assert!(!may_block());
        let ended = std::panic::catch_unwind(|| blocking_here(|| panic!("a fault")));
        assert!(ended.is_err() && !may_block());
    }
}
