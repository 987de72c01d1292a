//! The stream of changes as server-sent events. The page reads it with `fetch`, because `EventSource` sends no headers.
//!
//! | event | meaning |
//! |---|---|
//! | `open` | the stream begins after this id |
//! | `change` | something may have changed |
//! | `reset` | changes are missing: look at everything |

use std::convert::Infallible;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderMap};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use piton_core::{Code, Envelope};
use tokio::sync::watch;
use tokio::time::timeout;

use super::connections::is_set;
use super::problem::Problem;
use super::sign_in::SignInHalves;
use crate::bounds::{COMMENT_EVERY, STREAMS_MAX};
use crate::change_feed::ChangeStream;
use crate::change_ring::RingEntry;
use crate::console::Console;

/// Opens the stream after the last event that the page has seen.
pub(super) async fn open(
    State((console, stopped)): State<(Arc<Console>, watch::Receiver<bool>)>,
    Extension(sign_in): Extension<SignInHalves>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let Some(changes) = console.feed.open(last) else {
        let message = format!("{STREAMS_MAX} pages listen for changes already.");
        let envelope = Envelope::new(Code::StoreBusy, message).with_suggestion(
            "Close tabs of the console that you do not need, and reload this one.",
        );
        return Err(Problem::with_status(StatusCode::SERVICE_UNAVAILABLE, envelope));
    };
    // The beginning is sent at once, so that the page knows that it is connected.
    let first = last.is_none().then(|| open_event(&changes.id()));
    let stream = (changes, stopped, first);
    let parts = unfold(stream, move |(mut changes, mut stopped, first)| {
        let (console, sign_in) = (Arc::clone(&console), sign_in.clone());
        async move {
            let part = if let Some(first) = first {
                first
            } else {
                tokio::select! {
                    () = is_set(&mut stopped) => return None,
                    part = next(&mut changes, &console, &sign_in) => part?,
                }
            };
            Some((Ok::<_, Infallible>(part), (changes, stopped, None)))
        }
    });
    Ok(([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(parts)).into_response())
}

/// Waits for the next change, or for the time of a comment. Returns nothing once the browser is signed out.
async fn next(
    changes: &mut ChangeStream,
    console: &Console,
    sign_in: &SignInHalves,
) -> Option<String> {
    Some(match timeout(COMMENT_EVERY, changes.next()).await {
        Err(_) if !sign_in.still_hold(console).await => return None,
        Err(_) => ":\n\n".to_owned(),
        Ok(RingEntry::Reset) => event(&changes.id(), "reset", "{}"),
        Ok(RingEntry::Notice(notice)) => {
            let data = serde_json::to_string(&notice).expect("it is made of texts");
            event(&changes.id(), "change", &data)
        }
    })
}

/// Returns the beginning of the stream. It has no data, so a reader of events takes note of the id and of nothing else.
fn open_event(id: &str) -> String {
    format!("id: {id}\nevent: open\n\n")
}

fn event(id: &str, kind: &str, data: &str) -> String {
    format!("id: {id}\nevent: {kind}\ndata: {data}\n\n")
}
