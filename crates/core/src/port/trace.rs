//! Notices: events worth reporting to an operator that are neither a result nor an error.
//!
//! *Invariants*: off by default ([`NoTrace`]). A notice is sent after the fact; nothing durable and no decision depends
//! on whether anyone listens.

use crate::id::DedupeKey;

/// An event worth reporting.
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

/// A receiver that ignores all notices.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTrace;

impl Trace for NoTrace {
    fn notice(&self, _: &Notice) {}
}
