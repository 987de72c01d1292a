//! Replies that a client may ask for again: because its connection broke, or because the server was started anew.
//!
//! Each call has a stream of events of its own. What the client should not miss of it is kept before it is sent, and has
//! an id; with the last id that it saw in `Last-Event-ID`, a client gets what came after that, from whichever process it
//! reaches. A call goes on, and its reply is kept, when its client is gone.
//!
//! A request is recognised when it is repeated: the protocol gives every request of a session an id of its own. While the
//! first one is under way, in whichever process, or if its reply never got through, the same id with the same message
//! gets that reply, and nothing is done twice. After a reply that got through, the client means another call: some count
//! anew. What clients without sessions repeat is the matter of `repeat`.
//!
//! Calls with the same id and message are numbered, and the number is in the ids of their events. The record of the newest
//! is kept by the message alone, where a repetition finds it; when another call follows it, it moves to an entry with its
//! number.
//!
//! *Invariants*: the ids of events name one call. What is kept for a session is found by its id alone, which is random and which only its client knows.
//! Without sessions, the id of the stream is such an id. What is kept is what was sent. A server gives what it kept itself,
//! or another that asks for the same token and offers the same; a session goes on at any.
//!
//! *Limitations*: "got through" means that the connection took all of it. Progress is not kept. A call whose process died
//! has no reply, and is made anew when it is repeated: `startKey` makes that harmless.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Poll, ready};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::poll_fn;
use futures_util::{Stream, StreamExt as _};
use piton_core::port::Clock;
use piton_core::{Digest, FileBytes};
use piton_runtime::replies::{Replies, ReplyClaim, ReplyKey};
use rmcp::model::{
    ClientJsonRpcMessage, CustomResult, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    ServerNotification, ServerResult,
};
use rmcp::transport::streamable_http_server::session::{
    EventStore, EventStoreError, EventStream, ServerSseMessage, SessionState, SessionStore,
    SessionStoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};

use crate::bounds::{REPLAY_PAUSE, REPLAY_WAIT};

/// The entry with what a client said of itself when it began its session.
const SESSION: &str = "session";

/// Whose the streams without a session are, with the first character of their id: what is kept of them is bounded as that
/// of so many clients.
const NOBODY: &str = "without a session";

/// How many events may wait for a client.
const WAITING_EVENTS: usize = 16;

/// How many hex digits of a digest tell the requests of a session apart.
const REQUEST_DIGITS: usize = 32;

/// Where a server keeps replies, and which of those there are its own.
#[derive(Clone)]
pub(super) struct OwnReplies {
    pub(super) replies: Arc<dyn Replies>,
    /// The same for servers that ask for the same token and offer the same.
    pub(super) server: Digest,
    pub(super) clock: Arc<dyn Clock>,
}

/// Replies that clients may ask for again. Clones keep the same ones.
#[derive(Clone)]
pub(super) struct KeptReplies {
    replies: Arc<dyn Replies>,
    server: Digest,
    clock: Arc<dyn Clock>,
}

/// The events of one call. Clones are of the same.
#[derive(Clone)]
pub(super) struct CallStream {
    /// Where the newest call with the same message is kept.
    key: ReplyKey,
    /// Tells calls with the same message apart. That of a repetition is known once the record of its call is seen; a
    /// call without a session has none.
    number: Option<Arc<OnceLock<u64>>>,
}

/// A call of this process, until its reply is there.
pub(super) struct LiveCall {
    stream: CallStream,
    /// Keeps every process from making the call once more.
    claim: Option<ReplyClaim>,
}

/// What is kept of a call.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptCall {
    /// In order; the number of an event is its place, counted from one.
    messages: Vec<Value>,
    /// Whether the reply is among them.
    is_done: bool,
    /// Whether the connection of the client took all of it.
    is_delivered: bool,
    /// Which of the calls with the same message it is of.
    #[serde(default)]
    number: u64,
    /// The server that keeps it.
    server: Option<Digest>,
}

impl CallStream {
    /// The stream of a request in a session.
    pub(super) fn of_request(session: &str, request: &ClientJsonRpcMessage) -> Self {
        let bytes = serde_json::to_vec(request).expect("a message is JSON");
        let digits = Digest::of(&FileBytes(&bytes)).hex();
        let name = format!("c{}", &digits[..REQUEST_DIGITS]);
        let key = ReplyKey::new(session, name.parse().expect("hex digits are a name"));
        Self { key, number: Some(Arc::default()) }
    }

