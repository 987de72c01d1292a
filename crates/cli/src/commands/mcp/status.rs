//! `piton mcp status`: the clients that start Piton, the answer of the program that each starts, and its permission.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::client::{ClientDirectories, ClientScope, McpClient};
use super::entry::{ClientEntry, entry_in};
use super::permission::Permission;
use crate::app::{App, Outcome};
use crate::bounds::CLIENT_FILE_BYTES_MAX;
use crate::commands::doctor::{Health, started};
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::files;
use crate::style::Tone;
use crate::table::Cell;

#[derive(Serialize)]
struct McpStatus {
    clients: Vec<ClientStatus>,
}

/// The state of a client in one scope.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClientStatus {
    client: McpClient,
    scope: ClientScope,
    file: PathBuf,
    is_configured: bool,
    /// The program that it starts, or the address that it connects to.
    #[serde(skip_serializing_if = "Option::is_none")]
    starts: Option<String>,
    /// Set if the program answers as Piton; absent where nothing is started.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<bool>,
    found: String,
    /// Set if the client calls the tools without asking; absent where no file says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_allowed: Option<bool>,
    /// The command that changes what is wrong or missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

pub(super) fn run(app: &App) -> Outcome {
    let mut status = McpStatus { clients: Vec::new() };
    for client in McpClient::ALL {
        for scope in ClientScope::ALL {
            status.clients.push(ClientStatus::new(app, client, scope)?);
        }
    }
    let is_sound = status.clients.iter().all(|one| one.answers != Some(false));
    status.print(app);
    app.output.reply("piton.mcp.status/1", &status)?;
    Ok(if is_sound { CommandEnding::Done } else { CommandEnding::Wanting })
}

impl McpStatus {
    fn print(&self, app: &App) {
        let rows: Vec<_> = self.clients.iter().map(|one| one.row(app)).collect();
        app.output.table(["CLIENT", "SCOPE", "STARTS", "FOUND", "ASKS"], &rows);
        let configured = || self.clients.iter().filter(|one| one.is_configured);
        for one in configured() {
            if let Some(next) = &one.next {
                app.output.advise(format_args!(
                    "Next for {} ({}): {next}",
                    one.client.name(),
                    one.scope.word()
                ));
            }
        }
        if configured().next().is_none() {
            app.output.advise(crate::messages::CONNECT);
        }
    }
}

impl ClientStatus {
    fn new(app: &App, client: McpClient, scope: ClientScope) -> Result<Self, Failure> {
        let directories = ClientDirectories::new(app, scope)?;
        let file = directories.file(client, scope);
        let text = files::read_if_there(&file, CLIENT_FILE_BYTES_MAX)?.unwrap_or_default();
        let mut status = Self {
            client,
            scope,
            is_configured: false,
            starts: None,
            answers: None,
            found: "not configured".to_owned(),
            is_allowed: None,
            next: Some(client.install_command(scope)),
            file,
        };
        let entry = match entry_in(client, &status.file, &text) {
            Ok(Some(entry)) => entry,
            Ok(None) => return Ok(status),
            Err(failure) => {
                let envelope = failure.envelope();
                (status.answers, status.found) = (Some(false), envelope.message);
                (status.is_configured, status.next) = (true, Some(envelope.suggestion));
                return Ok(status);
            }
        };
        status.is_configured = true;
        status.next = None;
        match entry {
            ClientEntry::Reach { url } => {
                "connects to a server; `piton up` serves it".clone_into(&mut status.found);
                status.starts = Some(url);
            }
            ClientEntry::Start(start) => {
                let found = started(app, client, scope, &start);
                status.answers = Some(found.health != Health::Bad);
                status.found = match found.health {
                    Health::Good => "answers".to_owned(),
                    Health::Note | Health::Bad => found.found,
                };
                status.next = found.next;
                status.starts = Some(start.line());
            }
        }
        let permission = Permission::new(client, scope, &directories.base);
        if !matches!(permission, Permission::ByHand(_)) {
            match permission.is_given(&status.file, &text) {
                Ok(is_given) => {
                    status.is_allowed = Some(is_given);
                    let allow = || format!("{} --allow", client.install_command(scope));
                    status.next = status.next.or_else(|| (!is_given).then(allow));
                }
                Err(failure) => {
                    let envelope = failure.envelope();
                    (status.answers, status.found) = (Some(false), envelope.message);
                    status.next = Some(envelope.suggestion);
                }
            }
        }
        Ok(status)
    }

    fn row(&self, app: &App) -> [Cell; 5] {
        let starts = self.starts.as_deref().map(|line| app.display_path(Path::new(line)));
        let found = match self.answers {
            Some(true) => Cell::of(Tone::Good, &self.found),
            Some(false) => Cell::of(Tone::Bad, &self.found),
            None => Cell::of(Tone::Faint, &self.found),
        };
        let asks = match (self.is_configured, self.is_allowed) {
            (true, Some(true)) => "no",
            (true, Some(false)) => "before each call",
            (true, None) => "as set in the client",
            (false, _) => "–",
        };
        [
            self.client.name().into(),
            self.scope.word().into(),
            starts.unwrap_or_else(|| "–".to_owned()).into(),
            found,
            asks.into(),
        ]
    }
}
