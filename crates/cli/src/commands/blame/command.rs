//! The subcommands of `piton blame`.

use clap::{Args, Subcommand};
use piton_runtime::provenance::NodeReference;

use super::{backpack, file, frame, recap, run};
use crate::{app::App, exit::CommandEnding, failure::Failure};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// A step of a run: the steps behind it, and what was handed in for each
    #[command(after_help = "Example:\n  piton blame run amber-otter@diagnose")]
    Run(BlameNode),
    /// What an agent reads that takes up a run, line by line
    #[command(after_help = "Example:\n  piton blame recap amber-otter")]
    Recap(BlameNode),
    /// A key of a backpack: who packed it, at which step, and the steps behind that
    #[command(after_help = "Example:\n  piton blame state research sources")]
    State(backpack::BlameState),
    /// A file of a Workspace: who changed it, at which step, and the steps behind that
    #[command(after_help = "Example:\n  piton blame file /scratch/retry.rs")]
    File(file::BlameFile),
    /// The frames on a file or directory of the project, and the steps behind the newest
    #[command(after_help = "Example:\n  piton blame frame src/lib.rs")]
    Frame(frame::BlameFrame),
}

#[derive(Args)]
pub(crate) struct BlameNode {
    /// The run, and after `@` a node or the id of a step: where the run stands without it
    #[arg(value_name = "RUN[@NODE]")]
    pub(super) node: NodeReference,
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        match self {
            Self::Run(node) => run::run(app, &node.node),
            Self::Recap(node) => recap::run(app, &node.node),
            Self::State(state) => state.run(app),
            Self::File(file) => file.run(app),
            Self::Frame(frame) => frame.run(app),
        }
    }
}
