//! Which port the server gets.

use std::net::SocketAddr;

use piton_core::Envelope;
use piton_mcp::{Listener, Token};
use piton_runtime::config::{SettingKey, SettingSource, Settings};

use crate::bounds::{PORTS_TRIED, TOKEN_FILE_BYTES_MAX};
use crate::{failure::Failure, files};

/// Listens where the settings say. A port that nobody chose may be taken by somebody else; then the next free one
/// behind it is used.
pub(super) async fn listen(
    settings: &Settings,
    token: Option<Token>,
) -> Result<Listener, Envelope> {
    let (address, port) = settings.http();
    let is_chosen =
        settings.get(SettingKey::HttpPort).is_some_and(|held| held.place != SettingSource::Default);
    let last = if is_chosen { port } else { port.saturating_add(PORTS_TRIED) };
    let mut first_problem = None;
    for port in port..=last {
        match Listener::bind(SocketAddr::new(address, port), token.clone()).await {
            Ok(listener) => return Ok(listener),
            Err(problem) => first_problem.get_or_insert(problem),
        };
    }
    Err(first_problem.expect("at least one port was tried"))
}

/// The token that callers must send, if a file with one is configured.
pub(super) fn token(settings: &Settings) -> Result<Option<Token>, Failure> {
    let Some(file) = settings.http_token_file() else { return Ok(None) };
    let text = files::read_text(file, TOKEN_FILE_BYTES_MAX)?;
    Ok(Some(Token::parse(&text)?))
}
