//! Access control: the bearer token.

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::token::Token;

/// Lets requests with the token pass and rejects all others.
pub(super) async fn check(State(token): State<Token>, request: Request, next: Next) -> Response {
    if bearer(request.headers()).is_some_and(|sent| token.is(sent)) {
        return next.run(request).await;
    }
    let words = "Send the token of this server as `Authorization: Bearer …`.\n";
    let headers = [(WWW_AUTHENTICATE, "Bearer"), (CONTENT_TYPE, "text/plain; charset=utf-8")];
    (StatusCode::UNAUTHORIZED, headers, words).into_response()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
