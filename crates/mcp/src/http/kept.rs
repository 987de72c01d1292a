//! Keeps replies that a client may request again, because its connection broke or the server was restarted.
//!
//! Each call has its own stream of events. Everything that the client should not miss is stored before it is sent, and
//! has an id. With the last id that it saw in `Last-Event-ID`, a client gets everything after it, from whichever
//! process it reaches. A call continues, and its reply is kept, when its client is gone.
//!
//! A repeated request is recognised: the protocol gives every request of a session an id of its own. While the first
//! call is running, in whichever process, or if its reply never got through, the same id with the same message gets
//! that reply, and nothing is done twice. After a reply that got through, the client means another call, because some
//! clients restart their numbering. Repetitions by clients without sessions are handled by `repeat`.
//!
//! *Invariants*: the records of a session are found by its id alone, which is
//! random and known only to its client. Without sessions, the id of the stream serves the same purpose. The stored
//! messages are the ones that were sent. A server returns only records that it stored itself, or that were stored by
//! another server that requires the same token and makes the same offer; a session continues at any of them.
//!
//! *Limitations*: "got through" means that the connection accepted all bytes. Progress is not kept. A call whose
//! process died has no reply, and is made again when it is repeated; `startKey` makes that harmless.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::poll_fn;
use futures_util::{Stream, StreamExt as _};
use piton_core::Digest;
use piton_core::port::Clock;
use piton_runtime::{Replies, ReplyClaim, ReplyKey};
use rmcp::model::{
    CustomResult, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification, ServerResult,
};
use rmcp::transport::streamable_http_server::session::{
    EventStore, EventStoreError, EventStream, ServerSseMessage, SessionState, SessionStore,
    SessionStoreError,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};

use super::call_stream::CallStream;
use crate::bounds::{REPLAY_PAUSE, REPLAY_WAIT};

/// Name of the entry with the client's description of itself from the start of its session.
const SESSION: &str = "session";

/// Maximum number of events that may wait for a client.
const WAITING_EVENTS: usize = 16;

/// Replies that clients may request again, and the identity that marks the records of this server. Clones share the same
/// store.
#[derive(Clone)]
pub(super) struct KeptReplies {
    pub(super) replies: Arc<dyn Replies>,
    /// The same for servers that require the same token and make the same offer.
    pub(super) server: Digest,
    pub(super) clock: Arc<dyn Clock>,
}

/// A call of this process, until its reply is there.
pub(super) struct LiveCall {
    stream: CallStream,
    /// Keeps every process from making the call again.
    claim: Option<ReplyClaim>,
}

/// Stored record of a call.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptCall {
    /// In order. The number of an event is its position, counted from one.
    messages: Vec<Value>,
    /// Set when the reply is among them.
    is_done: bool,
    /// Set when the connection of the client accepted all of it.
    is_delivered: bool,
    /// Number among the calls with the same message.
    #[serde(default)]
    number: u64,
    /// Server that stored the record.
    server: Option<Digest>,
}

impl KeptReplies {
    /// Creates the record of a call that has sent nothing yet.
    fn fresh(&self, stream: &CallStream) -> KeptCall {
        let number = stream.number().unwrap_or_default();
        KeptCall { server: Some(self.server), number, ..KeptCall::default() }
    }

    /// Begins a call. Returns `None` if it is a repetition whose reply is stored, or will be.
    pub(super) async fn begin(&self, stream: &CallStream) -> Option<LiveCall> {
        // Claim first, so that the repeated call cannot end between the claim and reading its record.
        let claim = match self.replies.claim(&stream.key).await {
            // The first call is still running, here or in another process.
            Ok(None) => return None,
            // If claiming fails, treat it as a new call.
            claim => claim.ok().flatten(),
        };
        let earlier: Option<KeptCall> = self.read(&stream.key).await;
        // The clock makes the number unique even if no record of earlier calls is left.
        let follower = earlier.as_ref().map_or(0, |earlier| earlier.number.saturating_add(1));
        let own = stream.numbered(self.clock.now_ms().get().max(follower));
        if let Some(earlier) = earlier.filter(|record| record.is_done) {
            let is_ours = earlier.server == Some(self.server);
            if is_ours && !earlier.is_delivered {
                // The reply never got through, so the client wants that one.
                return None;
            }
            // Make room for the new call, but keep the old record for clients that resume its events.
            self.write(&stream.numbered(earlier.number).earlier(), &earlier).await;
            if is_ours {
                // A repetition of this call must not receive the reply of the one before.
                self.keep(&own, &self.fresh(&own)).await;
            }
        }
        Some(LiveCall { stream: own, claim })
    }

