//! The subcommands of `piton workflow`.

use clap::Subcommand;

use super::{adopt, compile, list, show, validate, walk, write};
use crate::{app::App, exit::CommandEnding, failure::Failure};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Every workflow that can be started here
    #[command(after_help = "Example:\n  piton workflow list review")]
    List(list::List),
    /// What a workflow is for, its steps, and the first prompt
    #[command(after_help = "Example:\n  piton workflow show wr.code_review")]
    Show(show::ShowWorkflow),
    /// Look for mistakes in workflow files: every one, with its place and what to write
    #[command(after_help = "Example:\n  piton workflow validate .piton/workflows/release.json")]
    Validate(validate::Validate),
    /// Print what a run would be pinned to
    #[command(after_help = "Example:\n  piton workflow compile wr.tour")]
    Compile(compile::Compile),
    /// Write the file of a new workflow to start from
    #[command(after_help = "Example:\n  piton workflow new project.release_notes --project")]
    New(write::New),
    /// Copy a workflow under an id of your own, to change it
    #[command(after_help = "Example:\n  piton workflow fork wr.code_review user.our_review")]
    Fork(write::Fork),
    /// Bring in a directory of workflow files that were written for another namespace
    #[command(after_help = "Example:\n  piton workflow adopt ~/Downloads/workflows --dry-run")]
    Adopt(adopt::Adopt),
    /// Walk a workflow yourself, in this terminal
    #[command(
        after_help = "Examples:\n  piton workflow run wr.tour\n  piton workflow run --resume amber-otter\n  piton workflow run --resume amber-otter@diagnose"
    )]
    Run(walk::WalkWorkflow),
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        match self {
            Self::List(list) => list.run(app),
            Self::Show(show) => show.run(app),
            Self::Validate(validate) => validate.run(app),
            Self::Compile(compile) => compile.run(app),
            Self::New(new) => new.run(app),
            Self::Fork(fork) => fork.run(app),
            Self::Adopt(adopt) => adopt.run(app),
            Self::Run(walk) => walk.run(app),
        }
    }
}
