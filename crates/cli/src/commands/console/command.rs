//! The command, its subcommands and their output.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{link, serve};
use crate::app::{App, Outcome};

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Without a command, Piton serves the console until Ctrl-C. Whoever can read the data directory can make a link.\n\nExample:\n  piton console --open"
)]
pub(crate) struct ConsoleCommand {
    #[command(flatten)]
    options: ConsoleOptions,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args)]
pub(super) struct ConsoleOptions {
    /// Show the page in the browser
    #[arg(long)]
    pub(super) open: bool,
    /// The port [default: `console.port` in the configuration, else 7470]
    #[arg(long, value_name = "PORT")]
    pub(super) port: Option<u16>,
    /// A project to choose from, whose workflows, Workspaces and context are shown; the first one is shown at first. May
    /// be repeated [default: the one here]
    #[arg(long = "project", value_name = "DIRECTORY")]
    pub(super) projects: Vec<PathBuf>,
    /// End with standard input, and say where the console is in one line of JSON.
    #[arg(long, hide = true)]
    pub(super) beside: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Print a link that lets one browser in, once and within ten minutes
    #[command(after_help = "Example:\n  piton console link")]
    Link,
    /// Sign every browser out, and make every link useless
    #[command(after_help = "Example:\n  piton console sign-out")]
    SignOut,
}

impl ConsoleCommand {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self.command {
            None => serve::run(app, &self.options),
            Some(Command::Link) => link::print_link(app),
            Some(Command::SignOut) => link::sign_out(app),
        }
    }
}
