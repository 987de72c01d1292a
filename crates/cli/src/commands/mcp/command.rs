//! The command line of `piton mcp`.

use clap::{Args, Subcommand};
use piton_backpack::BackpackId;
use piton_runtime::context::AgentId;

use super::{install, serve};
use crate::{app::App, commands::workspace::Chosen, exit::CommandEnding, failure::Failure};

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Without a command, an agent is served over standard input and output.\n\nExample:\n  piton mcp install --client claude"
)]
pub(crate) struct Mcp {
    /// Attach the agent to this backpack: it gets the tools pack, unpack, keys and history
    #[arg(long, value_name = "NAME")]
    backpack: Option<BackpackId>,
    /// Serve the context of the project as this agent of [[context.agents]]
    #[arg(long, value_name = "AGENT")]
    context: Option<AgentId>,
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    chosen: Chosen,
}

#[derive(Subcommand)]
enum Command {
    /// Tell a client to start Piton
    #[command(after_help = "Example:\n  piton mcp install --client codex --dry-run")]
    Install(install::Install),
    /// Take that back
    #[command(after_help = "Example:\n  piton mcp uninstall --client codex")]
    Uninstall(install::Uninstall),
}

impl Mcp {
    pub(crate) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        match self.command {
            None => serve::run(app, &self.chosen, self.backpack, self.context),
            Some(Command::Install(install)) => install.run(app),
            Some(Command::Uninstall(uninstall)) => uninstall.run(app),
        }
    }
}
