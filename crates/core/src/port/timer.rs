//! Waiting as a port.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A wait that is under way; dropping it ends it.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Who lets time pass.
pub trait Timer: Send + Sync {
    /// Is done when `duration` has passed. It must not hold a thread while it waits.
    fn sleep(&self, duration: Duration) -> Sleep;
}
