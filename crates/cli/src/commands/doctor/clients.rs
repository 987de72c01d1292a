//! The server that each client is configured to start, and its reply.

use std::path::Path;

use super::finding::{Finding, Health};
use super::probe::{HandshakeError, probe};
use crate::app::App;
use crate::bounds::{CLIENT_FILE_BYTES_MAX, PROBE_WAIT};
use crate::commands::mcp::{ClientEntry, ClientScope, McpClient, Start, entry_in};
use crate::files;

/// Returns the findings about the clients that are used here.
pub(super) fn findings(app: &App) -> Vec<Finding> {
    McpClient::ALL.into_iter().filter_map(|client| finding(app, client)).collect()
}

/// Checks whether a client is configured to start Piton, and whether that server answers. Returns `None` if the client
/// is not used here.
fn finding(app: &App, client: McpClient) -> Option<Finding> {
    let home = app.environment.home()?;
    let user_dir = app.environment.user_dir()?;
    let file = client.file(ClientScope::User, home, user_dir.parent()?);
    // A client without a configuration file is not used here.
    let text = files::read_if_there(&file, CLIENT_FILE_BYTES_MAX).ok()??;
    Some(match entry_in(client, &file, &text) {
        Err(failure) => Finding::bad(client.name(), &failure),
        Ok(None) => {
            let found = "is not configured to start Piton".to_owned();
            Finding::of(
                client.name(),
                Health::Note,
                found,
                client.install_command(ClientScope::User),
            )
        }
        Ok(Some(ClientEntry::Reach { url })) => {
            Finding::good(client.name(), format!("reaches Piton at {url}; `piton up` serves it"))
        }
        Ok(Some(ClientEntry::Start(start))) => started(app, client, ClientScope::User, &start),
    })
}

/// Starts the program that a client is configured to start, and checks whether it answers.
pub(crate) fn started(app: &App, client: McpClient, scope: ClientScope, start: &Start) -> Finding {
    let program = app.display_path(Path::new(&start.program));
    let trouble = match probe(start, PROBE_WAIT) {
        Ok(version) if version == env!("CARGO_PKG_VERSION") => {
            return Finding::good(client.name(), format!("starts {program}, which answers"));
        }
        Ok(version) => {
            let this = env!("CARGO_PKG_VERSION");
            let found = format!("starts {program}, which is Piton {version}; this is {this}");
            return Finding::of(client.name(), Health::Note, found, client.install_command(scope));
        }
        Err(trouble) => trouble,
    };
    let (found, next) = match trouble {
        HandshakeError::NotThere if !start.program.contains('/') => {
            let found = format!("is configured to start {program}, which is not in your PATH");
            (found, Some("piton install".to_owned()))
        }
        HandshakeError::NotThere => {
            (format!("is configured to start {program}, which does not exist"), None)
        }
        HandshakeError::CannotStart(error) => {
            (format!("is configured to start {program}, which does not start: {error}"), None)
        }
        HandshakeError::Ended { said } => {
            let said = said.map_or_else(String::new, |said| format!(": {said}"));
            let found = format!("starts {program}, which ends before it answers{said}");
            (found, Some(format!("run it yourself: {}", start.line())))
        }
        HandshakeError::Silent => {
            let found = format!(
                "starts {program}, which does not answer within {} s",
                PROBE_WAIT.as_secs()
            );
            (found, Some(format!("run it yourself: {}", start.line())))
        }
        HandshakeError::Stranger => {
            (format!("starts {program}, which answers, but is not Piton"), None)
        }
    };
    Finding::of(
        client.name(),
        Health::Bad,
        found,
        next.unwrap_or_else(|| client.install_command(scope)),
    )
}
