//! How far a server is with ending, and which calls are under way meanwhile.

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

/// How far a server is with ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// It serves.
    Open,
    /// Calls that are under way may end, and new ones are refused.
    Stopping,
    /// Nothing more is answered.
    Ended,
}

impl Phase {
    /// Returns when the server is as far as this, or farther.
    pub(super) async fn reached(self, phase: &mut watch::Receiver<Self>) {
        // Without a server there is nothing to wait for.
        let _ = phase.wait_for(|now| *now >= self).await;
    }
}

/// The calls that are under way. Clones count the same ones.
#[derive(Clone, Debug)]
pub(super) struct UnderWay(Arc<watch::Sender<usize>>);

/// A call that is under way for as long as this is there.
#[derive(Debug)]
pub(super) struct OneCall(UnderWay);

impl UnderWay {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    /// One call more.
    pub(super) fn one(&self) -> OneCall {
        self.0.send_modify(|count| *count += 1);
        OneCall(self.clone())
    }

    pub(super) fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Returns when there is none.
    pub(super) async fn none(&self) {
        // It ends only with the sender, which is here.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// The call that a message was sent for.
pub(super) fn call_of(message: &ClientJsonRpcMessage) -> Option<Arc<OneCall>> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    request.request.extensions().get::<Parts>()?.extensions.get().cloned()
}

impl Drop for OneCall {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

/// Counts a request as a call until its reply was sent, and refuses it if the server is about to end.
pub(super) async fn count(
    State((phase, calls)): State<(watch::Receiver<Phase>, UnderWay)>,
    mut request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    // First it is counted: what is let in before the server stops is waited for.
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
    // It goes on until its reply was sent and, when its client is gone, until whoever works on it has ended.
    request.extensions_mut().insert(Arc::clone(&call));
    next.run(request).await.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |part| {
            let _under_way = &call;
            part
        }))
    })
}
