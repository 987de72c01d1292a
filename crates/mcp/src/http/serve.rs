//! The server itself.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use piton_core::{Code, Envelope};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::access;
use super::listener::Listener;
use crate::bounds::{MESSAGE_BYTES_MAX, SHUTDOWN_WAIT};
use crate::server::Server;
use crate::sets::Offer;

/// Where clients find the tools.
pub const PATH: &str = "/mcp";

/// The pages that may call from a browser: those of this machine.
const ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// Serves agents at `listener` until `stop` is ready. Calls that are under way then may end.
pub async fn serve_http(
    listener: Listener,
    offer: impl Into<Offer>,
    stop: impl Future<Output = ()>,
) -> Result<(), Envelope> {
    let offer = offer.into();
    serve_handlers(listener, move || Server::remote(&offer), stop).await
}

/// Serves with any handlers, as `make` makes them for connections, behind the same checks and limits.
pub async fn serve_handlers<H: ServerHandler>(
    listener: Listener,
    make: impl Fn() -> H + Send + Sync + 'static,
    stop: impl Future<Output = ()>,
) -> Result<(), Envelope> {
    let Listener { socket, token, .. } = listener;
    let config = config(token.is_some());
    let ending = config.cancellation_token.clone();
    let service: StreamableHttpService<H, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(make()), Arc::default(), config);
    let router = Router::new().nest_service(PATH, service).fallback(nothing_here);
    let mut router = router.layer(from_fn(say_ended));
    if let Some(token) = token {
        router = router.layer(from_fn_with_state(token, access::check));
    }
    // Streams stay open for as long as clients like; what ends the service ends them.
    let serving =
        axum::serve(socket, router).with_graceful_shutdown(ending.clone().cancelled_owned());
    let stopping = async {
        stop.await;
        ending.cancel();
        tokio::time::sleep(SHUTDOWN_WAIT).await;
    };
    tokio::select! {
        ended = serving.into_future() => ended.map_err(|error| {
            Envelope::new(Code::InternalError, format!("The server stopped: {error}."))
        }),
        () = stopping => Ok(()),
    }
}

/// Tells somebody who calls another address, such as a person with a browser, which one is meant.
async fn nothing_here() -> (StatusCode, String) {
    (StatusCode::NOT_FOUND, format!("There is nothing here. Agents connect to {PATH}.\n"))
}

/// Says that a connection has ended where the service says that it accepts to: by then it has, and the Python SDK
/// warns its users of anything else.
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
    // A page that makes a name point here does not have the token.
    if asks_token { config.disable_allowed_hosts() } else { config }
}
