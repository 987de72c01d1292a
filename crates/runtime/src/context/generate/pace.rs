//! The rate of calls to a provider.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use piton_core::Timer;
use piton_core::port::Clock;

/// Spreads calls evenly up to a number per minute, and starts none while a provider asks for patience.
pub(super) struct Pace {
    between: Duration,
    next: Mutex<Duration>,
    clock: Arc<dyn Clock>,
    timer: Arc<dyn Timer>,
}

impl Pace {
    pub(super) fn new(
        per_minute: Option<u32>,
        clock: Arc<dyn Clock>,
        timer: Arc<dyn Timer>,
    ) -> Self {
        const MINUTE: Duration = Duration::from_mins(1);
        let between = per_minute.map_or(Duration::ZERO, |calls| MINUTE / calls.max(1));
        Self { between, next: Mutex::new(Duration::ZERO), clock, timer }
    }

    /// Waits until a call may begin.
    pub(super) async fn turn(&self) {
        let wait = {
            // Each caller reserves its start under the lock and sleeps outside of it. That spaces out concurrent
            // callers.
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let now = self.clock.monotonic();
            let start = now.max(*next);
            *next = start + self.between;
            start.saturating_sub(now)
        };
        if !wait.is_zero() {
            self.timer.sleep(wait).await;
        }
    }

    /// Delays the start of further calls. Calls that already have a start time keep it.
    pub(super) fn hold(&self, wait: Duration) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(self.clock.monotonic() + wait);
    }
}
