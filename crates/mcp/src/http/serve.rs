//! The HTTP server, from start to shutdown.
//!
//! *Invariants*: when it is stopped, calls that have begun may finish within [`SHUTDOWN_WAIT`]; later calls are refused
//! before anything is done. Servers that require different tokens or make a different offer share no replies.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use piton_core::{Digest, FileBytes};
use rmcp::ServerHandler;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::watch;
use tokio::time::timeout;

use super::kept::KeptReplies;
use super::listener::{Listener, check_token};
use super::message::Room;
use super::phase::{Phase, UnderWay};
use super::sessions::ClientSessions;
use super::{connections, message, phase, repeat};
use crate::bounds::{MESSAGE_BYTES_MAX, SHUTDOWN_WAIT};
use crate::server::Server;
use crate::sets::ServerBuilder;

/// Path of the MCP endpoint.
pub const PATH: &str = "/mcp";

/// Origins of pages that may call from a browser: those of this machine.
const ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// Outcome of a server's shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Number of running calls that did not finish in time.
    pub calls_cut: usize,
}

/// Serves agents at `listener` until `stop` is ready. Running calls may then finish, for [`SHUTDOWN_WAIT`].
pub async fn serve_http(
    listener: Listener,
    offer: impl Into<ServerBuilder>,
    stop: impl Future<Output = ()>,
) -> Stopped {
    let offer = offer.into();
    let token = listener.token.as_ref().map(|token| token.digest().to_string());
    let server = format!("{} {token:?}", offer.digest());
    let kept = listener.replies.clone().map(|replies| KeptReplies {
        replies,
        server: Digest::of(&FileBytes(server.as_bytes())),
        clock: Arc::clone(offer.runtime.clock()),
    });
    serve(listener, move || Server::remote(&offer), kept, stop).await
}

/// Serves arbitrary handlers, which `make` creates for each connection, behind the same checks and limits. No replies
/// are kept, because nothing tells which other servers offer the same handlers.
pub async fn serve_handlers<H: ServerHandler>(
    listener: Listener,
    make: impl Fn() -> H + Send + Sync + 'static,
    stop: impl Future<Output = ()>,
) -> Stopped {
    serve(listener, make, None, stop).await
}

async fn serve<H: ServerHandler>(
    listener: Listener,
    make: impl Fn() -> H + Send + Sync + 'static,
    kept: Option<KeptReplies>,
    stop: impl Future<Output = ()>,
) -> Stopped {
    let Listener { socket, token, .. } = listener;
    let (stage, staged) = watch::channel(Phase::Open);
    let calls = UnderWay::new();
    let sessions = ClientSessions::new(kept.clone());
    let mut config = config(token.is_some());
    config.session_store = sessions.store();
    let ending = config.cancellation_token.clone();
    let service: StreamableHttpService<H, ClientSessions> =
        StreamableHttpService::new(move || Ok(make()), Arc::new(sessions), config);
    // Layers run from the last to the first: token, count, message, repetition. Nothing is read from a caller without
    // the token.
    let router = Router::new()
        .nest_service(PATH, service)
        .layer(from_fn(say_ended))
        .layer(from_fn_with_state(kept, repeat::check))
        .layer(from_fn_with_state(Room::new(), message::check))
        .layer(from_fn_with_state((staged.clone(), calls.clone()), phase::count))
        .fallback(nothing_here);
    let router = match token {
        Some(own) => router.layer(from_fn_with_state(own, check_token)),
        None => router,
    };
    let stopping = async {
        stop.await;
        stage.send_replace(Phase::Stopping);
        let _ = timeout(SHUTDOWN_WAIT, calls.none()).await;
        let calls_cut = calls.count();
        // Event streams stay open for as long as clients like; cancelling the service ends them.
        ending.cancel();
        stage.send_replace(Phase::Ended);
        Stopped { calls_cut }
    };
    let ((), stopped) = tokio::join!(connections::serve(socket, router, staged), stopping);
    stopped
}

/// Points a caller of another path, such as a person with a browser, to the right one.
async fn nothing_here() -> (StatusCode, String) {
    (StatusCode::NOT_FOUND, format!("There is nothing here. Agents connect to {PATH}.\n"))
}

/// Replaces the status "accepted" for the end of a session by "no content": by then the session has ended, and the
/// Python SDK warns its users about any other status.
async fn say_ended(request: Request, next: Next) -> Response {
    let is_end = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if is_end && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

fn config(asks_token: bool) -> StreamableHttpServerConfig {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(ORIGINS)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MESSAGE_BYTES_MAX);
    // A page that points a host name at this machine (DNS rebinding) does not have the token.
    if asks_token { config.disable_allowed_hosts() } else { config }
}
