//! The subcommands of `piton flow`.

use clap::Subcommand;

use super::{check, replay, resume, run};
use crate::{app::App, exit::CommandEnding, failure::Failure};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Say what is wrong with a flow, without running it
    #[command(after_help = "Example:\n  piton flow check research.json")]
    Check(check::FlowFile),
    /// Print a flow as a Mermaid flowchart
    #[command(after_help = "Example:\n  piton flow graph research.json")]
    Graph(check::FlowFile),
    /// Run a flow, kept in a backpack
    #[command(
        after_help = "Example:\n  piton flow run research.json --set query=\"prices 2026\" --backpack research"
    )]
    Run(run::RunFlowCommand),
    /// Go on with a run after the last node that finished
    #[command(after_help = "Example:\n  piton flow resume research")]
    Resume(resume::Resume),
    /// Run a run again from one of its nodes, and compare what came of both
    #[command(
        after_help = "Example:\n  piton flow replay research --from chat --set query=\"prices 2027\""
    )]
    Replay(replay::Replay),
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        match self {
            Self::Check(file) => file.check(app),
            Self::Graph(file) => file.graph(app),
            Self::Run(run) => run.run(app),
            Self::Resume(resume) => resume.run(app),
            Self::Replay(replay) => replay.run(app),
        }
    }
}
