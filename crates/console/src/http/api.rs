//! The routes: a request is read within bounds, answered by its use case, and tagged.
//!
//! *Invariants*: only a signed-in browser gets here. A reply that a page has already is not sent again. A reply that is
//! larger than its bound is an error that says so, never a part of it.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{RawPathParams, Request, State};
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    IF_NONE_MATCH,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, on};
use piton_core::error::MeasuredSize;
use piton_core::{Code, Digest, Envelope, FileBytes};
use tokio::time::timeout;

use super::problem::Problem;
use crate::bounds::{BODY_BYTES_MAX, BODY_WAIT, LIMIT_MAX};
use crate::call_text::{CallText, refused};
use crate::console::Console;
use crate::entrance::Person;
use crate::project_view::ProjectView;
use crate::route::{API, Answer, Call, Route, RouteMethod};
use crate::routes::routes;

/// Returns the router of the table of routes.
pub(super) fn router() -> Router<Arc<Console>> {
    let mut router = Router::new();
    for route in routes() {
        let (path, route) = (format!("{API}{}", route.path), Arc::new(route));
        let filter = match route.method {
            RouteMethod::Get => MethodFilter::GET,
            RouteMethod::Post => MethodFilter::POST,
        };
        let handler = move |State(console), Extension(person), path, request| {
            answer(Arc::clone(&route), console, person, path, request)
        };
        router = router.route(&path, on(filter, handler));
    }
    router
}

async fn answer(
    route: Arc<Route>,
    console: Arc<Console>,
    person: Person,
    path: RawPathParams,
    request: Request,
) -> Result<Response, Problem> {
    let path = path.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut text = CallText::new(path, request.uri().query())?;
    check_limit(&text)?;
    let view = ProjectView::new(Arc::clone(&console), text.take("project").as_deref())?;
    let known = request.headers().get(IF_NONE_MATCH).cloned();
    let body = match route.method {
        RouteMethod::Get => Vec::new(),
        RouteMethod::Post => read_json(request).await?,
    };
    let program = console.program;
    let session = route.session(&text)?;
    // The version from before the reply is made, unless the reply knows it: a reply that is newer than its tag is asked
    // for once more.
    let version = match session {
        Some(session) => {
            let known = known_version(known.as_ref(), &program);
            if let Some(version) = known
                && console.runtime.is_session_at(session, &version).await.unwrap_or(false)
            {
                let tagged = [(ETAG, tag(&program, &version))];
                return Ok((StatusCode::NOT_MODIFIED, tagged).into_response());
            }
            if route.knows_version {
                None
            } else {
                console.runtime.session_version(session).await?
            }
        }
        None => None,
    };
    let Answer { bytes: reply, version: own } =
        (route.work)(view, Call { text, body, person }).await?;
    if reply.len() > route.reply_bytes_max {
        let advice = "Ask for less: one run, one step, or fewer entries at a time.";
        let (size, max, how) = (reply.len(), route.reply_bytes_max, MeasuredSize::Utf8Bytes);
        return Err(Envelope::over_budget("The reply", size, max, how, advice).into());
    }
    if route.schema.is_none() {
        return Ok((FILE_HEADERS, reply).into_response());
    }
    let kind = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    if route.method == RouteMethod::Post {
        return Ok((kind, reply).into_response());
    }
    // Without a version, as for a damaged session, the reply itself is the tag.
    let version = own.or(version).unwrap_or_else(|| Digest::of(&FileBytes(&reply)).to_string());
    let tag = tag(&program, &version);
    let is_known = tag.to_str().is_ok_and(|tag| has_tag(known.as_ref(), tag));
    let tagged = [(ETAG, tag)];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, tagged).into_response());
    }
    Ok((tagged, kind, reply).into_response())
}

/// Headers of a file. What agents wrote is never shown as a page of ours.
const FILE_HEADERS: [(HeaderName, &str); 3] = [
    (CONTENT_TYPE, "application/octet-stream"),
    (CONTENT_DISPOSITION, "attachment"),
    (CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
];

/// Returns the tag of a reply: its version, after the program that made it, since another program may say it otherwise.
fn tag(program: &Digest, version: &str) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{program}/{version}\""))
        .expect("digests and cursors are ASCII")
}

/// Returns the version that a page has, if this program tagged it.
fn known_version(known: Option<&HeaderValue>, program: &Digest) -> Option<String> {
    let known = known?.to_str().ok()?.trim().trim_start_matches("W/").trim_matches('"');
    let version = known.strip_prefix(&program.to_string())?.strip_prefix('/')?;
    Some(version.to_owned())
}

/// True if a list of tags that a browser has contains this one.
pub(super) fn has_tag(known: Option<&HeaderValue>, tag: &str) -> bool {
    let known = known.and_then(|known| known.to_str().ok()).unwrap_or_default();
    known
        .split(',')
        .map(str::trim)
        .any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

/// Refuses to list more entries than a page shows.
fn check_limit(text: &CallText) -> Result<(), Envelope> {
    let limit = text.pairs().find(|(name, _)| *name == "limit");
    match limit.and_then(|(_, value)| value.parse::<usize>().ok()) {
        Some(limit) if limit > LIMIT_MAX => Err(refused(&format!(
            "`limit` is {limit}, and at most {LIMIT_MAX} entries come at a time"
        ))),
        _ => Ok(()),
    }
}

/// Reads the body of a request that sends JSON.
pub(super) async fn read_json(request: Request) -> Result<Vec<u8>, Problem> {
    let is_json = is_json(request.headers());
    let bytes = read_body(request.into_body()).await?;
    if !is_json && !bytes.is_empty() {
        let envelope = refused("its body is not marked as application/json");
        return Err(Problem::with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE, envelope));
    }
    Ok(bytes)
}

/// True for JSON. A form of another page cannot send this type without asking first.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

async fn read_body(body: Body) -> Result<Vec<u8>, Problem> {
    match timeout(BODY_WAIT, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(bytes)) => Ok(bytes.into()),
        Ok(Err(_)) => {
            let why = format!("its body is cut off, or has more than {BODY_BYTES_MAX} bytes");
            Err(Problem::with_status(StatusCode::PAYLOAD_TOO_LARGE, refused(&why)))
        }
        Err(_) => {
            let why = format!("its body took longer than {} s", BODY_WAIT.as_secs());
            Err(Problem::with_status(StatusCode::REQUEST_TIMEOUT, refused(&why)))
        }
    }
}

/// Refuses a path of the API that does not exist.
pub(super) fn no_route() -> Problem {
    let envelope = Envelope::new(Code::ValidationError, "The console has nothing at this path.")
        .with_suggestion("Reload the page: it may be of another version of Piton.");
    Problem::with_status(StatusCode::NOT_FOUND, envelope)
}

/// Refuses a method that a path of the API does not have.
pub(super) async fn no_method(method: Method) -> Problem {
    let envelope = refused(&format!("this path does not take {method}"));
    Problem::with_status(StatusCode::METHOD_NOT_ALLOWED, envelope)
}
