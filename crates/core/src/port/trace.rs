//! Notices: things worth telling an operator that are neither a result nor an error.
//!
//! *Invariants*: off by default ([`NoTrace`]). A notice is told after the fact; nothing durable and no
//! decision depends on whether anybody listens.

use crate::id::DedupeKey;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// An append named a dedupe key that is already recorded, and wrote nothing.
    DedupeReplay {
        /// The stream's name.
        stream: String,
        /// The key.
        key: DedupeKey,
    },
    /// Bytes at the end of a stream that were never acknowledged have been set aside.
    TornTailSaved {
        /// The stream's name.
        stream: String,
        /// Where they began.
        offset: u64,
        /// How many there were.
        bytes: u64,
    },
    /// The operating system could not confirm that a write is on disk.
    SyncFailed {
        /// The stream's name.
        stream: String,
    },
    /// A lease was free only after a wait.
    LeaseWaited {
        /// The lease's name.
        name: String,
        /// How long it took.
        waited_ms: u64,
    },
}

/// Who is told.
pub trait Trace: Send + Sync {
    /// Takes note. Must return quickly and must not fail.
    fn notice(&self, notice: &Notice);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTrace;

impl Trace for NoTrace {
    fn notice(&self, _: &Notice) {}
}
