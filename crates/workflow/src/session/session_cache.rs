//! The folded state of a session, kept current with its log.
//!
//! *Invariants*: a cached session is exactly what the log says up to its cursor. Every use first asks the journal
//! whether anything was appended after the cursor, or holds a lease that stands there. A log that was cut or replaced
//! is read again from its start. An event is applied once, no matter whether it arrives from the append itself or
//! from following the log.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_core::SessionId;
use piton_store::StreamId;
use piton_store::port::{Cursor, Follow, JournalReader};

use super::bounded_map::BoundedMap;
use super::error::Error;
use crate::bounds::SESSIONS_WARM_MAX;
use crate::event::{LogFlaw, LogRules, SessionEvent};
use crate::projection::SessionState;

/// A session as far as it was read.
#[derive(Debug)]
pub(super) struct CachedSession {
    pub(super) state: SessionState,
    pub(super) rules: LogRules,
    pub(super) cursor: Cursor,
}

/// A session that several tasks share. The lock is held for moments only, never across an await.
#[derive(Clone, Debug)]
pub(super) struct SharedSession(Arc<Mutex<CachedSession>>);

impl SharedSession {
    pub(super) fn lock(&self) -> MutexGuard<'_, CachedSession> {
        // A panic in one task must not make the session unusable for all later ones.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedSession {
    fn of(events: &[SessionEvent], cursor: Cursor) -> Result<Self, LogFlaw> {
        let mut cached = Self { state: SessionState::default(), rules: LogRules::new(), cursor };
        cached.take(events, cursor)?;
        Ok(cached)
    }

    /// Applies the events that are new.
    fn take(&mut self, events: &[SessionEvent], cursor: Cursor) -> Result<(), LogFlaw> {
        for event in events {
            // The rules run ahead of the state while this process appends a plan: they saw its events before the
            // append, so a reader that follows the log meanwhile must not apply them twice.
            if event.index() >= self.rules.next() {
                self.rules.apply(event)?;
            }
            // The state may be ahead of these events too, if the appending task has already applied them.
            if event.index() >= self.state.next() {
                self.state.apply(event);
            }
        }
        self.rules.settled()?;
        // The cursor never moves backward: an older answer may arrive after a newer one.
        if cursor.next_event() >= self.state.next() {
            self.cursor = cursor;
        }
        Ok(())
    }

    /// Applies the events that this process appended. They have passed the rules already.
    pub(super) fn learn(&mut self, events: &[SessionEvent], cursor: Cursor) {
        // A concurrent reader may have followed the log and applied some of them already.
        for event in events {
            if event.index() >= self.state.next() {
                self.state.apply(event);
            }
        }
        // A state that went further meanwhile keeps the cursor of the task that took it there.
        if cursor.next_event() == self.state.next() {
            self.cursor = cursor;
        }
    }
}

/// The sessions that this process knows, up to a limit.
#[derive(Debug)]
pub(super) struct SessionCache(BoundedMap<SessionId, SharedSession>);

impl SessionCache {
    pub(super) fn new() -> Self {
        Self(BoundedMap::new(SESSIONS_WARM_MAX))
    }

    /// Returns a session as its log stands now.
    pub(super) async fn current(
        &self,
        journal: &dyn JournalReader<SessionEvent>,
        session: SessionId,
    ) -> Result<SharedSession, Error> {
        let stream = StreamId::from(session);
        if let Some(cached) = self.0.get(session) {
            match follow(journal, &stream, &cached).await {
                Ok(true) => return Ok(cached),
                Ok(false) => {}
                // Events may have been applied in part, so what is cached can no longer be trusted.
                Err(error) => {
                    self.forget(session);
                    return Err(error);
                }
            }
            // The log was cut or replaced: nothing that was folded from it counts any more.
            self.forget(session);
        }
        let loaded = journal.load(&stream).await?;
        let cached = CachedSession::of(&loaded.events, loaded.cursor)?;
        // Two tasks may load the same session at once. They share whichever copy came first.
        Ok(self.0.get_or_insert(session, SharedSession(Arc::new(Mutex::new(cached)))))
    }

    /// Returns a session that is cached up to exactly `cursor`. If a lease stands there, nothing can have been
    /// appended after it.
    pub(super) fn at(&self, session: SessionId, cursor: Cursor) -> Option<SharedSession> {
        self.0.get(session).filter(|cached| cached.lock().cursor == cursor)
    }

    /// Returns the ids of the cached sessions that satisfy `wanted`.
    pub(super) fn known(&self, wanted: impl Fn(&SessionId) -> bool) -> Vec<SessionId> {
        self.0.keys(wanted)
    }

    /// Drops a session from the cache, for example because an append to it failed.
    pub(super) fn forget(&self, session: SessionId) {
        self.0.remove(session);
    }

    /// Marks a session as about to be ahead of its log: its rules have seen a plan that is not appended yet.
    pub(super) fn ahead(&self, session: SessionId) -> ForgetOnDrop<'_> {
        ForgetOnDrop { sessions: self, session, is_settled: false }
    }
}

/// Forgets a session when it is dropped, unless the log has caught up. This also covers a call that is cancelled
/// halfway.
#[must_use]
pub(super) struct ForgetOnDrop<'a> {
    sessions: &'a SessionCache,
    session: SessionId,
    is_settled: bool,
}

impl ForgetOnDrop<'_> {
    /// Keeps the session: the log now says what the cache says.
    pub(super) fn keep(mut self) {
        self.is_settled = true;
    }
}

impl Drop for ForgetOnDrop<'_> {
    fn drop(&mut self) {
        if !self.is_settled {
            self.sessions.forget(self.session);
        }
    }
}

/// Brings `cached` up to date. Returns false if its log was cut or replaced, so that it has to be read again.
async fn follow(
    journal: &dyn JournalReader<SessionEvent>,
    stream: &StreamId,
    cached: &SharedSession,
) -> Result<bool, Error> {
    // The lock is released before the journal is asked; `take` copes with what other tasks apply meanwhile.
    let cursor = cached.lock().cursor;
    match journal.follow(stream, &cursor).await? {
        Follow::Unchanged => Ok(true),
        Follow::Appended { events, cursor } => {
            cached.lock().take(&events, cursor)?;
            Ok(true)
        }
        Follow::Replaced => Ok(false),
    }
}