    /// Returns the record of a call. A record that cannot be read, or belongs to another server, is treated as absent;
    /// the call is then like any new one.
    async fn record(&self, stream: &CallStream) -> Option<KeptCall> {
        let newest: Option<KeptCall> = self.read(&stream.key).await;
        let record = match &stream.number {
            None => newest,
            Some(number) => match (number.get(), newest) {
                (None, newest) => {
                    let is_ours = |record: &KeptCall| record.server == Some(self.server);
                    let newest = newest.filter(is_ours)?;
                    // Another clone may have fixed the number first; both read the same record of the newest call.
                    (*number.get_or_init(|| newest.number) == newest.number).then_some(newest)
                }
                (Some(number), Some(newest)) if newest.number == *number => Some(newest),
                // Another call has followed, so the record was moved to its own entry.
                (Some(_), _) => self.read(&stream.earlier()).await,
            },
        };
        record.filter(|record| record.server == Some(self.server))
    }

    /// Reads a record. One that cannot be read is treated as absent.
    pub(super) async fn read<T: DeserializeOwned>(&self, key: &ReplyKey) -> Option<T> {
        let bytes = self.replies.get(key).await.ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Stores the record of the newest call with its message. Returns true if it was stored.
    async fn keep(&self, stream: &CallStream, record: &KeptCall) -> bool {
        self.write(&stream.key, record).await
    }

    /// Stores a record. Returns true if it was stored.
    pub(super) async fn write(&self, key: &ReplyKey, record: &impl Serialize) -> bool {
        let bytes = serde_json::to_vec(record).expect("a record is JSON");
        self.replies.keep(key, bytes).await.is_ok()
    }

    /// Sends the events of a call to its client, and stores them whether the client is there or not. `until_reply` is
    /// dropped once the reply is there, and `until_end` once the call has ended.
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
        // A separate task, so that the call continues when the client disconnects.
        tokio::spawn(async move {
            let _until_end = until_end;
            let (stream, mut until_reply) = (&sent, Some((claim, until_reply)));
            let mut events = std::pin::pin!(events);
            let mut record = kept.fresh(stream);
            let mut is_there = true;
            while let Some(mut event) = events.next().await {
                event.event_id = None;
                // Progress gets no id: it is not stored, and must not count as seen.
                if !event.message.as_deref().is_some_and(is_progress) {
                    record.add(event.message.as_deref());
                    // An id promises that everything after it can be requested again.
                    if kept.keep(stream, &record).await {
                        event.event_id = Some(stream.event(record.messages.len()));
                    }
                    if record.is_done {
                        // A client that has its reply may reuse the request id at once.
                        drop(until_reply.take());
                    }
                }
                is_there = is_there && sender.send(event).await.is_ok();
            }
        });
        self.to_client(stream, receiver)
    }

    /// Resumes the events of a call after those that the client has seen.
    pub(super) async fn resume(&self, stream: CallStream, seen: usize) -> Option<EventStream> {
        // The record of a long call may have been evicted, but its claim shows that it is still running.
        let is_known = self.record(&stream).await.is_some()
            || matches!(self.replies.claim(&stream.key).await, Ok(None));
        is_known.then(|| self.follow(stream, seen))
    }

    /// Follows a known call: sends the stored events, then new ones until its reply.
    pub(super) fn follow(&self, stream: CallStream, mut seen: usize) -> EventStream {
        let (sender, receiver) = mpsc::channel(WAITING_EVENTS);
        let (kept, followed) = (self.clone(), stream.clone());
        tokio::spawn(async move {
            let ends = Instant::now() + REPLAY_WAIT;
            loop {
                let record = kept.record(&followed).await.unwrap_or_default();
                for message in record.messages.into_iter().skip(seen) {
                    seen += 1;
                    // A message that cannot be decoded still takes up its number.
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
                    // Ask the client to reconnect instead of holding the connection for as long as the call takes.
                    let again = ServerSseMessage::retry(Duration::from_secs(1));
                    let _ = sender.send(again).await;
                    return;
                }
                sleep(REPLAY_PAUSE).await;
            }
        });
        self.to_client(stream, receiver)
    }

