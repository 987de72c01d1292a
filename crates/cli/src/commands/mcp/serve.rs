//! `piton mcp`: serves the agent at the other end of standard input and output.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use piton_mcp::serve_stdio;
use piton_runtime::Whereabouts;
use piton_runtime::backpack::BackpackId;
use piton_runtime::context::AgentId;

use super::{install, status};
use crate::app::{App, Outcome};
use crate::commands::stop;
use crate::commands::workspace::{WorkspaceArguments, sandbox};
use crate::complete;
use crate::exit::CommandEnding;
use crate::open::Open;
use crate::output;

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Without a command, Piton serves an agent over standard input and output.\n\nExample:\n  piton mcp install --client claude"
)]
pub(crate) struct Mcp {
    /// Attach the agent to this backpack, with the tools pack, unpack, keys and history
    #[arg(long, value_name = "NAME", add = complete::backpack_names())]
    backpack: Option<BackpackId>,
    /// Serve the context of the project as this agent of [[context.agents]]
    #[arg(long, value_name = "AGENT")]
    context: Option<AgentId>,
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    chosen: WorkspaceArguments,
}

#[derive(Subcommand)]
enum Command {
    /// Configure a client to start Piton
    #[command(after_help = "Example:\n  piton mcp install --client codex --dry-run")]
    Install(install::Install),
    /// Remove Piton from the configuration of a client, with the permission that `install --allow` wrote
    #[command(after_help = "Example:\n  piton mcp uninstall --client codex")]
    Uninstall(install::Target),
    /// Show which clients start Piton, whether it answers, and whether they may call its tools without asking
    #[command(after_help = "Example:\n  piton mcp status")]
    Status,
}

impl Mcp {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self.command {
            None => self.serve(app),
            Some(Command::Install(install)) => install.run(app),
            Some(Command::Uninstall(target)) => install::uninstall(app, &target),
            Some(Command::Status) => status::run(app),
        }
    }

    /// Serves the agent until it disconnects. Standard output belongs to the protocol.
    fn serve(self, app: &App) -> Outcome {
        if io::stdin().is_terminal() {
            output::warn(app.output.complete(
                "Waiting for an MCP client; clients start this command themselves. Configure one: \
                 piton mcp install --client claude. Ctrl-C stops.",
            ));
        }
        let declared = self.chosen.declared(app)?;
        // The sandbox holds for threads that start later, so it goes up before the runtime starts any.
        sandbox::put_up(app, &declared)?;
        let open = Open::new(app, self.context.clone())?;
        let offer = open.offer(WorkspaceArguments::open(&open, declared)?);
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
        if let Some(agent) = &self.context {
            settings.check(agent)?;
        }
        // A client that leaves and a system that shuts down send signals. Calls in progress may finish first.
        let stop = open.wait(async { stop::signals() })?;
        let served = open.wait(serve_stdio(offer.backpack(self.backpack), whereabouts, stop));
        // Standard input may still be blocked in a read, so a normal shutdown could hang.
        open.leave();
        served?;
        Ok(CommandEnding::Done)
    }
}
