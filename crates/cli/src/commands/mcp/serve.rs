//! The server for an agent at the other end of standard input and output.

use std::{
    io::{self, IsTerminal as _},
    path::PathBuf,
};

use piton_backpack::BackpackId;
use piton_mcp::serve_stdio;
use piton_runtime::{Whereabouts, context::AgentId};

use crate::{
    app::App,
    commands::{
        stop,
        workspace::{Chosen, sandbox},
    },
    exit::CommandEnding,
    failure::Failure,
    open::Open,
    output,
};

/// Serves the agent until it disconnects. Standard output belongs to the protocol.
pub(super) fn run(
    app: &App,
    chosen: &Chosen,
    backpack: Option<BackpackId>,
    context: Option<AgentId>,
) -> Result<CommandEnding, Failure> {
    if io::stdin().is_terminal() {
        output::warn(app.output.complete(
            "Waiting for a client of the Model Context Protocol; they start this themselves. \
             Tell one: piton mcp install --client claude. Ctrl-C stops.",
        ));
    }
    let declared = chosen.declared(app)?;
    // The sandbox holds for threads that start later, so it goes up before the runtime starts any.
    sandbox::put_up(app, &declared)?;
    let open = Open::serving(app, context.clone())?;
    let offer = open.offer(Chosen::open(&open, declared)?);
    open.note_applied();
    open.log.began();
    let whereabouts = Whereabouts {
        client_root: None,
        claude_project_dir: app.environment.variable("CLAUDE_PROJECT_DIR").map(PathBuf::from),
        working_dir: app.environment.working_dir.clone(),
    };
    // Problems of the configuration are reported now: later, an agent would only see that tools are missing.
    let project = app.project(open.runtime.applied())?;
    let settings = open.runtime.context_settings(project.as_ref())?;
    if let Some(agent) = context {
        settings.check(&agent)?;
    }
    // A client that leaves and a system that shuts down send signals. Calls in progress may finish first.
    let told = open.wait(async { stop::signals() })?;
    let served = open.wait(serve_stdio(offer.backpack(backpack), whereabouts, told));
    // Standard input may still be blocked in a read, so a normal shutdown could hang.
    open.leave();
    served?;
    Ok(CommandEnding::Done)
}