    /// The stream of a call that stands alone; nothing if it cannot be one.
    fn without_session(id: &str) -> Option<Self> {
        let nobody = format!("{NOBODY} {}", id.chars().next()?);
        Some(Self { key: ReplyKey::new(&nobody, format!("s{id}").parse().ok()?), number: None })
    }

    /// The stream and the place of an event of a session.
    pub(super) fn of_event(session: &str, event: &str) -> Option<(Self, usize)> {
        let (call, place) = event.rsplit_once('-')?;
        // Calls were not numbered before.
        let (name, number) = call.split_once('-').unwrap_or((call, "0"));
        let digits = name.strip_prefix('c')?;
        let is_ours =
            digits.len() == REQUEST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let key = ReplyKey::new(session, name.parse().ok().filter(|_| is_ours)?);
        Some((Self { key, number: None }.numbered(number.parse().ok()?), place.parse().ok()?))
    }

    /// The call with this number and the same message.
    fn numbered(&self, number: u64) -> Self {
        Self { key: self.key.clone(), number: Some(Arc::new(OnceLock::from(number))) }
    }

    fn number(&self) -> Option<u64> {
        self.number.as_ref().and_then(|number| number.get().copied())
    }

    /// What the ids of its events begin with.
    fn label(&self) -> String {
        let name = self.key.name.as_str();
        self.number().map_or_else(|| name.to_owned(), |number| format!("{name}-{number}"))
    }

    /// Where it is kept when another call has followed it.
    fn earlier(&self) -> ReplyKey {
        let name = self.label().parse().expect("a name with a number is a name");
        ReplyKey { client: self.key.client, name }
    }

    fn event(&self, place: usize) -> String {
        format!("{}-{place}", self.label())
    }
}

impl KeptReplies {
    pub(super) fn new(OwnReplies { replies, server, clock }: OwnReplies) -> Self {
        Self { replies, server, clock }
    }

    /// A record of a call of which nothing was sent yet.
    fn fresh(&self, stream: &CallStream) -> KeptCall {
        let number = stream.number().unwrap_or_default();
        KeptCall { server: Some(self.server), number, ..KeptCall::default() }
    }

    /// Begins a call; nothing if it is a repetition whose reply is kept, or will be.
    pub(super) async fn begin(&self, stream: &CallStream) -> Option<LiveCall> {
        // First it is claimed: the call that this one repeats cannot end between this and the look at its record.
        let claim = match self.replies.claim(&stream.key).await {
            Ok(None) => return None,
            // What cannot be claimed is a call like any other.
            claim => claim.ok().flatten(),
        };
        let earlier = self.read(&stream.key).await;
        // The time makes a number unique also when nothing is left of the calls before.
        let follower = earlier.as_ref().map_or(0, |earlier| earlier.number.saturating_add(1));
        let own = stream.numbered(self.clock.now_ms().get().max(follower));
        if let Some(earlier) = earlier.filter(|record| record.is_done) {
            let is_ours = earlier.server == Some(self.server);
            if is_ours && !earlier.is_delivered {
                return None;
            }
            self.write(&stream.numbered(earlier.number).earlier(), &earlier).await;
            if is_ours {
                // A repetition of this call must not take the reply of the one before for its own.
                self.keep(&own, &self.fresh(&own)).await;
            }
        }
        Some(LiveCall { stream: own, claim })
    }

    /// What is known of a call. What cannot be read, or is of another server, is not there: then the call is one like any
    /// other.
    async fn record(&self, stream: &CallStream) -> Option<KeptCall> {
        let newest = self.read(&stream.key).await;
        let record = match &stream.number {
            None => newest,
            Some(number) => match (number.get(), newest) {
                (None, newest) => {
                    let is_ours = |record: &KeptCall| record.server == Some(self.server);
                    let newest = newest.filter(is_ours)?;
                    // Another clone may have seen one first; both see what is kept by the message.
                    (*number.get_or_init(|| newest.number) == newest.number).then_some(newest)
                }
                (Some(number), Some(newest)) if newest.number == *number => Some(newest),
                (Some(_), _) => self.read(&stream.earlier()).await,
            },
        };
        record.filter(|record| record.server == Some(self.server))
    }

