//! Phases of a server's shutdown, and the calls that are running meanwhile.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions as _};
use tokio::sync::watch;

/// Phases of a server's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Open,
    /// Running calls may finish, and new ones are refused.
    Stopping,
    /// Nothing is answered any more.
    Ended,
}

impl Phase {
    /// Returns when the server has reached this phase or a later one.
    pub(super) async fn reached(self, phase: &mut watch::Receiver<Self>) {
        // An error means that the server is gone, so there is nothing to wait for.
        let _ = phase.wait_for(|now| *now >= self).await;
    }
}

/// The running calls. Clones share the same count.
#[derive(Clone, Debug)]
pub(super) struct UnderWay(Arc<watch::Sender<usize>>);

/// A running call, until this is dropped.
#[derive(Debug)]
pub(super) struct OneCall(UnderWay);

impl UnderWay {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    /// Counts one more call.
    pub(super) fn one(&self) -> OneCall {
        self.0.send_modify(|count| *count += 1);
        OneCall(self.clone())
    }

    pub(super) fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Returns when no call is running.
    pub(super) async fn none(&self) {
        // Fails only if the sender is gone, and the sender is here.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// Returns the call that a message was sent for.
pub(super) fn call_of(message: &ClientJsonRpcMessage) -> Option<Arc<OneCall>> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    request.request.extensions().get::<Parts>()?.extensions.get().cloned()
}

impl Drop for OneCall {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

/// Counts a request as a call until its reply was sent, and refuses it if the server is stopping.
pub(super) async fn count(
    State((phase, calls)): State<(watch::Receiver<Phase>, UnderWay)>,
    mut request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    // Count it before checking the phase, so that the server waits for every call that it let in.
    let call = Arc::new(calls.one());
    if *phase.borrow() != Phase::Open {
        let words =
            "The server is stopping. Nothing was done; repeat the call when it runs again.\n";
        let headers = [
            (CONTENT_TYPE, "text/plain; charset=utf-8"),
            (RETRY_AFTER, "2"),
            (CONNECTION, "close"),
        ];
        return (StatusCode::SERVICE_UNAVAILABLE, headers, words).into_response();
    }
    // The call lasts until its reply was sent and, if its client is gone, until the work on it has ended.
    request.extensions_mut().insert(Arc::clone(&call));
    next.run(request).await.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |part| {
            let _under_way = &call;
            part
        }))
    })
}
