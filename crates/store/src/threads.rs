//! Threads that may block, and work that stays on one.
//!
//! Adapters that block hand each step to a thread that may. Going there and back costs more than most steps, so a use
//! case of several steps can be moved there as a whole: its steps find that they may block where they are.
//!
//! *Invariants*: a thread is marked as one that may block only by the code that keeps it from serving anything else in
//! the meantime.

use std::cell::Cell;

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