    async fn read(&self, key: &ReplyKey) -> Option<KeptCall> {
        let bytes = self.replies.get(key).await.ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps the record of the newest call with its message. Whether it was kept.
    async fn keep(&self, stream: &CallStream, record: &KeptCall) -> bool {
        self.write(&stream.key, record).await
    }

    async fn write(&self, key: &ReplyKey, record: &KeptCall) -> bool {
        let bytes = serde_json::to_vec(record).expect("a record is JSON");
        self.replies.keep(key, bytes).await.is_ok()
    }

    /// Sends the events of a call to its client, and keeps them whether the client is there or not. What `until_reply` has
    /// is held until the reply is there, and what `until_end` has until the call has ended.
    pub(super) fn send(
        &self,
        call: LiveCall,
        events: impl Stream<Item = ServerSseMessage> + Send + 'static,
        until_reply: impl Send + 'static,
        until_end: impl Send + 'static,
    ) -> EventStream {
        let (sender, receiver) = mpsc::channel(WAITING_EVENTS);
        let (kept, LiveCall { stream, claim }) = (self.clone(), call);
        let sent = stream.clone();
        tokio::spawn(async move {
            let _until_end = until_end;
            let (stream, mut until_reply) = (&sent, Some((claim, until_reply)));
            let mut events = std::pin::pin!(events);
            let mut record = kept.fresh(stream);
            let mut is_there = true;
            while let Some(mut event) = events.next().await {
                event.event_id = None;
                if !event.message.as_deref().is_some_and(is_progress) {
                    record.add(event.message.as_deref());
                    // An id promises that what follows it can be had again.
                    if kept.keep(stream, &record).await {
                        event.event_id = Some(stream.event(record.messages.len()));
                    }
                    if record.is_done {
                        // A client that has its reply may use the id again at once.
                        drop(until_reply.take());
                    }
                }
                is_there = is_there && sender.send(event).await.is_ok();
            }
        });
        self.to_client(stream, receiver)
    }

    /// The events of a call after those that a client has seen.
    pub(super) async fn resume(&self, stream: CallStream, seen: usize) -> Option<EventStream> {
        // What is kept of a call that takes long may have made room for others.
        let is_known = self.record(&stream).await.is_some()
            || matches!(self.replies.claim(&stream.key).await, Ok(None));
        is_known.then(|| self.follow(stream, seen))
    }

    /// The same of a call that is known: those that are there, and those that come until its reply does.
    pub(super) fn follow(&self, stream: CallStream, mut seen: usize) -> EventStream {
        let (sender, receiver) = mpsc::channel(WAITING_EVENTS);
        let (kept, followed) = (self.clone(), stream.clone());
        tokio::spawn(async move {
            let ends = Instant::now() + REPLAY_WAIT;
            loop {
                let record = kept.record(&followed).await.unwrap_or_default();
                for message in record.messages.into_iter().skip(seen) {
                    seen += 1;
                    let Some(message) = message_of(message) else { continue };
                    let event = ServerSseMessage::new(followed.event(seen), message);
                    if sender.send(event).await.is_err() {
                        return;
                    }
                }
                if record.is_done || sender.is_closed() {
                    return;
                }
                if Instant::now() >= ends {
                    let again = ServerSseMessage::retry(Duration::from_secs(1));
                    let _ = sender.send(again).await;
                    return;
                }
                sleep(REPLAY_PAUSE).await;
            }
        });
        self.to_client(stream, receiver)
    }

    /// What a connection is given. When it has taken all of it, that is noted, and then the stream ends: who has read it
    /// to its end finds it noted.
    fn to_client(
        &self,
        stream: CallStream,
        mut events: mpsc::Receiver<ServerSseMessage>,
    ) -> EventStream {
        let (kept, mut noted) = (self.clone(), None);
        Box::pin(poll_fn(move |context| {
            if noted.is_none()
                && let Some(event) = ready!(events.poll_recv(context))
            {
                return Poll::Ready(Some(event));
            }
            let noted = noted.get_or_insert_with(|| {
                let (sender, receiver) = oneshot::channel::<()>();
                let (kept, stream) = (kept.clone(), stream.clone());
                tokio::spawn(async move {
                    kept.note_delivered(&stream).await;
                    drop(sender);
                });
                receiver
            });
            Pin::new(noted).poll(context).map(|_| None)
        }))
    }

    async fn note_delivered(&self, stream: &CallStream) {
        if let Some(mut record) = self.record(stream).await
            && record.is_done
            && !record.is_delivered
        {
            record.is_delivered = true;
            self.keep(stream, &record).await;
        }
    }

    /// Keeps a session as if it had begun now.
    pub(super) async fn keep_session_longer(&self, session: &str) {
        let key = Self::session_key(session);
        if let Ok(Some(bytes)) = self.replies.get(&key).await {
            // Where that fails, the client begins a session once more than it had to.
            let _ = self.replies.keep(&key, bytes).await;
        }
    }

    fn session_key(session: &str) -> ReplyKey {
        ReplyKey::new(session, SESSION.parse().expect("it is a name"))
    }
}

impl KeptCall {
    fn add(&mut self, message: Option<&ServerJsonRpcMessage>) {
        let Some(message) = message else { return };
        self.is_done |= is_reply(message);
        self.messages.push(serde_json::to_value(message).expect("a message is JSON"));
    }
}

pub(super) fn is_reply(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
}

fn is_progress(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Notification(sent)
        if matches!(sent.notification, ServerNotification::ProgressNotification(_)))
}

