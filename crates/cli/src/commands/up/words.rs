//! What the server says at its start.

use std::path::Path;

use piton_runtime::reply::ListedWorkflows;
use piton_workflow::SourceKind;

use super::notice::Notice;
use crate::{app::App, commands::mcp::Client};

/// What the server says at its start; `token` is the file with what callers have to send.
pub(super) fn opening(
    app: &App,
    data: &str,
    is_new: bool,
    notice: &Notice,
    token: Option<&Path>,
    listed: &ListedWorkflows,
) {
    let output = &app.output;
    let new = if is_new { " (new)" } else { "" };
    let bundled =
        listed.workflows.iter().filter(|entry| entry.source_kind == SourceKind::Bundled).count();
    let own = listed.workflows.len() - bundled;
    output.say(format_args!("Piton {} · data in {data}{new}\n", env!("CARGO_PKG_VERSION")));
    output.say(format_args!("  MCP        {}", notice.url));
    if let Some(file) = token {
        let file = app.shown(file);
        output.say(format_args!("  Token      what {file} holds, as `Authorization: Bearer …`"));
    }
    output.say(format_args!("  Workflows  {bundled} bundled · {own} of yours\n"));
    output.say(
        "An agent that speaks HTTP connects to that address. These start Piton themselves, on the same data:",
    );
    for client in Client::ALL {
        output.say(format_args!(
            "  {:<12} piton mcp install --client {}",
            client.name(),
            client.word()
        ));
    }
    output.say("Then ask it: \"Use piton to investigate why the login test is flaky.\"\n");
    output.say("Nothing to connect yet? `piton workflow run wr.tour` walks a run with you.   Ctrl-C stops.");
}
