//! The port that the server listens on.

use std::net::SocketAddr;

use piton_core::Envelope;
use piton_mcp::{Listener, Token};
use piton_runtime::config::{SettingKey, SettingSource, Settings};

use crate::bounds::{PORTS_TRIED, TOKEN_FILE_BYTES_MAX};
use crate::{failure::Failure, files};

/// Listens where the settings say. If the default port is taken by another process, the next free one after it is used.
pub(super) async fn listen(
    settings: &Settings,
    token: Option<Token>,
) -> Result<Listener, Envelope> {
    let (address, port) = settings.http();
    // A port that the user chose is never replaced by another: clients are configured with it.
    let is_chosen =
        settings.get(SettingKey::HttpPort).is_some_and(|held| held.place != SettingSource::Default);
    let last = if is_chosen { port } else { port.saturating_add(PORTS_TRIED) };
    // The first problem is about the port that was meant, so it is the one to report.
    let mut first_problem = None;
    for port in port..=last {
        match Listener::bind(SocketAddr::new(address, port), token.clone()).await {
            Ok(listener) => return Ok(listener),
            Err(problem) => first_problem.get_or_insert(problem),
        };
    }
    Err(first_problem.expect("at least one port was tried"))
}

/// Reads the token that callers must send, if a token file is configured.
pub(super) fn token(settings: &Settings) -> Result<Option<Token>, Failure> {
    let Some(file) = settings.http_token_file() else { return Ok(None) };
    let text = files::read_text(file, TOKEN_FILE_BYTES_MAX)?;
    Ok(Some(Token::parse(&text)?))
}
