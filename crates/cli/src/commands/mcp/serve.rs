//! An agent at the other end of standard input and output.

use std::{
    io::{self, IsTerminal as _},
    path::PathBuf,
};

use piton_mcp::serve_stdio;
use piton_runtime::Whereabouts;

use crate::{
    app::App,
    commands::workspace::{Chosen, wall},
    exit::Ending,
    failure::Failure,
    output,
};

/// Serves the agent until it goes away. Standard output belongs to the protocol.
pub(super) fn run(app: &App, chosen: &Chosen) -> Result<Ending, Failure> {
    if io::stdin().is_terminal() {
        output::warn(
            "Waiting for a client of the Model Context Protocol; they start this themselves. \
             Tell one: piton mcp install --client claude. Ctrl-C stops.",
        );
    }
    let declared = chosen.declared(app)?;
    wall::put_up(app, &declared)?;
    let open = app.open()?;
    let offer = open.offer(Chosen::open(&open, declared)?);
    open.wait(open.runtime.note_applied())?;
    open.log.began();
    let whereabouts = Whereabouts {
        client_root: None,
        claude_project_dir: app.environment.variable("CLAUDE_PROJECT_DIR").map(PathBuf::from),
        working_dir: app.environment.working_dir.clone(),
    };
    open.wait(serve_stdio(offer, whereabouts))?;
    Ok(Ending::Done)
}
