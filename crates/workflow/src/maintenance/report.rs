//! The result of a cleaning or of a rehearsal.

use std::collections::BTreeMap;
use std::time::Duration;

use piton_core::{Envelope, SessionId};
use piton_store::collect::SweepReport;
use piton_store::port::BlobNamespace;

piton_core::closed_set! {
    /// What a cleaning did with a session.
    pub enum Fate {
        /// It is not old enough.
        Young => "young",
        /// It is old enough, and somebody keeps it.
        Kept => "kept",
        /// It is old enough; somebody writes to it, or it cannot be read, or what was said about it cannot.
        Spared => "spared",
        /// It was removed, or would have been.
        Removed => "removed",
    }
}

/// A session that a cleaning looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionFate {
    pub session: SessionId,
    /// Time since its last event.
    pub age: Duration,
    pub fate: Fate,
}

/// The result of a cleaning or of a rehearsal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cleaned {
    /// All sessions, by id. Empty in safe mode.
    pub sessions: Vec<SessionFate>,
    /// Result of the collection for each namespace. Empty in safe mode. A rehearsal counts the content of sessions
    /// that it would remove as needed, because those sessions are still there.
    pub blobs: BTreeMap<BlobNamespace, SweepReport>,
    /// Reasons that kept something from being removed.
    pub warnings: Vec<Envelope>,
    /// Set when nothing was removed because the control records of a session could not be read.
    pub safe_mode: bool,
}

impl Cleaned {
    /// Returns the number of sessions with this fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.sessions.iter().filter(|session| session.fate == fate).count()
    }
}
