//! Links that let a browser in, and signing out.
//!
//! *Invariants*: a key is printed to a terminal, or where it was asked for, and nowhere else.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use piton_console::entrance::Entrance;
use piton_runtime::config::Settings;
use serde::Serialize;
use serde_json::json;

use crate::adapters::{SystemClock, SystemEntropy};
use crate::app::{App, Outcome};
use crate::commands::server_notice::{ServerNotice, ServerTurn};
use crate::failure::Failure;
use crate::messages::count;
use crate::open::Open;

/// Name of the console's lease and notice.
pub(super) const CONSOLE: &str = "console";

/// The command that makes a link, for readers that may not see one.
pub(super) const MAKE_LINK: &str = "`piton console link` prints a link that lets you in.";

/// Reply for a program: the link.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConsoleLink<'a> {
    #[serde(flatten)]
    console: &'a ServerNotice,
    link: &'a str,
}

/// Returns the keys and browsers of a data directory.
pub(super) fn entrance(open: &Open) -> Result<Entrance, Failure> {
    let table = open.adapters.console_table()?;
    Ok(Entrance::new(table, Arc::new(SystemClock), Arc::new(SystemEntropy)))
}

/// Returns a link to the console at `url`, with a new key.
fn link(open: &Open, url: &str) -> Result<String, Failure> {
    let key = open.wait(entrance(open)?.issue_key())?;
    Ok(format!("{url}/#{}", key.reveal()))
}

/// Returns where the console is: a link, if a person reads it, and otherwise the address without a key.
pub(super) fn address(app: &App, open: &Open, url: &str) -> Result<String, Failure> {
    if !app.output.is_json() && io::stdout().is_terminal() {
        link(open, url)
    } else {
        Ok(format!("{url} ({MAKE_LINK})"))
    }
}

/// Prints a link to the console that runs.
pub(super) fn print_link(app: &App) -> Outcome {
    let open = Open::outside_projects(app)?;
    let ServerTurn::Running(notice) = ServerTurn::take(&open, CONSOLE)? else {
        return Err(Failure::refused(
            "No console serves this data directory.",
            "Start one with `piton console`, or with `piton up` along with the server for agents.",
        ));
    };
    let link = link(&open, &notice.url)?;
    app.output.print(&link);
    let settings = open.runtime.applied();
    if let Some(further) = further_link(settings, &link, &notice.url) {
        writeln!(app.output, "Elsewhere: {further}");
    }
    app.output.print("It lets one browser in, once, within ten minutes.");
    app.output.finish("piton.console.link/1", &ConsoleLink { console: &notice, link: &link })
}

/// Returns a link at the address that a tunnel or proxy gives the console.
fn further_link(settings: &Settings, link: &str, url: &str) -> Option<String> {
    let public = settings.console_public_url()?.trim_end_matches('/');
    link.strip_prefix(url).map(|fragment| format!("{public}{fragment}"))
}

/// Signs every browser out.
pub(super) fn sign_out(app: &App) -> Outcome {
    let open = Open::outside_projects(app)?;
    let browsers = open.wait(entrance(&open)?.sign_out_all())?;
    writeln!(
        app.output,
        "Signed out {}. Links that were not used are useless now.",
        count(browsers, "browser")
    );
    app.output.advise(MAKE_LINK);
    app.output.finish("piton.console.sign_out/1", &json!({ "browsers": browsers }))
}
