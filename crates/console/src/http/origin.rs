//! The check that a request comes from our own page, or from a program that speaks to us on purpose.
//!
//! *Invariants*: `Host` must be ours, so that a name which somebody points at this machine (DNS rebinding) reaches
//! nothing. An `Origin` must be ours wherever one is sent. A write needs a browser's word that our own page made it:
//! `Sec-Fetch-Site`, or else `Origin`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderMap, ORIGIN};
use axum::http::{Method, Uri};
use axum::middleware::Next;
use axum::response::Response;
use piton_core::{Code, Envelope};

use super::listener::Origin;
use super::problem::Problem;

/// Lets requests from our own page pass and rejects all others.
pub(super) async fn check(
    State(own): State<Arc<[Origin]>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    judge(&own, request.method(), request.uri(), request.headers())?;
    Ok(next.run(request).await)
}

fn judge(own: &[Origin], method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Envelope> {
    let text = |name| match headers.get_all(name).iter().collect::<Vec<_>>().as_slice() {
        [] => Some(None),
        [one] => one.to_str().ok().map(|text| Some(text.to_ascii_lowercase())),
        // Two headers of a kind: whoever reads the other one sees another request.
        _ => None,
    };
    // A request line with a whole address counts for `Host`, as HTTP demands.
    let host = text(HOST).ok_or_else(|| refused("has more than one Host"))?;
    let named = uri.authority().map(|authority| authority.as_str().to_ascii_lowercase()).or(host);
    let is_own = |host: &str| own.iter().any(|origin| origin.authority() == host);
    if !named.is_some_and(|host| is_own(&host)) {
        return Err(refused("names another host than this console"));
    }
    let origin = text(ORIGIN).ok_or_else(|| refused("has more than one Origin"))?;
    let comes_from_own =
        origin.as_ref().map(|origin| own.iter().any(|own| own.to_string() == *origin));
    if comes_from_own == Some(false) {
        return Err(refused("comes from another page"));
    }
    if matches!(*method, Method::GET | Method::HEAD) {
        return Ok(());
    }
    let fetched = headers.get("sec-fetch-site").map(|site| site.as_bytes() == b"same-origin");
    if fetched.or(comes_from_own) == Some(true) {
        Ok(())
    } else {
        Err(refused("would change something and does not say that this console's page made it"))
    }
}

fn refused(why: &str) -> Envelope {
    Envelope::new(Code::ConsoleOriginRefused, format!("The request {why}."))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

    use super::{Origin, judge};

    const OWN: (&str, &str) = ("host", "127.0.0.1:7470");

    fn is_let_in(method: &Method, headers: &[(&'static str, &str)]) -> bool {
        let own: Vec<Origin> =
            Origin::local(7470).chain(["https://piton.example.org".parse().unwrap()]).collect();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        judge(&own, method, &Uri::from_static("/api/v1/sessions"), &map).is_ok()
    }

    #[test]
    fn a_read_needs_our_host_and_no_foreign_origin() {
        for (headers, expected) in [
            (vec![OWN], true),
            (vec![("host", "localhost:7470")], true),
            (vec![("host", "[::1]:7470")], true),
            (vec![("host", "LOCALHOST:7470")], true),
            (vec![("host", "piton.example.org")], true),
            (vec![], false),
            (vec![("host", "127.0.0.1")], false),
            (vec![("host", "127.0.0.1:7471")], false),
            (vec![("host", "evil.example.org:7470")], false),
            (vec![OWN, OWN], false),
            (vec![OWN, ("origin", "http://127.0.0.1:7470")], true),
            (vec![OWN, ("origin", "https://127.0.0.1:7470")], false),
            (vec![OWN, ("origin", "http://127.0.0.1:9999")], false),
            (vec![OWN, ("origin", "https://evil.example.org")], false),
            (vec![OWN, ("origin", "null")], false),
        ] {
            assert_eq!(is_let_in(&Method::GET, &headers), expected, "{headers:?}");
        }
    }

    #[test]
    fn a_write_needs_the_word_of_a_browser() {
        let (same, cross) = (("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site"));
        let (ours, foreign) =
            (("origin", "http://127.0.0.1:7470"), ("origin", "http://evil.example.org"));
        for (headers, expected) in [
            (vec![OWN], false),
            (vec![OWN, same], true),
            (vec![OWN, ours], true),
            (vec![OWN, same, ours], true),
            (vec![OWN, cross, ours], false),
            (vec![OWN, ("sec-fetch-site", "same-site"), ours], false),
            (vec![OWN, ("sec-fetch-site", "none")], false),
            (vec![OWN, same, foreign], false),
            (vec![("host", "evil.example.org"), same], false),
        ] {
            assert_eq!(is_let_in(&Method::POST, &headers), expected, "{headers:?}");
        }
    }
}
