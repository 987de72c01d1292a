//! A plan under construction: gives each event body its index, id and time.

use std::sync::Arc;

use piton_core::port::{Clock, Entropy};
use piton_core::{EventId, EventIndex, SessionId, TimestampMs};
use piton_store::{AppendPlan, NewBlob};

use crate::event::{EventBody, LogFlaw, LogRules, SessionEvent};

/// Events that will be appended together, with the blobs that are stored beside them.
pub(super) struct PlanDraft<'a> {
    session: SessionId,
    next: EventIndex,
    now: TimestampMs,
    entropy: &'a dyn Entropy,
    events: Vec<SessionEvent>,
    blobs: Vec<NewBlob>,
}

impl<'a> PlanDraft<'a> {
    /// Creates a plan that begins at `next`. All of its events share one timestamp.
    pub(super) fn new(
        session: SessionId,
        next: EventIndex,
        clock: &dyn Clock,
        entropy: &'a dyn Entropy,
    ) -> Self {
        let now = clock.now_ms();
        Self { session, next, now, entropy, events: Vec::new(), blobs: Vec::new() }
    }

    /// Adds an event and returns its id.
    pub(super) fn push(&mut self, body: EventBody) -> EventId {
        let id = EventId::mint(self.entropy);
        self.events.push(SessionEvent::new(self.session, self.next, id, self.now, body));
        self.next = self.next.next();
        id
    }

    /// Adds a blob that is stored beside the events.
    pub(super) fn store(&mut self, blob: NewBlob) {
        self.blobs.push(blob);
    }

    /// Checks the plan against the rules of the log that it is for. The rules have seen its events afterwards, even
    /// if this fails.
    pub(super) fn check(&self, rules: &mut LogRules) -> Result<(), LogFlaw> {
        for event in &self.events {
            rules.apply(event)?;
        }
        rules.settled()
    }

    /// Returns the events and the plan that appends them.
    pub(super) fn finish(self) -> (Arc<[SessionEvent]>, AppendPlan<SessionEvent>) {
        let events: Arc<[SessionEvent]> = self.events.into();
        let plan = AppendPlan::new(Arc::clone(&events));
        (events, self.blobs.into_iter().fold(plan, AppendPlan::with_blob))
    }
}
