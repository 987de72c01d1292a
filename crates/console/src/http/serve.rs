//! The console's server, from start to shutdown.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use tokio::sync::watch;

use super::listener::{Listener, Origin};
use super::sign_in::CookieForm;
use super::{api, assets, change_events, connections, headers, origin, sign_in};
use crate::console::Console;
use crate::route::API;
use crate::routes::{CHANGES, ENTER, LEAVE, STATUS};

/// Serves the console at `listener` until `stop` is ready. `public` is the one further origin that its page may have.
pub async fn serve(
    listener: Listener,
    console: Arc<Console>,
    public: Option<Origin>,
    stop: impl Future<Output = ()>,
) {
    // The first page may be asked for at once, and shows what is indexed by then.
    console.feed.catch_up_early();
    let port = listener.address().port();
    let (stopping, stopped) = watch::channel(false);
    let router = router(console, port, public, stopped.clone());
    let stop = async {
        stop.await;
        stopping.send_replace(true);
    };
    tokio::join!(connections::serve(listener.socket, router, stopped), stop);
}

fn router(
    console: Arc<Console>,
    port: u16,
    public: Option<Origin>,
    stopped: watch::Receiver<bool>,
) -> Router {
    let own: Arc<[Origin]> = Origin::local(port).chain(public).collect();
    let form = CookieForm::new(port, Arc::clone(&own));
    let signed = (Arc::clone(&console), form);
    let path = |name: &str| format!("{API}{name}");
    let changes = get(change_events::open).with_state((Arc::clone(&console), stopped));
    // Layers run from the last to the first: headers, origin, sign-in. Nothing is read from a caller that may not call.
    api::router()
        .with_state(console)
        .route(&path(CHANGES), changes)
        .route(&path(STATUS), get(sign_in::status).with_state(signed.clone()))
        .route(&path(LEAVE), post(sign_in::leave).with_state(signed.clone()))
        .route_layer(from_fn_with_state(signed.clone(), sign_in::check))
        .route(&path(ENTER), post(sign_in::enter).with_state(signed))
        .method_not_allowed_fallback(api::no_method)
        .fallback(not_a_route)
        .layer(from_fn_with_state(own, origin::check))
        .layer(from_fn(headers::add))
}

/// Answers what is no route: files of the page, and its places.
async fn not_a_route(request: Request) -> Response {
    let path = request.uri().path();
    if path == "/api" || path.starts_with("/api/") {
        return api::no_route().into_response();
    }
    assets::respond(request.method(), path, request.headers())
}
