//! How fast a provider is asked.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use piton_core::Timer;
use piton_core::port::Clock;

/// Lets so many calls begin in a minute, evenly, and none while a provider asks for patience.
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

    /// Nobody begins for so long.
    pub(super) fn hold(&self, wait: Duration) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(self.clock.monotonic() + wait);
    }
}
