//! Waiting as a port.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A wait in progress; dropping it ends it.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A source of waits.
pub trait Timer: Send + Sync {
    /// Completes when `duration` has passed. It must not block a thread while it waits.
    fn sleep(&self, duration: Duration) -> Sleep;
}
