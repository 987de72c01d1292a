//! The subcommands of `piton flow`.

use clap::Subcommand;

use super::{check, replay, run};
use crate::app::{App, Outcome};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check a flow for mistakes without running it
    #[command(after_help = "Example:\n  piton flow check research.json")]
    Check(check::FlowFile),
    /// Print a flow as a Mermaid flowchart
    #[command(after_help = "Example:\n  piton flow graph research.json")]
    Graph(check::FlowFile),
    /// Run a flow and keep it in a backpack
    #[command(
        after_help = "Example:\n  piton flow run research.json --set query=\"prices 2026\" --backpack research"
    )]
    Run(run::RunFlowCommand),
    /// Resume a run after the last node that finished
    #[command(after_help = "Example:\n  piton flow resume research")]
    Resume(run::Resume),
    /// Run again from one of the nodes of a run, and compare both results
    #[command(
        after_help = "Example:\n  piton flow replay research --from chat --set query=\"prices 2027\""
    )]
    Replay(replay::Replay),
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self {
            Self::Check(file) => file.check(app),
            Self::Graph(file) => file.graph(app),
            Self::Run(run) => run.run(app),
            Self::Resume(resume) => resume.run(app),
            Self::Replay(replay) => replay.run(app),
        }
    }
}
