//! The effects that pure code may request, as traits: time, waiting, entropy and notices.
//!
//! *Invariants*: a port is only a promise; its implementations live in the crates that perform effects. Every port can
//! be shared between threads. The ones in [`fixed`] are deterministic and pure.

pub mod fixed;
mod timestamp;

use std::pin::Pin;
use std::time::Duration;

pub use self::timestamp::TimestampMs;
use crate::id::DedupeKey;

/// A source of time.
pub trait Clock: Send + Sync {
    /// Returns the time of day. It may jump in both directions.
    fn now_ms(&self) -> TimestampMs;

    /// Returns the time since some fixed moment of this process. It never goes back; use it for waiting and for
    /// measuring.
    fn monotonic(&self) -> Duration;
}

/// A wait in progress; dropping it ends it.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A source of waits.
pub trait Timer: Send + Sync {
    /// Completes when `duration` has passed. It must not block a thread while it waits.
    fn sleep(&self, duration: Duration) -> Sleep;
}

/// A source of unpredictable bytes.
pub trait Entropy: Send + Sync {
    /// Overwrites all of `bytes`. An adapter that cannot do so must panic: a predictable id or key is worse than none.
    fn fill(&self, bytes: &mut [u8]);
}

/// An event worth reporting to an operator that is neither a result nor an error.
///
/// A notice is sent after the fact; nothing durable and no decision depends on whether anyone listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// An append named a dedupe key that is already recorded, and wrote nothing.
    DedupeReplay { stream: String, key: DedupeKey },
    /// Unacknowledged bytes at the end of a stream were set aside.
    TornTailSaved {
        stream: String,
        /// Position of the first of these bytes.
        offset: u64,
        /// Number of these bytes.
        bytes: u64,
    },
    /// The operating system could not confirm that a write is on disk.
    SyncFailed { stream: String },
    /// A lease was free only after a wait.
    LeaseWaited { name: String, waited_ms: u64 },
}

/// A receiver of notices.
pub trait Trace: Send + Sync {
    /// Receives a notice. Must return quickly and must not fail.
    fn notice(&self, notice: &Notice);
}

/// A receiver that ignores all notices: the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTrace;

impl Trace for NoTrace {
    fn notice(&self, _: &Notice) {}
}
