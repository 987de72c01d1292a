//! Transports messages as lines of a pipe.
//!
//! *Invariants*: a line that is too long is never held as a whole. A line that cannot be read is answered, and reading
//! continues with the next one: a client that waits for a reply gets one. Notifications are never answered. Until the
//! client has said which revision it speaks, they are ignored: one that cancels a call that was never made does not end
//! the connection. The memory that a client can occupy is bounded: nothing is read from a client that does not read its
//! replies, one that leaves them unread for [`PIPE_WRITE_WAIT`] is dropped, and calls beyond [`PIPE_CALLS_MAX`] are
//! refused.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, GetMeta as _, JsonRpcMessage, ProtocolVersion,
    RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, Empty};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::bounds::{
    CLOSE_WAIT, MESSAGE_BYTES_MAX, PIPE_CALLS_MAX, PIPE_REPLIES_MAX, PIPE_WRITE_WAIT,
};
use crate::malformed::{refusal, refusal_of, refusal_of_numbers};
use crate::oversized::{Passing, Waits};
use crate::plain_call;

/// A pipe that carries one message per line.
pub(crate) struct LineTransport<R, W: AsyncWrite> {
    input: Input<R>,
    /// Set when the client has said which revision it speaks.
    is_begun: bool,
    write: AsyncRwTransport<RoleServer, Empty, W>,
    unwritten: Unwritten,
    calls: Calls,
    /// `None` once it was ready.
    stop: Option<Stop>,
    is_stopped: bool,
}

/// The reading end of a pipe.
struct Input<R> {
    read: BufReader<R>,
    /// Beginning of the current line. A cancelled read resumes from here.
    line: Vec<u8>,
    /// State of the current line if it is too long and being skipped.
    passing: Option<Passing>,
}

/// A future that is ready when the server is asked to stop.
pub(crate) type Stop = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The replies that wait for the client to read them. Clones share the same count.
#[derive(Clone)]
pub(crate) struct Unwritten(Arc<watch::Sender<Backlog>>);

#[derive(Clone, Copy, Default)]
struct Backlog {
    replies: usize,
    /// Set when a reply waited for so long that the client counts as gone.
    is_stalled: bool,
}

/// A waiting reply, until this is dropped.
struct OneReply(Unwritten);

/// The running calls, by the ids of their requests.
#[derive(Default)]
struct Calls {
    by_id: HashMap<RequestId, usize>,
    count: usize,
}

/// Result of reading from a pipe.
enum Brought {
    Line(Vec<u8>),
    TooLong(Passing),
    End,
}

/// Interpretation of a line.
enum LineMessage {
    Message(RxJsonRpcMessage<RoleServer>),
    Refused(TxJsonRpcMessage<RoleServer>),
    Nothing,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W, stop: Stop) -> Self {
        Self {
            input: Input { read: BufReader::new(read), line: Vec::new(), passing: None },
            is_begun: false,
            write: AsyncRwTransport::new_server(tokio::io::empty(), write),
            unwritten: Unwritten(Arc::new(watch::Sender::new(Backlog::default()))),
            calls: Calls::default(),
            stop: Some(stop),
            is_stopped: false,
        }
    }

    /// Returns the waiting replies, for a caller that outlives this transport.
    pub(crate) fn unwritten(&self) -> Unwritten {
        self.unwritten.clone()
    }

    /// Returns the next line once the client reads its replies. Returns `None` if the client is gone or the server is
    /// stopped.
    async fn next(&mut self) -> Option<Brought> {
        let Self { input, unwritten, stop, .. } = self;
        let stopped = async {
            match stop {
                Some(stop) => stop.await,
                None => std::future::pending().await,
            }
        };
        let brought = async {
            // Backpressure: a client that does not read its replies gets no further requests accepted.
            unwritten.are_few().await?;
            Some(input.next().await)
        };
        tokio::select! {
            () = stopped => {}
            () = unwritten.stalled() => return None,
            brought = brought => return brought,
        }
        // A finished future must not be polled again.
        self.stop = None;
        self.is_stopped = true;
        None
    }

    /// Writes a message, if the client reads it in time.
    fn written(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> Pin<Box<dyn Future<Output = Result<(), io::Error>> + Send>> {
        // Counted now, not when the future first runs, so that `are_few` sees every reply that was promised.
        let (unwritten, reply) = (self.unwritten.clone(), self.unwritten.one());
        let writing = self.write.send(message);
        Box::pin(async move {
            let _waits = reply;
            timeout(PIPE_WRITE_WAIT, writing).await.unwrap_or_else(|_| {
                unwritten.give_up();
                Err(io::ErrorKind::TimedOut.into())
            })
        })
    }

    /// True if a message is meaningful. Before the client has begun, only requests are.
    fn counts(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        let JsonRpcMessage::Request(request) = message else { return self.is_begun };
        self.is_begun |= begins(&request.request);
        true
    }
}

