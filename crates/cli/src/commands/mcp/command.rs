//! What can be asked for.

use clap::{Args, Subcommand};

use super::{install, serve};
use crate::{app::App, commands::workspace::Chosen, exit::Ending, failure::Failure};

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Without a command, an agent is served over standard input and output.\n\nExample:\n  piton mcp install --client claude"
)]
pub(crate) struct Mcp {
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
    pub(crate) fn run(self, app: &App) -> Result<Ending, Failure> {
        match self.command {
            None => serve::run(app, &self.chosen),
            Some(Command::Install(install)) => install.run(app),
            Some(Command::Uninstall(uninstall)) => uninstall.run(app),
        }
    }
}
