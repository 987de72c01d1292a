//! The writing half: the ports that it takes, the lease of a session, and the plan that is appended to it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use piton_core::port::{Clock, Entropy};
use piton_core::{EventId, EventIndex, SessionId, TimestampMs};
use piton_store::port::{Blobs, Journal, KeyRing, Patience, StreamLease};
use piton_store::{AppendPlan, NewBlob, StreamId};

use super::error::Error;
use super::loader::{FoldedSession, SharedSession};
use super::reader::Reader;
use crate::event::{
    ChangeOrdinal, EventBody, LogFlaw, LogRules, ObservationKey, ObservationRecorded,
    ObservedValue, SessionEvent,
};
use crate::projection::SessionState;

/// Starts runs and advances them. Clones share everything that they have read.
#[derive(Clone)]
pub struct Sessions {
    reader: Reader,
    journal: Arc<dyn Journal<SessionEvent>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sessions").finish_non_exhaustive()
    }
}

impl Sessions {
    /// Creates the use cases over these ports.
    pub fn new(
        journal: Arc<dyn Journal<SessionEvent>>,
        blobs: Arc<dyn Blobs>,
        keys: Arc<dyn KeyRing>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        let reader = Reader::new(Arc::<dyn Journal<SessionEvent>>::clone(&journal), blobs, keys);
        Self { reader, journal, clock, entropy }
    }

    /// Returns the reading half.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Takes the lease of a session and returns it with the session as its log stands now.
    pub(super) async fn locked(
        &self,
        session: SessionId,
    ) -> Result<(StreamLease, SharedSession), Error> {
        self.locked_with(session, Patience::FailFast).await
    }

    /// Like [`locked`](Self::locked), but waits for another writer if it has patience.
    pub(super) async fn locked_with(
        &self,
        session: SessionId,
        patience: Patience,
    ) -> Result<(StreamLease, SharedSession), Error> {
        let lease = self.journal.lease_with(&StreamId::from(session), patience).await?;
        // Nothing can be appended while the lease is held. A cached session at the lease's cursor is therefore
        // current, and the journal need not be asked.
        let cached = match self.reader.loader.at(session, lease.cursor()) {
            Some(cached) => cached,
            None => self.reader.current(session).await?,
        };
        Ok((lease, cached))
    }

    /// Takes the lease of a session that may not exist yet.
    pub(super) async fn lease(&self, session: SessionId) -> Result<StreamLease, Error> {
        Ok(self.journal.lease(&StreamId::from(session)).await?)
    }

    /// Begins a plan that follows on `cached`.
    pub(super) fn draft(&self, session: SessionId, cached: &FoldedSession) -> PlanDraft<'_> {
        PlanDraft::new(session, cached.state.next(), &*self.clock, &*self.entropy)
    }

    /// Checks a plan against the rules of the log that it is for.
    pub(super) fn check(
        &self,
        draft: &PlanDraft<'_>,
        cached: &mut FoldedSession,
    ) -> Result<(), Error> {
        draft.check(&mut cached.rules).inspect_err(|_| {
            // The rules have already seen part of the plan, so the cached session is ahead of its log.
            self.reader.loader.forget(draft.session);
        })?;
        Ok(())
    }

    /// Appends a plan that has passed the rules, and applies it to the cached session.
    pub(super) async fn append(
        &self,
        lease: &StreamLease,
        cached: Option<&SharedSession>,
        draft: PlanDraft<'_>,
    ) -> Result<(), Error> {
        // Until the append returns, the cached rules are ahead of the log. If it fails or the call is cancelled, the
        // guard forgets the session and the next call reads the log.
        let ahead = self.reader.loader.ahead(draft.session);
        let (events, plan) = draft.finish();
        self.journal.append(&lease.writer(), plan).await?;
        ahead.keep();
        if let Some(cached) = cached {
            cached.lock().learn(&events, lease.cursor());
        }
        Ok(())
    }
}

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

    /// Adds the observations that differ from what was last seen in the session.
    pub(super) fn push_observations(
        &mut self,
        session: &SessionState,
        seen: &[ObservationRecorded],
    ) {
        let mut latest: HashMap<ObservationKey, (u64, &ObservedValue)> = HashMap::new();
        for data in seen {
            // One batch may report a key twice. The value pushed last counts as known, not the one in the log.
            let known = latest.get(&data.key).copied();
            let known = known.or_else(|| {
                session.observed(data.key).map(|observed| (observed.changes, &observed.value))
            });
            if known.is_some_and(|(_, value)| *value == data.value) {
                continue;
            }
            let changes = known.map_or(0, |(changes, _)| changes);
            latest.insert(data.key, (changes + 1, &data.value));
            let change = ChangeOrdinal(changes);
            self.push(EventBody::ObservationRecorded { scope: None, change, data: data.clone() });
        }
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
