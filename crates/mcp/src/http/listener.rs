//! The address of the server, the token that callers must send, and the check of it.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use piton_core::{Code, Digest, Envelope, FileBytes};
use piton_runtime::Replies;
use tokio::net::TcpListener;

use crate::bounds::{TOKEN_BYTES_MAX, TOKEN_BYTES_MIN};

/// A bound address of the server, with the token that it requires.
pub struct Listener {
    pub(super) socket: TcpListener,
    pub(super) address: SocketAddr,
    pub(super) token: Option<Token>,
    pub(super) replies: Option<Arc<dyn Replies>>,
}

impl fmt::Debug for Listener {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Listener").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Listener {
    /// Listens at `address`. Without a token, only loopback addresses are accepted.
    pub async fn bind(address: SocketAddr, token: Option<Token>) -> Result<Self, Envelope> {
        if token.is_none() && !address.ip().is_loopback() {
            let message = format!(
                "{} can be reached from other machines, and there is no token that callers must send.",
                address.ip()
            );
            return Err(Envelope::new(Code::ValidationError, message).with_suggestion(
                "Set http.token_file to a file with a token, or http.bind to 127.0.0.1.",
            ));
        }
        let cannot = |error: std::io::Error| {
            Envelope::new(Code::ValidationError, format!("Cannot listen at {address}: {error}."))
                .with_suggestion("Set http.port to a port that is free; 0 takes any.")
        };
        let socket = TcpListener::bind(address).await.map_err(cannot)?;
        let address = socket.local_addr().map_err(cannot)?;
        Ok(Self { socket, address, token, replies: None })
    }

    /// Keeps replies for clients that lose their connection, and sessions for the next server.
    #[must_use]
    pub fn keeping(mut self, replies: Arc<dyn Replies>) -> Self {
        self.replies = Some(replies);
        self
    }

    /// Returns the bound address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The token that callers of the server must send.
#[derive(Clone)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

impl Token {
    /// Parses the content of a token file, ignoring surrounding white space.
    pub fn parse(text: &str) -> Result<Self, Envelope> {
        let text = text.trim();
        let problem = if !(TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX).contains(&text.len()) {
            format!("has {} characters", text.len())
        } else if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            "has characters beside letters, digits and signs".to_owned()
        } else {
            return Ok(Self(text.to_owned()));
        };
        let message = format!("The token of the server {problem}.");
        Err(Envelope::new(Code::ValidationError, message).with_suggestion(format!(
            "Write {TOKEN_BYTES_MIN} to {TOKEN_BYTES_MAX} random letters and digits into its file, for example what \
             `openssl rand -hex 32` prints."
        )))
    }

    /// Returns the digest of the token, which does not reveal it.
    pub(super) fn digest(&self) -> Digest {
        Digest::of(&FileBytes(self.0.as_bytes()))
    }

    /// True if `sent` is the token. For a guess of the right length, the time does not depend on which bytes are right.
    pub(super) fn is(&self, sent: &str) -> bool {
        // Accumulate all differences instead of stopping at the first; `black_box` keeps the compiler from doing so.
        let pairs = self.0.bytes().zip(sent.bytes());
        let difference = pairs.fold(0, |found, (left, right)| found | (left ^ right));
        self.0.len() == sent.len() && std::hint::black_box(difference) == 0
    }
}

/// Lets requests with the token pass and rejects all others.
pub(super) async fn check_token(
    State(token): State<Token>,
    request: Request,
    next: Next,
) -> Response {
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
