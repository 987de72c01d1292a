//! Entering and leaving, and the check of both halves of a sign-in.
//!
//! *Invariants*: the cookie is for our own pages alone and out of reach of scripts. No reply but that of entering
//! carries a secret, and no message quotes one.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_TYPE, COOKIE, HOST, HeaderMap, SET_COOKIE};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use piton_core::{Code, Envelope};
use serde::Serialize;

use super::api::read_json;
use super::listener::Origin;
use super::problem::Problem;
use crate::bounds::BROWSER_LIFE;
use crate::call_text::refused;
use crate::console::Console;
use crate::entrance::Person;
use crate::request::{EnterConsole, SignedIn};
use crate::secret::Secret;

/// Header with the half of a sign-in that the page keeps. A page of elsewhere cannot send it without asking, and is
/// never allowed to.
pub const SECRET_HEADER: &str = "piton-console";

/// The cookie of one console.
#[derive(Clone)]
pub(super) struct CookieForm {
    /// Cookies do not know ports, so the name does: two consoles on one machine do not sign each other out.
    name: String,
    own: Arc<[Origin]>,
}

impl CookieForm {
    pub(super) fn new(port: u16, own: Arc<[Origin]>) -> Self {
        Self { name: format!("piton-console-{port}"), own }
    }

    fn find(&self, headers: &HeaderMap) -> Option<Secret> {
        let all = headers.get_all(COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let mut pairs =
            all.flat_map(|cookies| cookies.split(';')).filter_map(|one| one.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.name).and_then(|(_, value)| Secret::read(value))
    }

    /// Returns the header that sets the cookie, or ends it if there is no value.
    fn header(&self, value: Option<&Secret>, request: &HeaderMap) -> HeaderValue {
        let (text, seconds) =
            value.map_or(("", 0), |value| (value.reveal(), BROWSER_LIFE.as_secs()));
        let host = request.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_secure = self
            .own
            .iter()
            .any(|own| own.is_secure() && own.authority().eq_ignore_ascii_case(host));
        let secure = if is_secure { "; Secure" } else { "" };
        let name = &self.name;
        let cookie =
            format!("{name}={text}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}{secure}");
        HeaderValue::from_str(&cookie).expect("a secret is ASCII")
    }
}

/// Both halves of a sign-in, for a reply that outlives the check: the browser may be signed out meanwhile.
#[derive(Clone)]
pub(super) struct SignInHalves(Arc<(Secret, Secret)>);

impl SignInHalves {
    /// True until the browser is signed out. A store that cannot be asked signs nobody out.
    pub(super) async fn still_hold(&self, console: &Console) -> bool {
        let (cookie, secret) = &*self.0;
        !matches!(console.entrance.person(cookie, secret).await, Ok(None))
    }
}

/// Lets a browser pass that brings both halves of a sign-in, and says who it is.
pub(super) async fn check(
    State((console, form)): State<(Arc<Console>, CookieForm)>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let headers = request.headers();
    let secret = headers.get(SECRET_HEADER).and_then(|secret| secret.to_str().ok());
    let halves = form.find(headers).zip(secret.and_then(Secret::read));
    let person = match &halves {
        Some((cookie, secret)) => console.entrance.person(cookie, secret).await?,
        None => None,
    };
    let Some((person, halves)) = person.zip(halves) else {
        let message = "This browser is not signed in to the console.";
        return Err(Envelope::new(Code::ConsoleSignInRequired, message).into());
    };
    request.extensions_mut().insert(person);
    request.extensions_mut().insert(SignInHalves(Arc::new(halves)));
    Ok(next.run(request).await)
}

/// Exchanges the key of a link for a sign-in.
pub(super) async fn enter(
    State((console, form)): State<(Arc<Console>, CookieForm)>,
    request: Request,
) -> Result<Response, Problem> {
    let headers = request.headers().clone();
    let body = read_json(request).await?;
    // The error is not quoted: it may hold a part of the key.
    let asked: EnterConsole = serde_json::from_slice(&body)
        .map_err(|_| refused("entering takes a JSON object with `key` and perhaps `name`"))?;
    let person = asked.name.as_deref().and_then(Person::new);
    let person = person.unwrap_or_else(|| console.person.clone());
    let entered = console.entrance.enter(&asked.key, person).await?;
    let cookie = form.header(Some(&entered.cookie), &headers);
    let reply = SignedIn {
        secret: entered.secret.reveal().to_owned(),
        name: entered.person.name().to_owned(),
    };
    Ok(([(SET_COOKIE, cookie)], json(&reply)).into_response())
}

/// Signs this browser out.
pub(super) async fn leave(
    State((console, form)): State<(Arc<Console>, CookieForm)>,
    Extension(person): Extension<Person>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(cookie) = form.find(&headers) {
        console.entrance.leave(&cookie).await?;
    }
    let reply = console.status(&person);
    Ok(([(SET_COOKIE, form.header(None, &headers))], json(&reply)).into_response())
}

/// Returns the console, and the person that this browser is signed in as.
pub(super) async fn status(
    State((console, _)): State<(Arc<Console>, CookieForm)>,
    Extension(person): Extension<Person>,
) -> Response {
    json(&console.status(&person))
}

fn json(reply: &impl Serialize) -> Response {
    let body = serde_json::to_vec(reply).expect("a reply is made of JSON's own types");
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}
