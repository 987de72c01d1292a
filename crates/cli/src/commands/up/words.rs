//! The text that the server prints.

use std::path::Path;

use piton_mcp::{Stopped, bounds::SHUTDOWN_WAIT};
use piton_runtime::reply::ListedWorkflows;
use piton_workflow::SourceKind;

use super::notice::ServerNotice;
use crate::{app::App, commands::mcp::McpClient};

/// Prints that the server is stopping.
pub(super) fn stopping(app: &App) {
    let seconds = SHUTDOWN_WAIT.as_secs();
    app.output.print(format_args!(
        "Stopping. Calls under way have {seconds} s to end; new ones are refused."
    ));
}

/// Prints that the server has stopped.
pub(super) fn stopped(app: &App, stopped: Stopped) {
    match stopped.calls_cut {
        0 => app.output.advise("Stopped. Nothing is lost; `piton up` goes on."),
        1 => app.output.advise(
            "Stopped. 1 call did not end in time. What it had written is kept; repeat it after `piton up` to see the result.",
        ),
        count => app.output.advise(format_args!(
            "Stopped. {count} calls did not end in time. What they had written is kept; repeat them after `piton up` to see the results."
        )),
    }
}

/// Prints the opening text. `token` is the file with the token that callers have to send.
pub(super) fn opening(
    app: &App,
    data: &str,
    is_new: bool,
    notice: &ServerNotice,
    token: Option<&Path>,
    listed: &ListedWorkflows,
) {
    let output = &app.output;
    let new = if is_new { " (new)" } else { "" };
    let bundled =
        listed.workflows.iter().filter(|entry| entry.source_kind == SourceKind::Bundled).count();
    let own = listed.workflows.len() - bundled;
    output.print(format_args!("Piton {} · data in {data}{new}\n", env!("CARGO_PKG_VERSION")));
    output.print(format_args!("  MCP        {}", notice.url));
    if let Some(file) = token {
        let file = app.display_path(file);
        output.print(format_args!("  Token      what {file} holds, as `Authorization: Bearer …`"));
    } else {
        output.print(
            "  Token      none: every user of this machine can call it. Set http.token_file to require one.",
        );
    }
    output.print(format_args!("  Workflows  {bundled} bundled · {own} of yours\n"));
    output.print(
        "An agent that speaks HTTP connects to that address. These start Piton themselves, on the same data:",
    );
    for client in McpClient::ALL {
        output.advise(format_args!(
            "  {:<12} piton mcp install --client {}",
            client.name(),
            client.word()
        ));
    }
    output.print("Then ask it: \"Use piton to investigate why the login test is flaky.\"\n");
    output.advise("Nothing to connect yet? `piton workflow run wr.tour` walks a run with you.   Ctrl-C stops.");
}
