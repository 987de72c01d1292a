//! Stores that tests recall from.

use std::sync::Arc;

use piton_core::{
    SessionId, TimestampMs,
    port::{NoTrace, fixed::ManualClock},
};
use piton_store::{
    AppendPlan, StreamId,
    local::{DataDir, LocalBlobs, LocalIndex, LocalLeases, SegmentedJournal, SystemClock},
    memory::{MemoryBlobs, MemoryIndex, MemoryJournal},
    port::{Blobs, Index, Journal},
};
use piton_workflow::{SessionEvent, run_index::RunIndex};
use tempfile::TempDir;

/// The ports that recall needs, and the one that makes sessions.
pub(super) struct Store {
    pub(super) journal: Arc<dyn Journal<SessionEvent>>,
    pub(super) blobs: Arc<dyn Blobs>,
    pub(super) index: Arc<dyn Index>,
    pub(super) home: Option<TempDir>,
}

impl Store {
    pub(super) fn in_memory() -> Self {
        let blobs = MemoryBlobs::new(Arc::new(ManualClock::new(TimestampMs(0))));
        Self {
            journal: Arc::new(MemoryJournal::new(blobs.clone())),
            blobs: Arc::new(blobs),
            index: Arc::new(MemoryIndex::new()),
            home: None,
        }
    }

    pub(super) fn on_disk() -> Self {
        let home = TempDir::new().unwrap();
        let dir = DataDir::open(home.path()).unwrap();
        let blobs = LocalBlobs::new(dir.clone());
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
        let (trace, index) = (Arc::new(NoTrace), LocalIndex::new(dir.clone()));
        let journal = SegmentedJournal::sessions(dir, blobs.clone(), leases, trace);
        Self {
            journal: Arc::new(journal),
            blobs: Arc::new(blobs),
            index: Arc::new(index),
            home: Some(home),
        }
    }

    /// Recall as a process that just started has it.
    pub(super) fn recall(&self) -> RunIndex {
        let journal = Arc::clone(&self.journal);
        RunIndex::new(journal, Arc::<dyn Blobs>::clone(&self.blobs), Arc::clone(&self.index))
    }

    /// Recall as a process has it that finds no index.
    pub(super) fn recall_anew(&self) -> RunIndex {
        let journal = Arc::clone(&self.journal);
        RunIndex::new(journal, Arc::<dyn Blobs>::clone(&self.blobs), Arc::new(MemoryIndex::new()))
    }

    pub(super) async fn append(&self, session: SessionId, plan: AppendPlan<SessionEvent>) {
        let lease = self.journal.lease(&StreamId::from(session)).await.unwrap();
        self.journal.append(&lease.writer(), plan).await.unwrap();
    }

    pub(super) async fn delete(&self, session: SessionId) {
        let lease = self.journal.lease(&StreamId::from(session)).await.unwrap();
        self.journal.delete(lease).await.unwrap();
    }
}
