//! The sessions of clients.
//!
//! *Invariants*: there are at most [`SESSIONS_MAX`]. The session that was idle for the longest time makes room; one
//! with a running call never does. A session that made room, or whose server was restarted, continues when its client
//! comes back, if replies are kept. Each running request of a session has a unique id, by which its reply finds it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::stream::once;
use futures_util::{Stream, StreamExt as _};
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};
use rmcp::transport::streamable_http_server::session::{
    EventStore, EventStream, RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
    SessionStore,
};

use super::call_stream::CallStream;
use super::kept::{KeptReplies, is_reply};
use super::phase::call_of;
use crate::bounds::SESSIONS_MAX;

/// Number of calls after which the record of a session is renewed.
const KEPT_EVERY: u64 = 4;

/// The sessions of clients.
pub(super) struct ClientSessions {
    held: LocalSessionManager,
    uses: Arc<Mutex<Uses>>,
    /// Serialises making room, so that two new sessions do not count on the same place.
    entrance: tokio::sync::Mutex<()>,
    kept: Option<KeptReplies>,
}

/// Usage of the sessions.
#[derive(Default)]
struct Uses {
    sessions: HashMap<SessionId, Use>,
    /// Logical clock, advanced by every action of a client.
    now: u64,
}

#[derive(Default)]
struct Use {
    last: u64,
    calls: usize,
    /// Number of calls so far.
    total: u64,
    /// Ids of the running requests.
    ids: HashSet<RequestId>,
}

/// A running call in a session. Dropping it ends the call.
struct CallInSession {
    uses: Arc<Mutex<Uses>>,
    session: SessionId,
}

/// The id of a request in a session, until its reply is there.
struct IdInUse {
    uses: Arc<Mutex<Uses>>,
    session: SessionId,
    id: RequestId,
}

/// Reason that a session cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionsError {
    /// All sessions have running calls.
    #[error(
        "the server has {SESSIONS_MAX} sessions, and all of them have calls under way. Try again later"
    )]
    Full,
    /// Nothing is kept for the event.
    #[error("nothing is kept of this event")]
    NotKept,
    #[error(transparent)]
    Held(#[from] LocalSessionManagerError),
}

fn lock(uses: &Mutex<Uses>) -> MutexGuard<'_, Uses> {
    uses.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for CallInSession {
    fn drop(&mut self) {
        if let Some(found) = lock(&self.uses).sessions.get_mut(&self.session) {
            found.calls = found.calls.saturating_sub(1);
        }
    }
}

impl Drop for IdInUse {
    fn drop(&mut self) {
        if let Some(found) = lock(&self.uses).sessions.get_mut(&self.session) {
            found.ids.remove(&self.id);
        }
    }
}

impl Uses {
    /// Records that a session is used now.
    fn note(&mut self, session: &SessionId) -> &mut Use {
        self.now += 1;
        let found = self.sessions.entry(Arc::clone(session)).or_default();
        found.last = self.now;
        found
    }

    /// Returns the session that was idle for the longest time.
    fn idle(&self) -> Option<SessionId> {
        let idle = self.sessions.iter().filter(|(_, found)| found.calls == 0);
        idle.min_by_key(|(_, found)| found.last).map(|(session, _)| Arc::clone(session))
    }
}

impl ClientSessions {
    pub(super) fn new(kept: Option<KeptReplies>) -> Self {
        Self {
            held: LocalSessionManager::default(),
            uses: Arc::default(),
            entrance: tokio::sync::Mutex::default(),
            kept,
        }
    }

    /// Returns the store of sessions, if they are kept.
    pub(super) fn store(&self) -> Option<Arc<dyn SessionStore>> {
        self.kept.clone().map(|kept| Arc::new(kept) as Arc<dyn SessionStore>)
    }

    async fn make_room(&self) -> Result<(), SessionsError> {
        while self.held.sessions.read().await.len() >= SESSIONS_MAX {
            let idle = lock(&self.uses).idle().ok_or(SessionsError::Full)?;
            self.close_session(&idle).await?;
        }
        Ok(())
    }

