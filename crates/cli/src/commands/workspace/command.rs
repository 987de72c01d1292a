//! The subcommands of `piton workspace`.

use clap::Subcommand;

use super::review::{Apply, DiffOverlay, Drop};
use super::{WorkspaceArguments, inspect, log, shell, verify};
use crate::app::{App, Outcome};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// What an agent reads about its files when it connects
    #[command(
        after_help = "Example:\n  piton workspace map --workspace /docs=./docs:ro --workspace /scratch=virtual:rw"
    )]
    Map(WorkspaceArguments),
    /// The file tools that an agent gets, as it gets them
    #[command(after_help = "Example:\n  piton workspace tools --json")]
    Tools(WorkspaceArguments),
    /// Which Workspace a path belongs to, what may be done there, and why the rest is refused
    #[command(after_help = "Example:\n  piton workspace resolve /project/src/main.rs")]
    Resolve(inspect::Resolve),
    /// Who changed a file, or all files
    #[command(
        after_help = "Examples:\n  piton workspace log /scratch/plan.md\n  piton workspace log --under /scratch --agent claude"
    )]
    Log(log::LogFile),
    /// What an overlay changed
    #[command(after_help = "Example:\n  piton workspace diff /scratch")]
    Diff(DiffOverlay),
    /// Bring what an overlay changed into the Workspace below it
    #[command(
        after_help = "Examples:\n  piton workspace apply /scratch --yes\n  piton workspace apply /scratch src/main.rs docs"
    )]
    Apply(Apply),
    /// Forget what an overlay changed
    #[command(
        after_help = "Examples:\n  piton workspace drop /scratch --yes\n  piton workspace drop /scratch notes.md"
    )]
    Drop(Drop),
    /// Check every byte of what Virtual Stores hold, and every record of a file change; nothing is changed
    #[command(after_help = "Example:\n  piton workspace verify")]
    Verify,
    /// Take damaged files of Virtual Stores and damaged records of file changes out of use, keeping them
    #[command(after_help = "Example:\n  piton workspace repair")]
    Repair,
    /// Type tool calls, and read what an agent would
    #[command(
        after_help = "Example:\n  echo 'read /project/README.md limit=5' | piton workspace shell"
    )]
    Shell(WorkspaceArguments),
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self {
            Self::Map(arguments) => inspect::map(app, &arguments),
            Self::Tools(arguments) => inspect::tools(app, &arguments),
            Self::Resolve(resolve) => resolve.run(app),
            Self::Log(log) => log.run(app),
            Self::Diff(diff) => diff.run(app),
            Self::Apply(apply) => apply.run(app),
            Self::Drop(drop) => drop.run(app),
            Self::Verify => verify::verify(app),
            Self::Repair => verify::repair(app),
            Self::Shell(arguments) => shell::run(app, &arguments),
        }
    }
}
