//! The sessions of clients.
//!
//! *Invariants*: there are at most [`SESSIONS_MAX`]. The one that was idle for the longest time makes room; one with a call
//! under way never does. A session that made room, or whose server was started anew, goes on when its client comes back,
//! if replies are kept. Of the requests under way in a session each has an id of its own: by that its reply finds it.

use std::collections::{HashMap, HashSet};
use std::fmt;
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

use super::kept::{CallStream, KeptReplies, OwnReplies, is_reply};
use super::phase::call_of;
use crate::bounds::SESSIONS_MAX;

/// After so many calls of a session it is kept anew.
const KEPT_EVERY: u64 = 4;

/// The sessions of clients.
pub(super) struct ClientSessions {
    held: LocalSessionManager,
    uses: Arc<Mutex<Uses>>,
    /// One at a time makes room.
    entrance: tokio::sync::Mutex<()>,
    kept: Option<KeptReplies>,
}

/// How sessions are used.
#[derive(Default)]
struct Uses {
    sessions: HashMap<SessionId, Use>,
    /// Counts what clients do.
    now: u64,
}

#[derive(Default)]
struct Use {
    last: u64,
    calls: usize,
    /// How many calls there were.
    total: u64,
    /// The ids of the requests under way.
    ids: HashSet<RequestId>,
}

/// A call in a session, for as long as it is under way.
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

/// Why a session cannot be used.
#[derive(Debug)]
pub(super) enum SessionsError {
    /// All of them have calls under way.
    Full,
    /// Nothing is kept of an event.
    NotKept,
    Held(LocalSessionManagerError),
}

impl fmt::Display for SessionsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => write!(
                formatter,
                "the server has {SESSIONS_MAX} sessions, and all of them have calls under way. Try again later"
            ),
            Self::NotKept => formatter.write_str("nothing is kept of this event"),
            Self::Held(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for SessionsError {}

impl From<LocalSessionManagerError> for SessionsError {
    fn from(error: LocalSessionManagerError) -> Self {
        Self::Held(error)
    }
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
    /// Notes that a session is used now.
    fn note(&mut self, session: &SessionId) -> &mut Use {
        self.now += 1;
        let found = self.sessions.entry(Arc::clone(session)).or_default();
        found.last = self.now;
        found
    }

    /// The session that was idle for the longest time.
    fn idle(&self) -> Option<SessionId> {
        let idle = self.sessions.iter().filter(|(_, found)| found.calls == 0);
        idle.min_by_key(|(_, found)| found.last).map(|(session, _)| Arc::clone(session))
    }
}

impl ClientSessions {
    pub(super) fn new(replies: Option<OwnReplies>) -> Self {
        Self {
            held: LocalSessionManager::default(),
            uses: Arc::default(),
            entrance: tokio::sync::Mutex::default(),
            kept: replies.map(KeptReplies::new),
        }
    }

    /// Where sessions are kept, if they are.
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

    /// Counts a call, and says whether it is time to keep the session for longer: what is kept goes by age, and what a
    /// client said of itself at the beginning would be the oldest.
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

    /// Takes the id of a request for as long as it is under way; refuses it if another request has it.
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
                    drop(taken.take());
                }
                event
            });
            return Ok(Box::pin(events) as EventStream);
        };
        if self.is_due(id) {
            kept.keep_session_longer(id).await;
        }
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
