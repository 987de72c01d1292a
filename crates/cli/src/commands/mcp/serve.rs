//! An agent at the other end of standard input and output.

use std::{
    io::{self, IsTerminal as _},
    path::PathBuf,
};

use piton_mcp::serve_stdio;
use piton_runtime::{Whereabouts, frames::AgentId, surroundings::project_dir};

use crate::{app::App, exit::Ending, failure::Failure, open::Open, output};

/// Serves the agent until it goes away. Standard output belongs to the protocol.
pub(super) fn run(app: &App, context: Option<AgentId>) -> Result<Ending, Failure> {
    if io::stdin().is_terminal() {
        output::warn(
            "Waiting for a client of the Model Context Protocol; they start this themselves. \
             Tell one: piton mcp install --client claude. Ctrl-C stops.",
        );
    }
    let open = Open::serving(app, context.clone())?;
    open.wait(open.runtime.note_applied())?;
    open.log.began();
    let whereabouts = Whereabouts {
        client_root: None,
        claude_project_dir: app.environment.variable("CLAUDE_PROJECT_DIR").map(PathBuf::from),
        working_dir: app.environment.working_dir.clone(),
    };
    if let Some(agent) = context {
        let here = [whereabouts.claude_project_dir.as_deref(), whereabouts.working_dir.as_deref()];
        let project = project_dir(None, here.into_iter().flatten())?;
        open.runtime.context_settings(project.as_ref())?.check(&agent)?;
    }
    open.wait(serve_stdio(open.offer(), whereabouts))?;
    Ok(Ending::Done)
}
