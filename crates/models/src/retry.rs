//! The rule for repeating a call.
//!
//! *Invariants*: only calls that are safe to repeat are repeated ([`Error::is_safe_to_repeat`]). If a provider asks for
//! a longer wait than [`BACKOFF_MAX_MS`], the call is not repeated here: the caller gets the error with the wait.

use std::time::Duration;

use crate::bounds::{ATTEMPTS_DEFAULT, BACKOFF_FIRST_MS, BACKOFF_MAX_MS};
use crate::error::Error;

/// Number of attempts, and the length of the waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Total number of attempts, at least one.
    pub attempts: u32,
    /// The first wait in milliseconds; each further one is twice as long.
    pub first_ms: u64,
    /// The longest wait in milliseconds.
    pub max_ms: u64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { attempts: ATTEMPTS_DEFAULT, first_ms: BACKOFF_FIRST_MS, max_ms: BACKOFF_MAX_MS }
    }
}

impl Backoff {
    /// Returns the wait after attempt number `made` (starting at 1) failed with `error`, or `None` to give up.
    pub fn wait(&self, made: u32, error: &Error) -> Option<Duration> {
        if made >= self.attempts || !error.is_safe_to_repeat() {
            return None;
        }
        // The shift is capped so that it cannot overflow; the limit applies long before.
        let doubled = self.first_ms.saturating_mul(1 << (made.saturating_sub(1)).min(32));
        let own = doubled.min(self.max_ms);
        // Never repeat sooner than the provider asks, nor wait longer than the limit on its behalf.
        match error.retry_after_ms() {
            Some(asked) if asked > self.max_ms => None,
            Some(asked) => Some(Duration::from_millis(asked.max(own))),
            None => Some(Duration::from_millis(own)),
        }
    }
}