    /// Counts a call. Returns true when it is time to renew the record of the session: records are evicted by age, and
    /// the client's description of itself would be the oldest.
    fn is_due(&self, session: &SessionId) -> bool {
        let mut uses = lock(&self.uses);
        let total = &mut uses.note(session).total;
        *total += 1;
        total.is_multiple_of(KEPT_EVERY)
    }

    fn call(&self, session: &SessionId) -> CallInSession {
        lock(&self.uses).note(session).calls += 1;
        CallInSession { uses: Arc::clone(&self.uses), session: Arc::clone(session) }
    }

    /// Reserves the id of a request while it is running. Refuses it if another request has the same id.
    fn take_id(
        &self,
        session: &SessionId,
        message: &ClientJsonRpcMessage,
    ) -> Result<Option<IdInUse>, EventStream> {
        let ClientJsonRpcMessage::Request(request) = message else { return Ok(None) };
        let id = request.id.clone();
        if lock(&self.uses).note(session).ids.insert(id.clone()) {
            return Ok(Some(IdInUse {
                uses: Arc::clone(&self.uses),
                session: session.clone(),
                id,
            }));
        }
        let words = format!(
            "Another request with the id {id} is under way in this session. Nothing was done. Send this one with an id of its own."
        );
        let error = ServerJsonRpcMessage::error(ErrorData::invalid_request(words, None), Some(id));
        Err(Box::pin(once(async { ServerSseMessage::from_message(error) })))
    }
}

impl SessionManager for ClientSessions {
    type Error = SessionsError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionsError> {
        // Held until the session exists, so that the limit is never exceeded.
        let _entrance = self.entrance.lock().await;
        self.make_room().await?;
        let (id, transport) = self.held.create_session().await?;
        lock(&self.uses).note(&id);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionsError> {
        let _call = self.call(id);
        Ok(self.held.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionsError> {
        let is_held = self.held.has_session(id).await?;
        if is_held {
            lock(&self.uses).note(id);
        }
        Ok(is_held)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionsError> {
        lock(&self.uses).sessions.remove(id);
        Ok(self.held.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        // Count the call first, so that the session cannot be closed to make room while it begins.
        let call = (self.call(id), call_of(&message));
        let Some(kept) = &self.kept else {
            let mut taken = match self.take_id(id, &message) {
                Ok(taken) => taken,
                Err(refusal) => return Ok(refusal),
            };
            let events = self.held.create_stream(id, message).await?;
            let events = events.map(move |event| {
                let _under_way = &call;
                if event.message.as_deref().is_some_and(is_reply) {
                    // The client may reuse the id as soon as it sees the reply, so release it before passing the reply
                    // on.
                    drop(taken.take());
                }
                event
            });
            return Ok(Box::pin(events) as EventStream);
        };
        if self.is_due(id) {
            kept.keep_session_longer(id).await;
        }
        // A repetition must be recognised before its id is reserved: the first request may still hold it.
        let stream = CallStream::of_request(id, &message);
        match kept.begin(&stream).await {
            Some(live) => {
                let taken = match self.take_id(id, &message) {
                    Ok(taken) => taken,
                    Err(refusal) => return Ok(refusal),
                };
                let events = self.held.create_stream(id, message).await?;
                Ok(kept.send(live, events, taken, call))
            }
            None => Ok(kept.follow(stream, 0)),
        }
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionsError> {
        Ok(self.held.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(self.held.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let of_a_call = CallStream::of_event(id, &last_event_id);
        // The id of the session is part of the key, so an event id of another session finds nothing.
        match (&self.kept, of_a_call) {
            (Some(kept), Some((stream, seen))) => {
                kept.resume(stream, seen).await.ok_or(SessionsError::NotKept)
            }
            _ => Ok(Box::pin(self.held.resume(id, last_event_id).await?) as EventStream),
        }
    }

    async fn restore_session(
        &self,
        id: SessionId,
    ) -> Result<RestoreOutcome<Self::Transport>, SessionsError> {
        let _entrance = self.entrance.lock().await;
        self.make_room().await?;
        lock(&self.uses).note(&id);
        Ok(self.held.restore_session(id).await?)
    }

    fn event_store(&self) -> Option<Arc<dyn EventStore>> {
        self.kept.clone().map(|kept| Arc::new(kept) as Arc<dyn EventStore>)
    }
}
