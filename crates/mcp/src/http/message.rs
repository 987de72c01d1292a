//! Reads the message of a request within bounds, and refuses invalid ones with an explanation.
//!
//! *Invariants*: a body is read completely before it is acted on, within [`BODY_WAIT`] and [`MESSAGE_BYTES_MAX`]. Only
//! a few long bodies are held at a time, so the memory of all bodies is bounded.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use rmcp::RoleServer;
use rmcp::service::TxJsonRpcMessage;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::bounds::{BODY_WAIT, LONG_BODIES_MAX, LONG_BODY_BYTES, MESSAGE_BYTES_MAX};
use crate::malformed;

/// Slots for long bodies. Clones share them.
#[derive(Clone)]
pub(super) struct Room(Arc<Semaphore>);

impl Room {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(LONG_BODIES_MAX)))
    }
}

/// A body and the slot that it takes.
struct ReadBody {
    bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

/// Reason that a body was not read.
enum Unread {
    TooLong,
    TooSlow,
    /// The connection ended.
    CutOff,
}

/// Reads the message of a request, and explains the problem if the service cannot read it.
pub(super) async fn check(State(room): State<Room>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    if !is_json(request.headers()) {
        let words = "Send the message as JSON, with the header `Content-Type: application/json`.\n";
        return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, words.to_owned());
    }
    let (head, body) = request.into_parts();
    let read = match read(body, &room).await {
        Ok(read) => read,
        Err(unread) => return refusal(&unread),
    };
    if let Some(refused) = malformed::refusal_of_numbers(&read.bytes) {
        return refusal_response(&refused);
    }
    let bytes = read.bytes.clone();
    let response = next.run(Request::from_parts(head, Body::from(read.bytes.clone()))).await;
    // The service answers everything that it cannot read with this status.
    if response.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return response;
    }
    refusal_response(&malformed::refusal_of(&bytes))
}

fn refusal_response(refused: &TxJsonRpcMessage<RoleServer>) -> Response {
    let told = serde_json::to_vec(refused).expect("an error is JSON");
    (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, "application/json")], told).into_response()
}

fn is_json(headers: &HeaderMap) -> bool {
    let sent = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = sent.and_then(|value| value.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

async fn read(body: Body, room: &Room) -> Result<ReadBody, Unread> {
    let whole = async {
        let (mut parts, mut bytes, mut held) = (body.into_data_stream(), Vec::new(), None);
        while let Some(part) = parts.next().await {
            let part = part.map_err(|_| Unread::CutOff)?;
            // Check before copying, so that memory never exceeds the limit.
            if part.len() > MESSAGE_BYTES_MAX.saturating_sub(bytes.len()) {
                return Err(Unread::TooLong);
            }
            bytes.extend_from_slice(&part);
            // Only bodies that turn out to be long need a slot; the timeout also covers waiting for one.
            if bytes.len() > LONG_BODY_BYTES && held.is_none() {
                held = Arc::clone(&room.0).acquire_owned().await.ok();
            }
        }
        Ok(ReadBody { bytes: bytes.into(), _room: held })
    };
    timeout(BODY_WAIT, whole).await.unwrap_or(Err(Unread::TooSlow))
}

fn refusal(unread: &Unread) -> Response {
    match unread {
        Unread::TooLong => plain(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "The message is longer than {MESSAGE_BYTES_MAX} bytes. Send less at once: a long file in parts, with `append`.\n"
            ),
        ),
        Unread::TooSlow => plain(
            StatusCode::REQUEST_TIMEOUT,
            format!(
                "The message did not arrive within {} s. Nothing was done; send it again.\n",
                BODY_WAIT.as_secs()
            ),
        ),
        Unread::CutOff => plain(
            StatusCode::BAD_REQUEST,
            "The message ended early. Nothing was done.\n".to_owned(),
        ),
    }
}

fn plain(status: StatusCode, words: String) -> Response {
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], words).into_response()
}
