//! The subcommands of `piton context`.

use clap::{Args, Subcommand};
use piton_runtime::context::AgentId;

use super::{generate, inspect, put, read, synthesize, tree, watch};
use crate::app::{App, Outcome};

#[derive(Args)]
#[command(
    after_help = "Paths are relative to where you are, ids may be cut short, and TREE is `@`, `@-2`, the beginning \
                  of a digest, or a label.\n\nExample:\n  piton context scan\n  piton context status"
)]
pub(crate) struct ContextCommand {
    /// Who acts: an agent of [[context.agents]]; you, if nobody is named
    #[arg(long, global = true, value_name = "AGENT")]
    agent: Option<AgentId>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Record the project directory as it is
    #[command(after_help = "Example:\n  piton context scan --label before-the-rewrite")]
    Scan(inspect::Scan),
    /// What is fresh, stale and missing
    #[command(after_help = "Example:\n  piton context status")]
    Status,
    /// Check everything that is stored; nothing is changed
    #[command(after_help = "Example:\n  piton context validate")]
    Validate,
    /// Take out what is damaged, keep it elsewhere, and rebuild the rest from the files and the intact frames
    #[command(after_help = "Example:\n  piton context repair")]
    Repair,
    /// What repairs took out of use, and how much of it is kept
    #[command(after_help = "Example:\n  piton context repairs")]
    Repairs,
    /// Every recorded tree, the newest first
    #[command(after_help = "Example:\n  piton context history")]
    History,
    /// Who is configured, and whom clients act as
    #[command(after_help = "Example:\n  piton context agents")]
    Agents,
    /// The entries of a directory, and how much at and below each is fresh, stale and missing
    #[command(after_help = "Example:\n  piton context tree src --type summary")]
    Tree(tree::Tree),
    /// A file or directory with its frames
    #[command(after_help = "Example:\n  piton context get-node src/lib.rs --type summary")]
    GetNode(read::GetNode),
    /// Every frame of a file or directory, without contents
    #[command(after_help = "Example:\n  piton context list-frames src/lib.rs")]
    ListFrames(read::ListFrames),
    /// The newest frame of each type of a file or directory, without contents
    #[command(after_help = "Example:\n  piton context get-head src/lib.rs --type summary")]
    GetHead(read::GetHead),
    /// What to read about a file or directory and its surroundings, as text for a prompt
    #[command(after_help = "Example:\n  piton context compose src/lib.rs --tokens 2000")]
    Compose(read::Compose),
    /// Put a frame on a file or directory
    #[command(
        after_help = "Example:\n  piton context put-frame src/lib.rs --type summary --text \"Parses the file.\""
    )]
    PutFrame(put::PutFrame),
    /// Give the newest frames of a path that is gone to where the file or directory is now
    ///
    /// Frames go along with a rename by themselves where it is certain. This is for files that were edited as well, or
    /// of which there are several copies.
    #[command(after_help = "Example:\n  piton context adopt src/old.rs src/new.rs")]
    Adopt(put::Adopt),
    /// Make the frame of a directory from those of its entries
    #[command(
        after_help = "Example:\n  piton context synthesize . --type summary --recursive --policy summarization"
    )]
    Synthesize(synthesize::Synthesize),
    /// Regenerate frames that were synthesised from what has changed since
    #[command(
        after_help = "Example:\n  piton context regenerate\n  piton context regenerate src --scope node"
    )]
    Regenerate(synthesize::Regenerate),
    /// Mark a frame to be made again
    #[command(
        after_help = "Example:\n  piton context invalidate src --type summary --because \"too long\""
    )]
    Invalidate(put::Invalidate),
    /// Let a model write frames; says what that costs at most, and asks first
    #[command(
        after_help = "Example:\n  piton context generate --type summary --recursive --prompt \"Say what it is for.\" --dry-run"
    )]
    Generate(generate::Generate),
    /// Record the project directory whenever it changes, until Ctrl-C
    #[command(after_help = "Example:\n  piton context watch --regenerate")]
    Watch(watch::Watch),
    /// What differs between two recorded trees, and the frames about it
    #[command(after_help = "Example:\n  piton context diff @-2")]
    Diff(inspect::DiffContext),
    /// Coverage and stale frames, for CI: with --fail-on stale it ends with code 1 when something is stale
    #[command(after_help = "Example:\n  piton context report --markdown --fail-on stale")]
    Report(inspect::ReportContext),
    /// Carry out a file of operations, one JSON object a line
    #[command(after_help = "Example:\n  piton context batch frames.jsonl")]
    Batch(put::Batch),
}

impl ContextCommand {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let agent = self.agent.as_ref();
        match self.command {
            Command::Scan(scan) => scan.run(app),
            Command::Status => inspect::status(app),
            Command::Validate => inspect::validate(app),
            Command::Repair => inspect::repair(app),
            Command::Repairs => inspect::repairs(app),
            Command::History => inspect::history(app),
            Command::Agents => inspect::agents(app),
            Command::Tree(tree) => tree.run(app, agent),
            Command::GetNode(get) => get.run(app, agent),
            Command::ListFrames(list) => list.run(app, agent),
            Command::GetHead(get) => get.run(app, agent),
            Command::Compose(compose) => compose.run(app, agent),
            Command::PutFrame(put) => put.run(app, agent),
            Command::Adopt(adopt) => adopt.run(app, agent),
            Command::Synthesize(synthesize) => synthesize.run(app, agent),
            Command::Regenerate(regenerate) => regenerate.run(app, agent),
            Command::Invalidate(invalidate) => invalidate.run(app, agent),
            Command::Generate(generate) => generate.run(app, agent),
            Command::Watch(watch) => watch.run(app, agent),
            Command::Diff(diff) => diff.run(app),
            Command::Report(report) => report.run(app),
            Command::Batch(batch) => batch.run(app, agent),
        }
    }
}
