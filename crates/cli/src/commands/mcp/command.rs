//! What can be asked for.

use clap::{Args, Subcommand};
use piton_runtime::frames::AgentId;

use super::{install, serve};
use crate::{app::App, exit::Ending, failure::Failure};

#[derive(Args)]
#[command(
    after_help = "Without a command, an agent is served over standard input and output.\n\nExample:\n  piton mcp install --client claude"
)]
pub(crate) struct Mcp {
    /// Serve the context of the project as this agent of [[context.agents]]
    #[arg(long, value_name = "AGENT")]
    context: Option<AgentId>,
    #[command(subcommand)]
    command: Option<Command>,
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
    pub(crate) fn run(self, app: &App) -> Result<Ending, Failure> {
        match self.command {
            None => serve::run(app, self.context),
            Some(Command::Install(install)) => install.run(app),
            Some(Command::Uninstall(uninstall)) => uninstall.run(app),
        }
    }
}
