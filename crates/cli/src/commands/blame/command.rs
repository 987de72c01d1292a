//! What can be asked about.

use clap::{Args, Subcommand};
use piton_runtime::lineage::NodeReference;

use super::{recap, run};
use crate::{app::App, exit::Ending, failure::Failure};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// A step of a run: the steps behind it, and what was handed in for each
    #[command(after_help = "Example:\n  piton blame run amber-otter@diagnose")]
    Run(Node),
    /// What an agent reads that takes up a run, line by line
    #[command(after_help = "Example:\n  piton blame recap amber-otter")]
    Recap(Node),
}

#[derive(Args)]
pub(crate) struct Node {
    /// The run, and after `@` a node or the id of a step: where the run stands without it
    #[arg(value_name = "RUN[@NODE]")]
    pub(super) node: NodeReference,
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Result<Ending, Failure> {
        match self {
            Self::Run(node) => run::run(app, &node.node),
            Self::Recap(node) => recap::run(app, &node.node),
        }
    }
}