/// A message as it was sent. The result of a reply is not read as any type: that could lose what the type does not have.
fn message_of(mut value: Value) -> Option<ServerJsonRpcMessage> {
    let Some(result) = value.get_mut("result").map(Value::take) else {
        return serde_json::from_value(value).ok();
    };
    let id: RequestId = serde_json::from_value(value.get("id")?.clone()).ok()?;
    Some(ServerJsonRpcMessage::response(ServerResult::CustomResult(CustomResult(result)), id))
}

impl EventStore for KeptReplies {
    fn store_event<'a, 'b, 'c, 't>(
        &'a self,
        stream_id: &'b str,
        event: &'c ServerSseMessage,
    ) -> BoxFuture<'t, Result<String, EventStoreError>>
    where
        'a: 't,
        'b: 't,
        'c: 't,
        Self: 't,
    {
        Box::pin(async move {
            let stream = CallStream::without_session(stream_id).ok_or("its id is no name")?;
            let record = self.record(&stream).await;
            let mut record = record.unwrap_or_else(|| self.fresh(&stream));
            record.add(event.message.as_deref());
            // A reply that cannot be kept is sent all the same.
            self.keep(&stream, &record).await;
            Ok(stream.event(record.messages.len()))
        })
    }

    fn replay_events_after<'a, 'b, 't>(
        &'a self,
        last_event_id: &'b str,
    ) -> BoxFuture<'t, Result<EventStream, EventStoreError>>
    where
        'a: 't,
        'b: 't,
        Self: 't,
    {
        Box::pin(async move {
            let event = last_event_id.strip_prefix('s').and_then(|event| event.rsplit_once('-'));
            let Some((id, number)) = event else { return Err("it is no event of ours".into()) };
            let stream = CallStream::without_session(id).ok_or("it is no event of ours")?;
            let replayed = self.resume(stream, number.parse()?).await;
            replayed.ok_or_else(|| "nothing is kept of its stream".into())
        })
    }
}

