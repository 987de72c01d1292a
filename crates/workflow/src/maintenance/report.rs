//! What a cleaning did, or would do.

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
    /// The session.
    pub session: SessionId,
    /// The time since its last event.
    pub age: Duration,
    /// What became of it.
    pub fate: Fate,
}

/// What a cleaning did, or would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cleaned {
    /// Every session, by id. Empty in safe mode.
    pub sessions: Vec<SessionFate>,
    /// What was collected of each namespace. Empty in safe mode. A rehearsal counts what removed sessions
    /// would have left behind as needed, because those sessions are still there.
    pub blobs: BTreeMap<BlobNamespace, SweepReport>,
    /// What kept something from being removed.
    pub warnings: Vec<Envelope>,
    /// Whether nothing was removed because the control records of a session could not be read.
    pub safe_mode: bool,
}

impl Cleaned {
    /// How many sessions had this fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.sessions.iter().filter(|session| session.fate == fate).count()
    }
}
