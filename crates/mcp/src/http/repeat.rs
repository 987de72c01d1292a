//! Recognises calls that clients without sessions repeat because they lost the reply.
//!
//! Without a session nothing tells two clients apart, and each may number its requests from one, so an equal message
//! can be another call. A call is therefore treated as a repetition of an equal one only if the connection of that one
//! broke before its reply got through. It then gets that reply, from whichever process it reaches, and nothing is done
//! twice. A call that only reads is made each time, because what it read before may have changed since.
//!
//! *Invariants*: a call continues when its client is gone, and its reply is then kept. A kept reply is given to one
//! client, within [`UNHEARD_TIME`], and that client passes every check that another call passes. Servers that require
//! different tokens or make a different offer share no replies; a server that is restarted with the same settings finds
//! its own. A client that repeats a call waits at most [`REPLAY_WAIT`].
//!
//! Only whole replies are kept: a call that ended without one is made again.
//!
//! *Limitations*: "got through" means that the connection accepted all bytes. A reply beyond [`UNHEARD_BYTES_MAX`] is
//! not kept, and a call whose process died has none: if repeated, it is made again. `startKey` makes that harmless.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::response::Parts;
use axum::http::{HeaderMap, Method, StatusCode, request};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::poll_fn;
use futures_util::{Stream, StreamExt as _};
use piton_core::DigestBuilder;
use piton_core::port::TimestampMs;
use piton_runtime::{ReplyClaim, ReplyKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::select;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};

use super::kept::KeptReplies;
use super::phase::OneCall;
use crate::bounds::{
    MESSAGE_BYTES_MAX, REPEAT_GRACE, REPLAY_PAUSE, REPLAY_WAIT, UNHEARD_BYTES_MAX, UNHEARD_TIME,
};
use crate::catalogue::sets;

/// Owner of the calls without a session, together with the first digit of their digest. Their records are bounded as if
/// they belonged to sixteen clients.
const NOBODY: &str = "calls without a session";

/// Headers that influence the answer of the service. A client that repeats a call sends the same ones.
const TOLD_IN_HEADERS: [&str; 3] = ["accept", "mcp-protocol-version", "mcp-name"];

/// Maximum number of parts of a reply that may wait for its client.
const WAITING_PARTS: usize = 16;

/// A part of a reply's body.
type BodyPart = Result<Bytes, axum::Error>;

/// A call without a session.
#[derive(Clone)]
struct LoneCall {
    kept: KeptReplies,
    key: ReplyKey,
}