impl SessionStore for KeptReplies {
    fn load<'a, 'b, 't>(
        &'a self,
        session_id: &'b str,
    ) -> BoxFuture<'t, Result<Option<SessionState>, SessionStoreError>>
    where
        'a: 't,
        'b: 't,
        Self: 't,
    {
        Box::pin(async move {
            let found = self.replies.get(&Self::session_key(session_id)).await?;
            Ok(found.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
        })
    }

    fn store<'a, 'b, 'c, 't>(
        &'a self,
        session_id: &'b str,
        state: &'c SessionState,
    ) -> BoxFuture<'t, Result<(), SessionStoreError>>
    where
        'a: 't,
        'b: 't,
        'c: 't,
        Self: 't,
    {
        Box::pin(async move {
            let bytes = serde_json::to_vec(state)?;
            Ok(self.replies.keep(&Self::session_key(session_id), bytes).await?)
        })
    }

    fn delete<'a, 'b, 't>(
        &'a self,
        session_id: &'b str,
    ) -> BoxFuture<'t, Result<(), SessionStoreError>>
    where
        'a: 't,
        'b: 't,
        Self: 't,
    {
        Box::pin(async move { Ok(self.replies.forget(ReplyKey::client(session_id)).await?) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use piton_store::Error;
    use piton_store::local::SystemClock;
    use piton_store::memory::MemoryReplies;
    use rmcp::model::{ClientRequest, EmptyResult, PingRequest};

    use super::*;

    /// Replies with which something happens while one of them is looked at.
    struct Interrupted {
        replies: MemoryReplies,
        meanwhile: Mutex<Option<BoxFuture<'static, ()>>>,
    }

    impl Interrupted {
        async fn interrupt(&self) {
            let meanwhile = self.meanwhile.lock().unwrap().take();
            if let Some(meanwhile) = meanwhile {
                meanwhile.await;
            }
        }
    }

    impl Replies for Interrupted {
        fn keep<'a>(
            &'a self,
            key: &'a ReplyKey,
            bytes: Vec<u8>,
        ) -> BoxFuture<'a, Result<(), Error>> {
            self.replies.keep(key, bytes)
        }

        fn get<'a>(&'a self, key: &'a ReplyKey) -> BoxFuture<'a, Result<Option<Vec<u8>>, Error>> {
            Box::pin(async move {
                let found = self.replies.get(key).await;
                self.interrupt().await;
                found
            })
        }

        fn claim<'a>(
            &'a self,
            key: &'a ReplyKey,
        ) -> BoxFuture<'a, Result<Option<ReplyClaim>, Error>> {
            Box::pin(async move {
                let claim = self.replies.claim(key).await;
                self.interrupt().await;
                claim
            })
        }

        fn forget(&self, client: Digest) -> BoxFuture<'_, Result<(), Error>> {
            self.replies.forget(client)
        }
    }

    /// The replies of a server.
    fn own(replies: impl Replies + 'static, server: &str) -> KeptReplies {
        let server = Digest::of(&FileBytes(server.as_bytes()));
        let (replies, clock) = (Arc::new(replies), Arc::new(SystemClock));
        KeptReplies::new(OwnReplies { replies, server, clock })
    }

    fn ping() -> ClientJsonRpcMessage {
        let ping = ClientRequest::PingRequest(PingRequest::default());
        ClientJsonRpcMessage::request(ping, RequestId::Number(7))
    }

    fn pong() -> ServerJsonRpcMessage {
        let reply = ServerResult::EmptyResult(EmptyResult {});
        ServerJsonRpcMessage::response(reply, RequestId::Number(7))
    }

    #[tokio::test]
    async fn a_server_that_offers_something_else_gives_no_reply_that_another_kept() {
        let replies = MemoryReplies::new(Arc::new(SystemClock));
        let stream = CallStream::of_request("a session", &ping());
        let first = own(replies.clone(), "first");
        let mut record = first.fresh(&stream);
        record.add(Some(&pong()));
        assert!(first.keep(&stream, &record).await);
        for (server, is_its_own) in [("first", true), ("second", false)] {
            let server = own(replies.clone(), server);
            assert_eq!(server.begin(&stream).await.is_none(), is_its_own);
            assert_eq!(server.resume(stream.clone(), 0).await.is_some(), is_its_own);
        }
    }

    #[tokio::test]
    async fn a_call_that_ends_while_its_repetition_is_looked_for_is_not_made_again() {
        let replies = MemoryReplies::new(Arc::new(SystemClock));
        let first = own(replies.clone(), "one");
        let stream = CallStream::of_request("a session", &ping());
        let call = first.begin(&stream).await.expect("it is the first of its kind");
        let ended = stream.clone();
        let meanwhile = async move {
            let mut record = first.fresh(&ended);
            record.add(Some(&pong()));
            assert!(first.keep(&ended, &record).await);
            drop(call);
        };
        let meanwhile = Mutex::new(Some(Box::pin(meanwhile) as BoxFuture<'static, ()>));
        let again = own(Interrupted { replies, meanwhile }, "one");
        assert!(again.begin(&stream).await.is_none());
        let events: Vec<_> = again.follow(stream, 0).collect().await;
        assert_eq!(events.len(), 1, "it gets the reply of the first");
    }
}
