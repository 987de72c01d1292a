//! The subcommands of `piton session`.

use clap::Subcommand;

use super::{artifact, gc, keep, list, remove, show, transfer, tree, verify};
use crate::{app::App, arguments::RunArgument, exit::CommandEnding, failure::Failure};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Every run, the newest first
    #[command(after_help = "Example:\n  piton session list --json")]
    List,
    /// A run, step by step, with what was submitted and decided
    #[command(
        after_help = "Examples:\n  piton session show amber-otter\n  piton session show amber-otter@diagnose"
    )]
    Show(show::ShowSession),
    /// The graph of a run: branches, blocks, and where it goes on
    #[command(after_help = "Example:\n  piton session tree amber-otter")]
    Tree(tree::Tree),
    /// Print an artifact of a run whole, or write it to a file
    #[command(after_help = "Example:\n  piton session artifact amber-otter wr.review_verdict")]
    Artifact(artifact::Artifact),
    /// Write a session to a file that can be imported elsewhere
    #[command(after_help = "Example:\n  piton session export amber-otter login.bundle.json")]
    Export(transfer::Export),
    /// Make a session from such a file
    #[command(after_help = "Example:\n  piton session import login.bundle.json")]
    Import(transfer::Import),
    /// Check every byte of a session and of what it refers to; nothing is changed
    #[command(after_help = "Example:\n  piton session verify amber-otter")]
    Verify(RunArgument),
    /// Rebuild the log of a damaged session from what is whole, keeping what is taken away
    #[command(after_help = "Example:\n  piton session repair sess_…")]
    Repair(RunArgument),
    /// What repairs and interrupted writes took out of sessions, and where it is kept
    #[command(after_help = "Example:\n  piton session repairs")]
    Repairs,
    /// Remove sessions that are past their time, and what nothing refers to any more
    #[command(after_help = "Example:\n  piton session gc --dry-run")]
    Gc(gc::Gc),
    /// Remove a session
    #[command(after_help = "Example:\n  piton session delete sess_… --yes")]
    Delete(remove::Delete),
    /// Keep a session when its time is over
    #[command(after_help = "Example:\n  piton session keep sess_…")]
    Keep(keep::Keep),
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        match self {
            Self::List => list::run(app),
            Self::Show(show) => show.run(app),
            Self::Tree(tree) => tree.run(app),
            Self::Artifact(artifact) => artifact.run(app),
            Self::Export(export) => export.run(app),
            Self::Import(import) => import.run(app),
            Self::Verify(run) => verify::verify(app, &run),
            Self::Repair(run) => verify::repair(app, &run),
            Self::Repairs => verify::repairs(app),
            Self::Gc(gc) => gc.run(app),
            Self::Delete(delete) => delete.run(app),
            Self::Keep(keep) => keep.run(app),
        }
    }
}
