//! When a call is repeated; pure.
//!
//! *Invariants*: only what is safe to repeat is repeated ([`Error::is_safe_to_repeat`]). A provider that asks for
//! a longer wait than [`BACKOFF_MAX_MS`] is not asked again here: the caller gets the error with the wait.

use std::time::Duration;

use crate::bounds::{ATTEMPTS_DEFAULT, BACKOFF_FIRST_MS, BACKOFF_MAX_MS};
use crate::error::Error;

/// How often a call is tried, and how long the waits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// How often in all, at least once.
    pub attempts: u32,
    /// The first wait; each further one is twice as long.
    pub first_ms: u64,
    /// The longest wait.
    pub max_ms: u64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { attempts: ATTEMPTS_DEFAULT, first_ms: BACKOFF_FIRST_MS, max_ms: BACKOFF_MAX_MS }
    }
}

impl Backoff {
    /// How long to wait after attempt number `made` (from 1) failed with `error`; `None` to give up.
    pub fn wait(&self, made: u32, error: &Error) -> Option<Duration> {
        if made >= self.attempts || !error.is_safe_to_repeat() {
            return None;
        }
        let doubled = self.first_ms.saturating_mul(1 << (made.saturating_sub(1)).min(32));
        let own = doubled.min(self.max_ms);
        match error.retry_after_ms() {
            Some(asked) if asked > self.max_ms => None,
            Some(asked) => Some(Duration::from_millis(asked.max(own))),
            None => Some(Duration::from_millis(own)),
        }
    }
}