/// Record of a call whose client is gone.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
enum Unheard {
    UnderWay,
    Replied(KeptReply),
    /// The client that repeated the call has the reply.
    Heard,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptReply {
    status: u16,
    content_type: String,
    body: String,
    replied_at: TimestampMs,
}

/// Makes a call, unless it repeats one.
pub(super) async fn check(
    State(kept): State<Option<KeptReplies>>,
    request: Request,
    next: Next,
) -> Response {
    let (Some(kept), true) = (kept, is_lone_call(&request)) else {
        return next.run(request).await;
    };
    let (head, body) = request.into_parts();
    // Check the caller before looking for a kept reply, which must not reach anyone whom the service would reject.
    if let Some(refusal) = refusal(head.clone(), next.clone()).await {
        return refusal;
    }
    // It was read completely before.
    let bytes = to_bytes(body, MESSAGE_BYTES_MAX).await.unwrap_or_default();
    let call = LoneCall::new(kept, &head.headers, &bytes);
    let request = Request::from_parts(head, Body::from(bytes));
    let began = Instant::now();
    loop {
        match call.kept.replies.claim(&call.key).await {
            Ok(Some(claim)) => {
                return match call.kept.read(&call.key).await {
                    Some(Unheard::Replied(reply)) if call.is_recent(&reply) => {
                        call.give(reply, claim)
                    }
                    Some(Unheard::Replied(_) | Unheard::UnderWay) => {
                        // The client did not come back in time, or the process that made the call died.
                        call.keep(&Unheard::Heard).await;
                        call.make(claim, request, next).await
                    }
                    Some(Unheard::Heard) | None => call.make(claim, request, next).await,
                };
            }
            Ok(None) => {}
            // If claiming fails, treat it as a new call.
            Err(_) => return next.run(request).await,
        }
        // A reply that was just stored is visible a moment before its claim ends.
        let kept = call.kept.read(&call.key).await;
        let is_repetition = matches!(kept, Some(Unheard::UnderWay | Unheard::Replied(_)));
        if !is_repetition && began.elapsed() >= REPEAT_GRACE {
            // The client of the other call is still connected, so this is a call of another client.
            return next.run(request).await;
        }
        // Nothing was done for this request, so the client can safely ask once more.
        if began.elapsed() >= REPLAY_WAIT {
            return still_under_way();
        }
        sleep(REPLAY_PAUSE).await;
    }
}

/// True if a request calls a tool that may change something, without a session. The revision that allows calls without
/// a session also requires each to name its method and tool in its headers.
fn is_lone_call(request: &Request) -> bool {
    let is = |name: &str, value: &str| {
        request.headers().get(name).is_some_and(|found| found.as_bytes() == value.as_bytes())
    };
    let tool = request.headers().get("mcp-name").and_then(|name| name.to_str().ok());
    request.method() == Method::POST
        && is("mcp-method", "tools/call")
        && !request.headers().contains_key("mcp-session-id")
        && !tool.is_some_and(only_reads)
}

fn only_reads(tool: &str) -> bool {
    sets().iter().filter_map(|set| set.tool(tool)).any(|card| card.hints.read_only)
}

/// Returns the answer of the service to a caller that it rejects. The service checks `Host` and `Origin` before the
/// method, so it is probed with a method that it does not support.
async fn refusal(mut head: request::Parts, next: Next) -> Option<Response> {
    head.method = Method::OPTIONS;
    let response = next.run(Request::from_parts(head, Body::empty())).await;
    (response.status() != StatusCode::METHOD_NOT_ALLOWED).then_some(response)
}

fn still_under_way() -> Response {
    let words = "The call that this one repeats is still under way. Repeat it once more for its reply; it is not made twice.\n";
    let headers = [(CONTENT_TYPE, "text/plain; charset=utf-8"), (RETRY_AFTER, "2")];
    (StatusCode::SERVICE_UNAVAILABLE, headers, words).into_response()
}

impl LoneCall {
    fn new(kept: KeptReplies, headers: &HeaderMap, message: &[u8]) -> Self {
        let mut digest = DigestBuilder::new();
        // The identity of the server is part of the key, so that other servers never find this record.
        digest.update(kept.server.as_bytes());
        for name in TOLD_IN_HEADERS {
            let value = headers.get(name).map_or(&b""[..], |value| value.as_bytes());
            // Lengths keep two different lists of header values from hashing alike.
            digest.update(&(value.len() as u64).to_le_bytes());
            digest.update(value);
        }
        digest.update(message);
        let digits = digest.finish().hex();
        let name = digits[..32].parse().expect("hex digits are a name");
        let key = ReplyKey::new(&format!("{NOBODY} {}", &digits[..1]), name);
        Self { kept, key }
    }

    /// True if the client of the call may still come back. The distance is absolute, in case the clock was set back.
    fn is_recent(&self, reply: &KeptReply) -> bool {
        let age_ms = self.kept.clock.now_ms().get().abs_diff(reply.replied_at.get());
        Duration::from_millis(age_ms) < UNHEARD_TIME
    }

    async fn keep(&self, unheard: &Unheard) {
        // If the reply cannot be stored, it cannot be requested again.
        self.kept.write(&self.key, unheard).await;
    }

