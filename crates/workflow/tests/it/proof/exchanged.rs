//! A store in memory whose log can be exchanged for another one.

use std::sync::Arc;

use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{EventIndex, TimestampMs};
use piton_store::AppendPlan;
use piton_store::memory::{MemoryBlobs, MemoryJournal, MemoryKeyRing};
use piton_store::port::{Journal, KeyRing};
use piton_workflow::SessionEvent;

use super::story::{Story, tell};
use crate::session::rig::Rig;

/// What is left when the log is taken away.
pub(super) struct Exchanged {
    blobs: MemoryBlobs,
    keys: Arc<dyn KeyRing>,
}

impl Exchanged {
    pub(super) fn new() -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(0)));
        let keys = Arc::new(MemoryKeyRing::new(Arc::new(SeededEntropy::new(5))));
        Self { blobs: MemoryBlobs::new(clock), keys }
    }

    fn rig(&self, journal: MemoryJournal<SessionEvent>, seed: u64) -> Rig {
        let blobs = Arc::new(self.blobs.clone());
        Rig::over(Arc::new(journal), blobs, Arc::clone(&self.keys), seed)
    }

    /// A process over a log that holds `events` from their first on.
    pub(super) async fn with(&self, events: Vec<SessionEvent>) -> Rig {
        let journal = MemoryJournal::new(self.blobs.clone());
        let stream = events[0].session().into();
        let mut index = EventIndex::ZERO;
        let mut renumbered = Vec::with_capacity(events.len());
        for event in events {
            let (session, id, time) = (event.session(), event.id(), event.timestamp());
            renumbered.push(SessionEvent::new(session, index, id, time, event.body().clone()));
            index = index.next();
        }
        let lease = journal.lease(&stream).await.expect("it is new");
        let appended = journal.append(&lease.writer(), AppendPlan::new(renumbered)).await;
        appended.expect("it is a plan");
        drop(lease);
        self.rig(journal, 9)
    }

    pub(super) async fn told(&self) -> (Rig, Story) {
        let rig = self.rig(MemoryJournal::new(self.blobs.clone()), 8);
        let story = tell(&rig, &|_| {}).await;
        (rig, story)
    }
}