impl<R: AsyncRead + Send + Unpin> Input<R> {
    /// Returns the next line. Cancel-safe: it may be dropped at any await and called again.
    async fn next(&mut self) -> Brought {
        loop {
            let available = match self.read.fill_buf().await {
                Ok([]) | Err(_) => return Brought::End,
                Ok(available) => available,
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = &available[..end.unwrap_or(available.len())];
            let consumed = end.map_or(available.len(), |end| end + 1);
            // The line is already too long, so only look at what passes.
            if let Some(passing) = &mut self.passing {
                passing.see(taken);
            } else if self.line.len() + taken.len() > MESSAGE_BYTES_MAX {
                // It just became too long: release what is held, and let the skipper see it from the beginning.
                let passing = self.passing.insert(Passing::default());
                passing.see(&std::mem::take(&mut self.line));
                passing.see(taken);
            } else {
                self.line.extend_from_slice(taken);
            }
            // Only now, after the bytes were taken over and with no await in between, so that cancelling loses nothing.
            self.read.consume(consumed);
            if end.is_some() {
                return match self.passing.take() {
                    Some(passing) => Brought::TooLong(passing),
                    None => Brought::Line(std::mem::take(&mut self.line)),
                };
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        // The call no longer counts, even if its reply still waits to be written.
        self.calls.end(answered(&message));
        self.written(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.is_stopped {
                return None;
            }
            let said = match self.next().await? {
                Brought::End => return None,
                Brought::TooLong(passed) => too_long(passed),
                Brought::Line(line) => read(&line),
            };
            let refused = match said {
                LineMessage::Message(message) if self.counts(&message) => {
                    match self.calls.begin(&message) {
                        Ok(()) => return Some(message),
                        Err(refused) => *refused,
                    }
                }
                LineMessage::Refused(refused) => refused,
                LineMessage::Message(_) | LineMessage::Nothing => continue,
            };
            self.written(refused).await.ok()?;
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        if self.unwritten.0.borrow().is_stalled {
            return Ok(());
        }
        // Bytes that the client never reads must not delay the exit.
        timeout(CLOSE_WAIT, self.write.close()).await.unwrap_or(Ok(()))
    }
}

impl Unwritten {
    fn one(&self) -> OneReply {
        self.0.send_modify(|backlog| backlog.replies += 1);
        OneReply(self.clone())
    }

    fn give_up(&self) {
        self.0.send_modify(|backlog| backlog.is_stalled = true);
    }

    /// True if the client was dropped because it read nothing.
    pub(crate) fn is_stalled(&self) -> bool {
        self.0.borrow().is_stalled
    }

    /// Returns when the client counts as gone.
    async fn stalled(&self) {
        let _ = self.0.subscribe().wait_for(|backlog| backlog.is_stalled).await;
    }

    /// Waits until there is room for more replies. Returns `None` if the client counts as gone.
    async fn are_few(&self) -> Option<()> {
        let mut backlog = self.0.subscribe();
        let is_settled = |now: &Backlog| now.is_stalled || now.replies < PIPE_REPLIES_MAX;
        let now = *backlog.wait_for(is_settled).await.ok()?;
        (!now.is_stalled).then_some(())
    }
}

impl Drop for OneReply {
    fn drop(&mut self) {
        self.0.0.send_modify(|backlog| backlog.replies -= 1);
    }
}

impl Calls {
    /// Counts a request, or refuses it.
    fn begin(
        &mut self,
        message: &RxJsonRpcMessage<RoleServer>,
    ) -> Result<(), Box<TxJsonRpcMessage<RoleServer>>> {
        match message {
            JsonRpcMessage::Request(request) if self.count >= PIPE_CALLS_MAX => {
                let words = format!(
                    "{PIPE_CALLS_MAX} calls are under way already. Nothing was done; wait for replies, then repeat this one."
                );
                let refused = refusal(ErrorCode::INTERNAL_ERROR, words, Some(request.id.clone()));
                return Err(Box::new(refused));
            }
            JsonRpcMessage::Request(request) => {
                *self.by_id.entry(request.id.clone()).or_default() += 1;
                self.count += 1;
            }
            // A cancelled call may get no reply, so it must not count for ever.
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(taken_back) = &sent.notification {
                    self.end(taken_back.params.request_id.as_ref());
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Records that a call has ended, if it is a running one.
    fn end(&mut self, id: Option<&RequestId>) {
        let Some(id) = id else { return };
        if let Some(count) = self.by_id.get_mut(id) {
            *count -= 1;
            if *count == 0 {
                self.by_id.remove(id);
            }
            self.count -= 1;
        }
    }
}

/// Returns the id of the request that a message answers.
fn answered(message: &TxJsonRpcMessage<RoleServer>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// True if a request says which revision the client speaks: by a handshake, or on its own.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let is_whole = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
            let known = ProtocolVersion::KNOWN_VERSIONS;
            is_whole && meta.protocol_version().is_some_and(|spoken| known.contains(&spoken))
        }
    }
}

fn read(line: &[u8]) -> LineMessage {
    let line = line.trim_ascii();
    if line.is_empty() {
        return LineMessage::Nothing;
    }
    if let Some(refused) = refusal_of_numbers(line) {
        return LineMessage::Refused(refused);
    }
    if let Some(call) = plain_call::read(line) {
        return LineMessage::Message(call);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return LineMessage::Message(message);
    }
    // An unreadable notification: nobody waits for a reply to it.
    match serde_json::from_slice::<Value>(line) {
        Ok(value) if value.get("method").is_some() && value.get("id").is_none() => {
            LineMessage::Nothing
        }
        _ => LineMessage::Refused(refusal_of(line)),
    }
}

fn too_long(passed: Passing) -> LineMessage {
    let Waits::Somebody(id) = passed.waits() else { return LineMessage::Nothing };
    let words = format!(
        "A message of more than {MESSAGE_BYTES_MAX} bytes was passed over. Send less at once: a long file in parts, with `append`."
    );
    LineMessage::Refused(refusal(ErrorCode::INVALID_REQUEST, words, id))
}