    /// Makes the call, and stores its reply if the client does not get it.
    async fn make(self, claim: ReplyClaim, request: Request, next: Next) -> Response {
        let under_way: Option<Arc<OneCall>> = request.extensions().get().cloned();
        let (taken, mut is_taken) = oneshot::channel();
        let (heads, head) = oneshot::channel();
        let (parts, body) = mpsc::channel(WAITING_PARTS);
        // The client may disconnect at any time; the call continues.
        tokio::spawn(async move {
            let _until_end = (claim, under_way);
            let mut work = pin!(pass_on(next.run(request), heads, parts));
            let mut is_there = true;
            let reply = select! {
                // The body was dropped, so the client is gone. From now on an equal call is a repetition.
                reply = &mut work => reply,
                _ = &mut is_taken => {
                    is_there = false;
                    self.keep(&Unheard::UnderWay).await;
                    work.await
                }
            };
            // The reply is complete; now wait until the connection has accepted all of it or is gone.
            let is_heard = is_there && is_taken.await.is_ok();
            if !is_heard && let Some(mut reply) = reply {
                reply.replied_at = self.kept.clock.now_ms();
                self.keep(&Unheard::Replied(reply)).await;
            }
        });
        match head.await {
            Ok(head) => Response::from_parts(head, Body::from_stream(watched(body, taken))),
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }

    /// Gives the stored reply to the client that repeated the call.
    fn give(self, reply: KeptReply, claim: ReplyClaim) -> Response {
        let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
        let (taken, is_taken) = oneshot::channel();
        let (parts, body) = mpsc::channel(1);
        tokio::spawn(async move {
            // Held until the end, so that two repetitions cannot both receive the reply.
            let _until_end = claim;
            let is_sent = parts.send(Ok(reply.body.into())).await.is_ok();
            drop(parts);
            if is_sent && is_taken.await.is_ok() {
                self.keep(&Unheard::Heard).await;
            }
        });
        let headers = [(CONTENT_TYPE, reply.content_type)];
        (status, headers, Body::from_stream(watched(body, taken))).into_response()
    }
}

/// Passes a reply on to its client, if it is still there. Returns the reply, unless it is too long to be kept or
/// incomplete.
async fn pass_on(
    response: impl Future<Output = Response>,
    heads: oneshot::Sender<Parts>,
    parts: mpsc::Sender<BodyPart>,
) -> Option<KeptReply> {
    let (mut head, body) = response.await.into_parts();
    // Without a length, only the end of the body shows that the client got all of it.
    head.headers.remove(CONTENT_LENGTH);
    let (status, content_type) = (head.status, content_type(&head.headers));
    let mut is_there = heads.send(head).is_ok();
    // A server error is not a result: the repeated call should be made again.
    let mut kept = (!status.is_server_error()).then(Vec::new);
    let mut body = pin!(body.into_data_stream());
    while let Some(part) = body.next().await {
        kept = match (kept, &part) {
            (Some(mut kept), Ok(bytes)) if kept.len() + bytes.len() <= UNHEARD_BYTES_MAX => {
                kept.extend_from_slice(bytes);
                Some(kept)
            }
            _ => None,
        };
        // Keep reading after the client is gone, because the reply is still wanted for a repetition.
        is_there = is_there && parts.send(part).await.is_ok();
    }
    let body = String::from_utf8(kept?).ok()?;
    if content_type.starts_with("text/event-stream") && !has_response(&body) {
        return None;
    }
    Some(KeptReply {
        status: status.as_u16(),
        content_type,
        body,
        replied_at: TimestampMs::default(),
    })
}

/// True if the response is among the events. They end without it when the server does.
fn has_response(events: &str) -> bool {
    let data = events.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    messages.any(|message| message.get("result").or(message.get("error")).is_some())
}

fn content_type(headers: &HeaderMap) -> String {
    let found = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    found.unwrap_or("application/json").to_owned()
}

/// Wraps a body so that `taken` fires when the connection has accepted all of it.
fn watched(
    mut parts: mpsc::Receiver<BodyPart>,
    taken: oneshot::Sender<()>,
) -> impl Stream<Item = BodyPart> {
    let mut taken = Some(taken);
    poll_fn(move |context| {
        let part = ready!(parts.poll_recv(context));
        if part.is_none()
            && let Some(taken) = taken.take()
        {
            // The receiver may be gone already.
            let _ = taken.send(());
        }
        Poll::Ready(part)
    })
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    /// Returns what is kept of a reply whose body arrives in these parts.
    async fn kept(status: u16, kind: &str, parts: Vec<BodyPart>) -> Option<String> {
        let response = Response::builder().status(status).header(CONTENT_TYPE, kind);
        let response = response.body(Body::from_stream(stream::iter(parts))).unwrap();
        let (heads, _head) = oneshot::channel();
        let (sender, _body) = mpsc::channel(WAITING_PARTS);
        pass_on(async { response }, heads, sender).await.map(|reply| reply.body)
    }

    #[test]
    fn a_call_that_only_reads_is_made_each_time() {
        for (tool, is_lone) in
            [("read", false), ("get_context", false), ("write", true), ("start_workflow", true)]
        {
            let request = Request::post("/mcp").header("mcp-method", "tools/call");
            let request = request.header("mcp-name", tool).body(Body::empty()).unwrap();
            assert_eq!(is_lone_call(&request), is_lone, "{tool}");
        }
    }

    #[tokio::test]
    async fn only_a_whole_reply_is_kept() {
        const EVENTS: &str = "text/event-stream";
        let progress = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n";
        let result = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";
        let error = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}\n\n";
        let sent = |text: &'static str| Ok(Bytes::from(text));
        let broken = || Err(axum::Error::new("the body broke"));
        for (status, kind, parts, is_kept) in [
            (200, "application/json", vec![sent("{}")], true),
            (400, "application/json", vec![sent("{}")], true),
            (500, "application/json", vec![sent("{}")], false),
            (503, "text/plain", vec![sent("The server is stopping.")], false),
            (200, "application/json", vec![sent("{}"), broken()], false),
            (200, EVENTS, vec![sent(progress), sent(result)], true),
            (200, EVENTS, vec![sent(error)], true),
            (200, EVENTS, vec![sent(progress)], false),
            (200, EVENTS, vec![sent("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{")], false),
            (200, EVENTS, vec![], false),
            (200, EVENTS, vec![sent(result), broken()], false),
        ] {
            let shown = format!("{status} {kind} {parts:?}");
            assert_eq!(kept(status, kind, parts).await.is_some(), is_kept, "{shown}");
        }
    }
}
