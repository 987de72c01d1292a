//! The folded state of a session, kept current with its log.
//!
//! *Invariants*: what is kept is what the log says up to a cursor; every use asks the journal first whether
//! anything came after it, or holds a lease that stands there, and a log that was cut or replaced is read anew. An
//! event is taken in once, whoever brings it: the one who appended it or one who followed the log.

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

/// A session that several tasks look at. It is locked for moments only, never across a wait.
#[derive(Clone, Debug)]
pub(super) struct SharedSession(Arc<Mutex<CachedSession>>);

impl SharedSession {
    pub(super) fn lock(&self) -> MutexGuard<'_, CachedSession> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedSession {
    fn of(events: &[SessionEvent], cursor: Cursor) -> Result<Self, LogFlaw> {
        let mut cached = Self { state: SessionState::default(), rules: LogRules::new(), cursor };
        cached.take(events, cursor)?;
        Ok(cached)
    }

    /// Takes in what came since, as far as it is new.
    fn take(&mut self, events: &[SessionEvent], cursor: Cursor) -> Result<(), LogFlaw> {
        for event in events {
            // What this process is appending has passed the rules already.
            if event.index() >= self.rules.next() {
                self.rules.apply(event)?;
            }
            if event.index() >= self.state.next() {
                self.state.apply(event);
            }
        }
        self.rules.settled()?;
        if cursor.next_event() >= self.state.next() {
            self.cursor = cursor;
        }
        Ok(())
    }

    /// Takes in what this process appended; its events have passed the rules.
    pub(super) fn learn(&mut self, events: &[SessionEvent], cursor: Cursor) {
        for event in events {
            if event.index() >= self.state.next() {
                self.state.apply(event);
            }
        }
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

    /// A session as its log stands now.
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
                Err(error) => {
                    self.forget(session);
                    return Err(error);
                }
            }
            self.forget(session);
        }
        let loaded = journal.load(&stream).await?;
        let cached = CachedSession::of(&loaded.events, loaded.cursor)?;
        Ok(self.0.get_or_insert(session, SharedSession(Arc::new(Mutex::new(cached)))))
    }

    /// A session that is known up to `cursor`. If that is where a lease stands, nothing can have come after it.
    pub(super) fn at(&self, session: SessionId, cursor: Cursor) -> Option<SharedSession> {
        self.0.get(session).filter(|cached| cached.lock().cursor == cursor)
    }

    /// The sessions that are known and that `wanted` says yes to.
    pub(super) fn known(&self, wanted: impl Fn(&SessionId) -> bool) -> Vec<SessionId> {
        self.0.keys(wanted)
    }

    /// Drops what is known of a session, for example because an append to it failed.
    pub(super) fn forget(&self, session: SessionId) {
        self.0.remove(session);
    }

    /// What is known of a session is about to be ahead of its log: the rules have seen a plan that is not
    /// appended yet.
    pub(super) fn ahead(&self, session: SessionId) -> ForgetOnDrop<'_> {
        ForgetOnDrop { sessions: self, session, is_settled: false }
    }
}

/// Forgets a session when it is dropped, also with a call that nobody waits for any more; unless the log caught
/// up.
#[must_use]
pub(super) struct ForgetOnDrop<'a> {
    sessions: &'a SessionCache,
    session: SessionId,
    is_settled: bool,
}

impl ForgetOnDrop<'_> {
    /// The log says now what is known.
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

/// Whether `warm` stands and has everything that came since.
async fn follow(
    journal: &dyn JournalReader<SessionEvent>,
    stream: &StreamId,
    cached: &SharedSession,
) -> Result<bool, Error> {
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