    /// Returns the events for a connection. Once the connection has accepted all of them, that is recorded, and only
    /// then does the stream end. A client that has read to the end can therefore rely on the record.
    fn to_client(
        &self,
        stream: CallStream,
        mut events: mpsc::Receiver<ServerSseMessage>,
    ) -> EventStream {
        let (kept, mut noted) = (self.clone(), None);
        Box::pin(poll_fn(move |context| {
            // Once the events have ended, the receiver must not be polled again.
            if noted.is_none()
                && let Some(event) = ready!(events.poll_recv(context))
            {
                return Poll::Ready(Some(event));
            }
            let noted = noted.get_or_insert_with(|| {
                let (sender, receiver) = oneshot::channel::<()>();
                let (kept, stream) = (kept.clone(), stream.clone());
                // A task of its own: if the connection drops the stream now, the delivery is recorded all the same.
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
        // While this holds the claim, no other call can begin with the same message and move the record away. If
        // another call holds it, that one already follows this reply or notes it.
        let Ok(Some(_claim)) = self.replies.claim(&stream.key).await else { return };
        if let Some(mut record) = self.record(stream).await
            && record.is_done
            && !record.is_delivered
        {
            record.is_delivered = true;
            self.keep(stream, &record).await;
        }
    }

    /// Extends the lifetime of a session, as if it had begun now.
    pub(super) async fn keep_session_longer(&self, session: &str) {
        let key = Self::session_key(session);
        if let Ok(Some(bytes)) = self.replies.get(&key).await {
            // If that fails, the client has to begin a session once more than necessary.
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

/// Decodes a message as it was sent. The result of a reply is not parsed into a type, which could lose fields that the
/// type does not have.
fn message_of(mut value: Value) -> Option<ServerJsonRpcMessage> {
    let Some(result) = value.get_mut("result").map(Value::take) else {
        return serde_json::from_value(value).ok();
    };
    let id: RequestId = serde_json::from_value(value.get("id")?.clone()).ok()?;
    Some(ServerJsonRpcMessage::response(ServerResult::CustomResult(CustomResult(result)), id))
}

#[async_trait]
impl EventStore for KeptReplies {
    async fn store_event(
        &self,
        stream_id: &str,
        event: &ServerSseMessage,
    ) -> Result<String, EventStoreError> {
        let stream = CallStream::without_session(stream_id).ok_or("its id is no name")?;
        let record = self.record(&stream).await;
        let mut record = record.unwrap_or_else(|| self.fresh(&stream));
        record.add(event.message.as_deref());
        // A reply that cannot be stored is sent all the same.
        self.keep(&stream, &record).await;
        Ok(stream.event(record.messages.len()))
    }

    async fn replay_events_after(
        &self,
        last_event_id: &str,
    ) -> Result<EventStream, EventStoreError> {
        let event = last_event_id.strip_prefix('s').and_then(|event| event.rsplit_once('-'));
        let Some((id, number)) = event else { return Err("it is no event of ours".into()) };
        let stream = CallStream::without_session(id).ok_or("it is no event of ours")?;
        let replayed = self.resume(stream, number.parse()?).await;
        replayed.ok_or_else(|| "nothing is kept of its stream".into())
    }
}

#[async_trait]
impl SessionStore for KeptReplies {
    async fn load(&self, session_id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let found = self.replies.get(&Self::session_key(session_id)).await?;
        Ok(found.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    async fn store(&self, session_id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let bytes = serde_json::to_vec(state)?;
        Ok(self.replies.keep(&Self::session_key(session_id), bytes).await?)
    }

    async fn delete(&self, session_id: &str) -> Result<(), SessionStoreError> {
        Ok(self.replies.forget(ReplyKey::client(session_id)).await?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures_util::future::BoxFuture;
    use piton_core::FileBytes;
    use piton_store::Error;
    use piton_store::local::SystemClock;
    use piton_store::memory::MemoryReplies;
    use rmcp::model::{ClientJsonRpcMessage, ClientRequest, EmptyResult, PingRequest};

    use super::*;

    /// Replies that run a future while one of them is being read.
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

    /// Creates the replies of a server.
    fn own(replies: impl Replies + 'static, server: &str) -> KeptReplies {
        let server = Digest::of(&FileBytes(server.as_bytes()));
        let (replies, clock) = (Arc::new(replies), Arc::new(SystemClock));
        KeptReplies { replies, server, clock }
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

    #[tokio::test]
    async fn a_delivery_that_is_noted_late_leaves_the_record_of_the_next_call_alone() {
        let replies = MemoryReplies::new(Arc::new(SystemClock));
        let server = own(replies.clone(), "one");
        let stream = CallStream::of_request("a session", &ping());
        let call = server.begin(&stream).await.expect("it is the first of its kind");
        let sent = call.stream.clone();
        let mut record = server.fresh(&sent);
        record.add(Some(&pong()));
        assert!(server.keep(&sent, &record).await);
        drop(call);
        // Two connections got the reply. While one of them notes it, the other does too, and the client calls again.
        let next = Arc::new(Mutex::new(None));
        let (other, noted, again, begun) =
            (server.clone(), sent.clone(), stream.clone(), Arc::clone(&next));
        let meanwhile = async move {
            other.note_delivered(&noted).await;
            let call = other.begin(&again).await;
            *begun.lock().unwrap() = call;
        };
        let meanwhile = Mutex::new(Some(Box::pin(meanwhile) as BoxFuture<'static, ()>));
        own(Interrupted { replies, meanwhile }, "one").note_delivered(&sent).await;
        let next = next.lock().unwrap().take();
        let next = match next {
            Some(next) => next,
            None => server.begin(&stream).await.expect("the reply got through"),
        };
        let newest: KeptCall = server.read(&stream.key).await.expect("a call has a record");
        assert_eq!(Some(newest.number), next.stream.number(), "it is the next call's");
    }
}
