//! The subcommands of `piton workflow`.

use clap::Subcommand;

use super::{adopt, list, schema, show, stats, validate, walk, write};
use crate::app::{App, Outcome};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the workflows that can be started here
    #[command(after_help = "Example:\n  piton workflow list review")]
    List(list::List),
    /// Show what a workflow is for, its steps, and the first prompt
    #[command(after_help = "Example:\n  piton workflow show wr.code_review")]
    Show(show::ShowWorkflow),
    /// Check workflow files for mistakes, and show how to fix each one
    #[command(after_help = "Example:\n  piton workflow validate .piton/workflows/release.json")]
    Validate(validate::Validate),
    /// Print the JSON Schema of workflow files, for an editor
    #[command(
        after_help = "Example:\n  piton workflow schema > .piton/workflows/.workflow.schema.json"
    )]
    Schema(schema::SchemaCommand),
    /// Print the compiled workflow that a run would be pinned to
    #[command(after_help = "Example:\n  piton workflow compile wr.tour")]
    Compile(show::Compile),
    /// Show what the steps of a workflow cost its runs: attempts, refusals, time, gaps and forks
    #[command(after_help = "Example:\n  piton workflow stats wr.tour")]
    Stats(stats::Stats),
    /// Create the file of a new workflow from a template
    #[command(after_help = "Example:\n  piton workflow new project.release_notes --project")]
    New(write::New),
    /// Copy a workflow under a new id, to change it
    #[command(after_help = "Example:\n  piton workflow fork wr.code_review user.our_review")]
    Fork(write::Fork),
    /// Copy a directory of workflow files from another namespace
    #[command(after_help = "Example:\n  piton workflow adopt ~/Downloads/workflows --dry-run")]
    Adopt(adopt::Adopt),
    /// Work through a workflow yourself, in this terminal
    #[command(
        after_help = "Examples:\n  piton workflow run wr.tour\n  piton workflow run --resume amber-otter\n  piton workflow run --resume amber-otter@diagnose"
    )]
    Run(walk::WalkWorkflow),
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self {
            Self::List(list) => list.run(app),
            Self::Show(show) => show.run(app),
            Self::Validate(validate) => validate.run(app),
            Self::Schema(schema) => schema.run(app),
            Self::Compile(compile) => compile.run(app),
            Self::Stats(stats) => stats.run(app),
            Self::New(new) => new.run(app),
            Self::Fork(fork) => fork.run(app),
            Self::Adopt(adopt) => adopt.run(app),
            Self::Run(walk) => walk.run(app),
        }
    }
}
